import AudioCore
import Glibc
import SecureChannel
import WireProtocol

/// The identity of this process on the network.
public struct Identity: Sendable {
    /// Secret. Others know the peer by the public half.
    public let keys: PeerKeyPair
    /// Follows from ``keys``.
    public let peer: UUIDBytes
    /// Random for each process: one machine may run several.
    public var instance: UInt64
    /// For people; the host name by default.
    public var name: String
    /// What the machine belongs to; nil where nothing is kept, which is open mode.
    public var household: StoredHousehold?

    /// A new instance of a peer.
    /// - Parameters:
    ///   - keys: made once and kept by the caller, so that others know this machine and its clock again; by default new
    ///     ones.
    ///   - name: for people; the host's by default. What is longer than mDNS carries is cut.
    public init(keys: PeerKeyPair = .random(), name: String = Identity.hostName) {
        self.keys = keys
        peer = keys.key.uuid
        instance = .random(in: 1...(.max))
        self.name = String(displaying: name, maximumByteCount: WireLimits.peerNameByteCount)
    }

    /// The host's name without its domain.
    public static var hostName: String {
        // HOST_NAME_MAX is 64 on Linux, without the closing zero.
        var buffer = [CChar](repeating: 0, count: 65)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "tutti" }
        let name = buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let short = name.prefix { $0 != "." }
        return short.isEmpty ? "tutti" : String(short)
    }

    /// A peer's name with what one of its parts is for, no longer than a name may be.
    static func name(_ name: String, marked mark: String) -> String {
        String(marking: name, as: mark, maximumByteCount: WireLimits.peerNameByteCount)
    }
}
