import Cryptography
import NIOCore
import SecureChannel

/// What a member says first to whomever it meets: to another member which document it has, and that it knows the
/// secret; to a stranger nothing, as both parts are other bytes over each channel.
///
/// | field | bytes | meaning |
/// |---|---|---|
/// | mark | 32 | digest of the document's digest, the channel's binding and the sender's key |
/// | proof | 32 | ``HouseholdSecret/proof(over:by:)`` |
public struct HouseholdSign: Hashable, Sendable {
    public static let byteCount = 64

    let mark: Bytes32
    let proof: Bytes32

    init(mark: Bytes32, proof: Bytes32) {
        self.mark = mark
        self.proof = proof
    }

    public func write(to buffer: inout ByteBuffer) {
        buffer.writeBytes32(mark)
        buffer.writeBytes32(proof)
    }

    /// Returns nil if there are not enough bytes.
    public init?(from buffer: inout ByteBuffer) {
        guard let mark = buffer.readBytes32(), let proof = buffer.readBytes32() else { return nil }
        self.init(mark: mark, proof: proof)
    }

    static func mark(of digest: Bytes32, over binding: ChannelBinding, by sender: PeerKey) -> Bytes32 {
        Hashing.blake2b(Array("tutti household mark 1\0".utf8), digest, binding.bytes, sender.bytes)
    }
}
