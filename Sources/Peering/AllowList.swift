import WireProtocol

/// The peers that a user named, as the only ones to have to do with; no name means everyone.
///
/// A name means the peer that bears it now. On one network mDNS keeps names apart: of two peers that want the same, the
/// second becomes "NAME #2", and may have greeted under the name that it wanted before it knew. So what mDNS says
/// goes before what a greeting says, of the peer itself and of whoever else bears the name. A peer that mDNS does not
/// know goes by its greeting.
public struct AllowList {
    public let names: [String]
    /// What mDNS calls each process; at most ``PeeringLimits/contactCount``.
    private var bearers: [UInt64: String] = [:]

    public init(_ names: [String]) { self.names = names }

    /// Learns what mDNS calls a peer now, of whatever role.
    public mutating func note(_ contact: PeerContact) {
        guard !names.isEmpty, case .instance(let instance) = contact.key else { return }
        guard bearers[instance] != nil || bearers.count < PeeringLimits.contactCount else { return }
        bearers[instance] = contact.name
    }

    /// mDNS knows the peer no longer.
    public mutating func forget(_ key: PeerContact.Key) {
        if case .instance(let instance) = key { bearers[instance] = nil }
    }

    /// Whether a peer is meant. One that the user named by address is judged when it greets.
    public func includes(_ contact: PeerContact) -> Bool {
        if names.isEmpty { return true }
        guard case .instance = contact.key else { return true }
        return names.contains(contact.name)
    }

    public func includes(_ greeting: Greeting) -> Bool {
        names.isEmpty || names.contains { isBorne($0, by: greeting) }
    }

    /// Whether this is the peer's name now.
    public func isBorne(_ name: String, by greeting: Greeting) -> Bool {
        if let known = bearers[greeting.instance] { return known == name }
        return greeting.name == name && !bearers.values.contains(name)
    }
}
