import WireProtocol
import AudioCore

/// Who this process is on the network.
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

    /// A peer's name with what one of its parts is for, no longer than a name may be.
    static func name(_ name: String, marked mark: String) -> String {
        let suffix = " (\(mark))"
        var name = name
        while name.utf8.count + suffix.utf8.count > Limits.peerNameByteCount { name.removeLast() }
        return name + suffix
    }
}
