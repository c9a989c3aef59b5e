import Households

/// Ports, and whether mDNS is used.
public struct NetworkOptions: Sendable {
    /// Nil: ``NetworkAddress/defaultPort`` or, if another Tutti on this machine has it, any free one. A port given here
    /// must be free.
    public var port: UInt16?
    /// Whether to advertise and browse by mDNS.
    public var usesDiscovery = true
    /// What the user allows to whom. Its household does not matter: that is the machine's.
    public var access = AccessPolicy()
    /// Where a broadcaster or listener offers local sockets, by which `tutti pause` and its like find it on this
    /// machine.
    public var localSockets: [LocalSocketDirectory] = []

    public init() {}
}
