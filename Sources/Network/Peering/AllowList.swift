import WireProtocol

/// The peers that a user named, as the only ones to have to do with; no name means everyone.
///
/// A name means the peer that bears it now. On one network mDNS keeps names apart: of two peers that want the same, the
/// second becomes "NAME #2", and may have greeted under the name that it wanted before it knew. So what mDNS says
/// goes before what a greeting says, of the peer itself and of whoever else bears the name. A peer that mDNS does not
/// know goes by its greeting.
///
/// Anybody can announce another's process under another name. So a process bears all names that mDNS gives it, and one
/// that is announced elsewhere than where the peer is says nothing against its greeting: a record can add a name, and
/// take none away.
public struct AllowList {
    private struct Record {
        var contact: PeerContact
        /// mDNS knows it no longer: it counts as long as nothing newer is known of the process.
        var isLost = false
    }

    public let names: [String]
    /// What mDNS says of each process; at most ``PeeringLimits/contactCount`` in sum.
    private var records: [UInt64: [Record]] = [:]
    private var recordCount = 0

    public init(_ names: [String]) { self.names = names }

    /// Learns what mDNS calls a peer now, of whatever role.
    public mutating func note(_ contact: PeerContact) {
        guard !names.isEmpty, let process = contact.key.instance else { return }
        remove(of: process) { $0.contact.key == contact.key || $0.isLost && $0.contact.sharesAddress(with: contact) }
        guard recordCount < PeeringLimits.contactCount else { return }
        records[process, default: []].append(Record(contact: contact))
        recordCount += 1
    }

    /// mDNS knows the peer no longer; of one that is connected, or missed, the name is remembered.
    mutating func lose(_ key: PeerContact.Key) {
        guard let process = key.instance, let place = records[process]?.firstIndex(where: { $0.contact.key == key })
        else { return }
        records[process]?[place].isLost = true
    }

    /// What mDNS says of a process now.
    func present(of process: UInt64) -> [PeerContact] {
        records[process, default: []].filter { !$0.isLost }.map(\.contact)
    }

    /// The peer is of no use any more.
    public mutating func forget(_ key: PeerContact.Key) {
        if let process = key.instance { remove(of: process) { $0.contact.key == key } }
    }

    private mutating func remove(of process: UInt64, where isOver: (Record) -> Bool) {
        guard let before = records[process] else { return }
        let rest = before.filter { !isOver($0) }
        records[process] = rest.isEmpty ? nil : rest
        recordCount -= before.count - rest.count
    }

    /// Whether a peer is meant. One that the user named by address is judged when it greets.
    public func includes(_ contact: PeerContact) -> Bool {
        if names.isEmpty { return true }
        guard case .instance = contact.key else { return true }
        return names.contains(contact.name)
    }

    /// - Parameter address: where the greeting came from.
    public func includes(_ greeting: Greeting, at address: String) -> Bool {
        names.isEmpty || names.contains { isBorne($0, by: greeting, at: address) }
    }

    /// Whether this is the peer's name now.
    public func isBorne(_ name: String, by greeting: Greeting, at address: String) -> Bool {
        let known = records[greeting.instance, default: []]
        let present = known.filter { !$0.isLost }
        let valid = present.isEmpty ? known : present
        if valid.contains(where: { $0.contact.name == name }) { return true }
        if valid.contains(where: { $0.contact.isAt(address) }) { return false }
        return greeting.name == name && !isTaken(name, from: greeting.instance)
    }

    /// Whether mDNS knows another process by this name.
    private func isTaken(_ name: String, from process: UInt64) -> Bool {
        records.contains { $0.key != process && $0.value.contains { $0.contact.name == name } }
    }
}
