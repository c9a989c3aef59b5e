import WireProtocol

/// The peers that the user named, the only ones to deal with; no name means everyone.
///
/// A name means the peer that has it now. mDNS keeps names unique on a network: if two peers want the same name, the
/// second becomes "NAME #2", and may have greeted under the wanted name before it knew. So mDNS takes precedence over
/// greetings, for the peer itself and for others with the name. A peer unknown to mDNS goes by its greeting.
///
/// Anybody can announce another's process under another name. So a process has all names that mDNS gives it, and an
/// announcement for a different address than the peer's does not contradict its greeting: a record can add a name, but
/// not take one away.
public struct AllowList {
    private struct Record {
        var contact: PeerContact
        /// mDNS no longer knows it: it counts until something newer is known of the process.
        var isForgotten = false
    }

    public let names: [String]
    /// What mDNS says of each process; at most ``PeeringLimits/contactCount`` in total.
    private var records: [UInt64: [Record]] = [:]
    private var recordCount = 0

    public init(_ names: [String]) { self.names = names }

    /// Records the name that mDNS now gives a peer of any role.
    public mutating func note(_ contact: PeerContact) {
        guard !names.isEmpty, let process = contact.key.instance else { return }
        remove(of: process) {
            $0.contact.key == contact.key
                || $0.isForgotten && $0.contact.peer == contact.peer && $0.contact.sharesAddress(with: contact)
        }
        guard recordCount < PeeringLimits.contactCount else { return }
        records[process, default: []].append(Record(contact: contact))
        recordCount += 1
    }

    /// Marks a peer that mDNS no longer knows; a connected or lost one keeps its name.
    mutating func markForgotten(_ key: PeerContact.Key) {
        guard let process = key.instance, let place = records[process]?.firstIndex(where: { $0.contact.key == key })
        else { return }
        records[process]?[place].isForgotten = true
    }

    /// Returns what mDNS says of a process now.
    func present(of process: UInt64) -> [PeerContact] {
        records[process, default: []].filter { !$0.isForgotten }.map(\.contact)
    }

    /// Removes a peer that is of no more use.
    public mutating func remove(_ key: PeerContact.Key) {
        if let process = key.instance { remove(of: process) { $0.contact.key == key } }
    }

    private mutating func remove(of process: UInt64, where isOver: (Record) -> Bool) {
        guard let before = records[process] else { return }
        let rest = before.filter { !isOver($0) }
        records[process] = rest.isEmpty ? nil : rest
        recordCount -= before.count - rest.count
    }

    /// Returns whether a peer is allowed. One that the user named by address is judged when it greets.
    public func includes(_ contact: PeerContact) -> Bool {
        if names.isEmpty { return true }
        guard case .instance = contact.key else { return true }
        return names.contains(contact.name)
    }

    /// Returns whether a peer that greeted is allowed.
    /// - Parameter address: where the greeting came from.
    public func includes(_ greeting: Greeting, at address: String) -> Bool {
        names.isEmpty || names.contains { isName($0, of: greeting, at: address) }
    }

    /// Returns whether this is the peer's name now.
    public func isName(_ name: String, of greeting: Greeting, at address: String) -> Bool {
        let known = records[greeting.instance, default: []].filter { $0.contact.isOf(greeting.process) }
        let present = known.filter { !$0.isForgotten }
        let valid = present.isEmpty ? known : present
        if valid.contains(where: { $0.contact.name == name }) { return true }
        if valid.contains(where: { $0.contact.isAt(address) }) { return false }
        return greeting.name == name && !isTaken(name, from: greeting.process)
    }

    /// Returns whether mDNS knows another process by this name.
    private func isTaken(_ name: String, from process: PeerProcess) -> Bool {
        records.values.contains { $0.contains { $0.contact.name == name && !$0.contact.isOf(process) } }
    }
}
