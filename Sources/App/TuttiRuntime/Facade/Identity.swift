import WireProtocol
import AudioCore

/// The identity of this process on the network.
public struct Identity: Hashable, Sendable {
    /// The peer's UUID, made once and kept in the XDG state directory.
    public var peer: UUIDBytes
    /// Random for each process: one machine may run several.
    public var instance: UInt64
    /// For people; the host name by default.
    public var name: String

    public init(peer: UUIDBytes, instance: UInt64, name: String) {
        self.peer = peer
        self.instance = instance
        self.name = name
    }

    /// Returns a peer's name with a mark for one of its parts, within the length limit.
    static func name(_ name: String, marked mark: String) -> String {
        let suffix = " (\(mark))"
        var name = name
        while name.utf8.count + suffix.utf8.count > Limits.peerNameByteCount { name.removeLast() }
        return name + suffix
    }
}
