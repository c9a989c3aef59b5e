/// The roles of a peer.
public struct PeerRoles: OptionSet, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let broadcaster = PeerRoles(rawValue: 1 << 0)
    public static let listener = PeerRoles(rawValue: 1 << 1)
    /// Only watches a broadcast.
    public static let observer = PeerRoles(rawValue: 1 << 2)
    /// Sends commands to a broadcast, and may follow it.
    public static let controller = PeerRoles(rawValue: 1 << 3)
    /// Wants to be let into a household, if it is the one that was dialled; lets one in, if it dialled.
    public static let pairing = PeerRoles(rawValue: 1 << 4)
}
