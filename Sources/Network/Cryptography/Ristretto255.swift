import CSodium

/// The group ristretto255 (RFC 9496).
public enum Ristretto255 {
    /// Returns the encoded element that 64 uniform bytes give (RFC 9496, section 4.3.4).
    public static func element(from hash: SecretBytes) -> SecretBytes {
        precondition(hash.count == 64)
        Sodium.prepare()
        return SecretBytes(count: 32) { output in
            hash.withBytes { _ = crypto_core_ristretto255_from_hash(output.octets, $0.octets!) }
        }
    }

    /// Returns a uniform scalar other than zero.
    public static func randomScalar() -> SecretBytes {
        Sodium.prepare()
        return SecretBytes(count: 32) { crypto_core_ristretto255_scalar_random($0.octets) }
    }

    /// Returns the encoded product; nil if `element` encodes no element in the one canonical form, or if the product is
    /// the neutral element.
    public static func product(_ scalar: SecretBytes, _ element: some ByteSource) -> SecretBytes? {
        precondition(scalar.count == 32)
        Sodium.prepare()
        var isUsable = false
        let product = SecretBytes(count: 32) { output in
            scalar.withBytes { scalar in
                element.withBytes {
                    guard $0.count == 32 else { return }
                    isUsable = crypto_scalarmult_ristretto255(output.octets, scalar.octets!, $0.octets!) == 0
                }
            }
        }
        return isUsable ? product : nil
    }
}
