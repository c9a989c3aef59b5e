import AudioCore
import WireProtocol

/// What a peer says of itself on the network: the contents of its `_tutti._tcp` TXT record.
public struct PeerRecord: Hashable, Sendable {
    /// The peer's persistent identity.
    public var id: UUIDBytes
    /// Random for each process: tells our own process and duplicates.
    public var instance: UInt64
    /// The name that was asked for, for display. If it is taken, the service gets another: see
    /// ``DiscoveredPeer/serviceName``.
    public var name: String
    public var roles: PeerRoles
    /// The wire protocol's version.
    public var protocolVersion: UInt32
    /// Start of the broadcast in milliseconds since 1970, by the peer's own wall clock; nil for none.
    ///
    /// A hint only: which broadcast is taken is decided by what connections prove.
    public var startedUnixMilliseconds: UInt64?

    public init(
        id: UUIDBytes, instance: UInt64, name: String, roles: PeerRoles, protocolVersion: UInt32,
        startedUnixMilliseconds: UInt64? = nil
    ) {
        self.id = id
        self.instance = instance
        self.name = name
        self.roles = roles
        self.protocolVersion = protocolVersion
        self.startedUnixMilliseconds = startedUnixMilliseconds
    }
}
