import Cryptography
import NIOCore
import SecureChannel

/// 32 bytes that the members share and nobody else, with a number that grows with each new one.
public struct HouseholdSecret: Sendable {
    public let generation: UInt32
    /// Who made it, and so knows it.
    let maker: SigningKey
    /// Keys that were removed when it was made, in ascending order: nobody gave it to them.
    let withheld: [Bytes32]
    public let bytes: SecretBytes
    let signature: [UInt8]
    /// Of all of it: decides between two of the same generation.
    let digest: Bytes32

    init(generation: UInt32, withheld: [Bytes32], by maker: PeerKeyPair, in household: HouseholdID) {
        let bytes = SecretBytes.random(count: HouseholdLimits.secretByteCount)
        let withheld = withheld.sorted()
        let signed = Self.message(generation, maker.signingKey, withheld, bytes, household)
        self.init(
            generation: generation, maker: maker.signingKey, withheld: withheld, bytes: bytes,
            signature: maker.signature(of: signed, for: .householdSecret))
    }

    private init(
        generation: UInt32, maker: SigningKey, withheld: [Bytes32], bytes: SecretBytes, signature: [UInt8]
    ) {
        self.generation = generation
        self.maker = maker
        self.withheld = withheld
        self.bytes = bytes
        self.signature = signature
        digest = Hashing.blake2b(
            Array("tutti household secret order 1\0".utf8), maker.bytes, withheld.flatMap(\.bytes), bytes, signature)
    }

    func isAuthentic(in household: HouseholdID) -> Bool {
        maker.isValid(
            signature, of: Self.message(generation, maker, withheld, bytes, household), for: .householdSecret)
    }

    /// Returns what only somebody who knows the secret can show over one channel and from one side of it.
    public func proof(over binding: ChannelBinding, by prover: PeerKey) -> [UInt8] {
        expectedProof(binding, prover).withBytes { Array($0) }
    }

    /// Returns whether the proof is the other side's. Compares in constant time.
    public func isProof(_ proof: [UInt8], over binding: ChannelBinding, by prover: PeerKey) -> Bool {
        expectedProof(binding, prover).matches(proof)
    }

    private func expectedProof(_ binding: ChannelBinding, _ prover: PeerKey) -> SecretBytes {
        Hashing.hmacSHA256(key: bytes, Array("tutti household proof 1\0".utf8), binding.bytes, prover.bytes)
    }

    /// What is signed: the secret itself only as its digest.
    private static func message(
        _ generation: UInt32, _ maker: SigningKey, _ withheld: [Bytes32], _ bytes: SecretBytes,
        _ household: HouseholdID
    ) -> [UInt8] {
        let commitment = Hashing.blake2b(Array("tutti household secret 1\0".utf8), bytes)
        return household.bytes.bytes + withUnsafeBytes(of: generation.bigEndian) { Array($0) } + maker.bytes.bytes
            + commitment.bytes + withheld.flatMap(\.bytes)
    }
}

extension HouseholdSecret: Equatable, Comparable {
    public static func == (a: HouseholdSecret, b: HouseholdSecret) -> Bool {
        a.generation == b.generation && a.digest == b.digest
    }

    public static func < (a: HouseholdSecret, b: HouseholdSecret) -> Bool {
        a.generation != b.generation ? a.generation < b.generation : a.digest < b.digest
    }
}

extension HouseholdSecret: CustomStringConvertible {
    public var description: String { "secret \(generation)" }
}

extension HouseholdSecret {
    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(generation)
        buffer.writeKey(maker)
        buffer.writeList(withheld)
        bytes.withBytes { _ = buffer.writeBytes($0) }
        buffer.writeBytes(signature)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let generation = buffer.readInteger(as: UInt32.self), let maker = buffer.readKey(),
            let withheld = buffer.readList(limit: HouseholdLimits.removalCount),
            let bytes = buffer.readSlice(length: HouseholdLimits.secretByteCount),
            let signature = buffer.readSignature()
        else { return nil }
        self.init(
            generation: generation, maker: maker, withheld: withheld,
            bytes: SecretBytes(copying: bytes.readableBytesView), signature: signature)
    }
}
