import CSodium

/// Diffie-Hellman on Curve25519 (RFC 7748).
public enum X25519 {
    /// A secret scalar and its public key.
    public struct KeyPair: Sendable {
        public let secret: SecretBytes
        public let publicKey: Bytes32

        /// - Parameter secret: 32 bytes.
        public init(secret: SecretBytes) {
            precondition(secret.count == 32)
            Sodium.prepare()
            self.secret = secret
            publicKey = Bytes32 { output in
                secret.withBytes { _ = crypto_scalarmult_curve25519_base(output.octets, $0.octets!) }
            }
        }

        public static func random() -> KeyPair { KeyPair(secret: .random(count: 32)) }

        /// Returns what both sides can compute; nil if it is all zeros, as after a public key of low order.
        public func agreement(with publicKey: Bytes32) -> SecretBytes? {
            var isUsable = false
            let shared = SecretBytes(count: 32) { output in
                secret.withBytes { secret in
                    publicKey.withBytes {
                        isUsable = crypto_scalarmult_curve25519(output.octets, secret.octets!, $0.octets!) == 0
                    }
                }
            }
            return isUsable ? shared : nil
        }
    }
}
