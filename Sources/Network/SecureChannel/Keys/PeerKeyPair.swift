import Cryptography

/// A peer's own keys, all of which follow from one seed of 32 bytes: the only thing to be stored, and secret.
public struct PeerKeyPair: Sendable {
    public static let seedByteCount = 32

    public let seed: SecretBytes
    public let signingKey: SigningKey
    let agreement: X25519.KeyPair
    let signing: Ed25519.KeyPair

    public var key: PeerKey { signingKey.peerKey }

    /// - Parameter seed: ``seedByteCount`` bytes.
    public init(seed: SecretBytes) {
        precondition(seed.count == Self.seedByteCount)
        self.seed = seed
        signing = Ed25519.KeyPair(seed: seed)
        agreement = signing.agreement
        guard let signingKey = SigningKey(signing.publicKey) else { fatalError("a seed without a public key") }
        self.signingKey = signingKey
    }

    public static func random() -> PeerKeyPair { PeerKeyPair(seed: .random(count: seedByteCount)) }
}
