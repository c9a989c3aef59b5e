import Cryptography
import WireProtocol

/// A peer's identity: its X25519 public key.
public struct PeerKey: Hashable, Sendable, BitwiseCopyable {
    public let bytes: Bytes32

    public init(_ bytes: Bytes32) { self.bytes = bytes }

    /// The UUID of whoever has this key, version 8 (RFC 9562, section 5.8): the first 16 bytes of the BLAKE2b-256
    /// digest of `tutti peer UUID 1`, a zero byte and the key, with the bits of version and variant set.
    ///
    /// To find another key with the same UUID takes about 2^122 attempts. Nothing is granted to a UUID: keys decide.
    public var uuid: UUIDBytes {
        let digest = Hashing.blake2b(Array("tutti peer UUID 1\0".utf8), bytes).bytes
        let halves = [digest[0..<8], digest[8..<16]].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return UUIDBytes(
            high: halves[0] & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
            low: halves[1] & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }
}

extension PeerKey: Comparable {
    public static func < (a: PeerKey, b: PeerKey) -> Bool { a.bytes < b.bytes }
}

extension PeerKey: CustomStringConvertible {
    public var description: String { bytes.hex }
}

extension PeerKey {
    /// - Parameter hex: the key's description, in digits of either case.
    package init?(hex: String) {
        guard let bytes = [UInt8](hexDigits: hex.utf8).flatMap({ Bytes32($0) }) else { return nil }
        self.init(bytes)
    }
}
