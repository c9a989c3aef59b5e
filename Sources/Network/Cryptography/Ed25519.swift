import CSodium

/// Signatures on edwards25519 (RFC 8032), and the X25519 keys that belong to the same seed.
public enum Ed25519 {
    public static let signatureByteCount = 64

    /// A seed, the keys that follow from it, and signing.
    public struct KeyPair: Sendable {
        public let publicKey: Bytes32
        private let expanded: SecretBytes

        /// - Parameter seed: 32 bytes.
        public init(seed: SecretBytes) {
            precondition(seed.count == 32)
            Sodium.prepare()
            var expanded: SecretBytes?
            publicKey = Bytes32 { output in
                expanded = SecretBytes(count: 64) { secret in
                    seed.withBytes { _ = crypto_sign_ed25519_seed_keypair(output.octets, secret.octets, $0.octets!) }
                }
            }
            self.expanded = expanded!
        }

        public func signature(of message: some ByteSource) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: signatureByteCount) { output, count in
                expanded.withBytes { secret in
                    message.withBytes {
                        _ = crypto_sign_ed25519_detached(
                            output.baseAddress!, nil, $0.octets, UInt64($0.count), secret.octets!)
                    }
                }
                count = signatureByteCount
            }
        }

        /// The key pair for Diffie-Hellman: the same scalar on the birationally equivalent curve.
        public var agreement: X25519.KeyPair {
            X25519.KeyPair(
                secret: SecretBytes(count: 32) { output in
                    expanded.withBytes { _ = crypto_sign_ed25519_sk_to_curve25519(output.octets, $0.octets!) }
                })
        }
    }

    /// Returns whether the signature is the key's. Keys of low order and signatures that are not in the one canonical
    /// form are refused.
    public static func isValid(_ signature: [UInt8], of message: some ByteSource, by publicKey: Bytes32) -> Bool {
        Sodium.prepare()
        guard signature.count == signatureByteCount else { return false }
        return publicKey.withBytes { key in
            message.withBytes {
                crypto_sign_ed25519_verify_detached(signature, $0.octets, UInt64($0.count), key.octets!) == 0
            }
        }
    }

    /// Returns the X25519 public key of whoever has the secret of this one; nil if this is no point of the group.
    public static func agreementKey(of publicKey: Bytes32) -> Bytes32? {
        Sodium.prepare()
        var isPoint = false
        let key = Bytes32 { output in
            publicKey.withBytes {
                isPoint = crypto_sign_ed25519_pk_to_curve25519(output.octets, $0.octets!) == 0
            }
        }
        return isPoint ? key : nil
    }
}
