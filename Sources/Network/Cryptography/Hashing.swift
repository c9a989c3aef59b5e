import CSodium

/// Hash functions and message authentication codes, over the concatenation of parts.
public enum Hashing {
    /// SHA-256 (FIPS 180-4).
    public static func sha256(_ parts: any ByteSource...) -> Bytes32 {
        var state = crypto_hash_sha256_state()
        crypto_hash_sha256_init(&state)
        for part in parts { part.withBytes { _ = crypto_hash_sha256_update(&state, $0.octets, UInt64($0.count)) } }
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        return Bytes32 { crypto_hash_sha256_final(&state, $0.octets) }
    }

    /// SHA-512 (FIPS 180-4): 64 bytes.
    public static func sha512(_ parts: any ByteSource...) -> SecretBytes {
        var state = crypto_hash_sha512_state()
        crypto_hash_sha512_init(&state)
        for part in parts { part.withBytes { _ = crypto_hash_sha512_update(&state, $0.octets, UInt64($0.count)) } }
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        return SecretBytes(count: 64) { crypto_hash_sha512_final(&state, $0.octets) }
    }

    /// BLAKE2b with 32 bytes of output (RFC 7693). Gathers several parts first: libsodium's running state has an
    /// alignment that Swift cannot import.
    public static func blake2b(_ parts: any ByteSource...) -> Bytes32 {
        Sodium.prepare()
        let whole = parts.count == 1 ? parts[0] : SecretBytes(joining: parts)
        return Bytes32 { output in
            whole.withBytes { _ = crypto_generichash_blake2b(output.octets, 32, $0.octets, UInt64($0.count), nil, 0) }
        }
    }

    /// HMAC-SHA-256 (RFC 2104): 32 bytes.
    public static func hmacSHA256(key: some ByteSource, _ parts: any ByteSource...) -> SecretBytes {
        var state = crypto_auth_hmacsha256_state()
        key.withBytes { _ = crypto_auth_hmacsha256_init(&state, $0.octets!, $0.count) }
        for part in parts { part.withBytes { _ = crypto_auth_hmacsha256_update(&state, $0.octets, UInt64($0.count)) } }
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        return SecretBytes(count: 32) { crypto_auth_hmacsha256_final(&state, $0.octets) }
    }

    /// HMAC-SHA-512 (RFC 2104): 64 bytes.
    public static func hmacSHA512(key: some ByteSource, _ parts: any ByteSource...) -> SecretBytes {
        var state = crypto_auth_hmacsha512_state()
        key.withBytes { _ = crypto_auth_hmacsha512_init(&state, $0.octets!, $0.count) }
        for part in parts { part.withBytes { _ = crypto_auth_hmacsha512_update(&state, $0.octets, UInt64($0.count)) } }
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        return SecretBytes(count: 64) { crypto_auth_hmacsha512_final(&state, $0.octets) }
    }
}
