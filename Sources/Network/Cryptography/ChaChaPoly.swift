import CSodium

/// ChaCha20-Poly1305 with a nonce of 96 bits (RFC 8439), in place.
///
/// The nonce is four zero bytes and a 64-bit counter, least significant byte first (Noise, section 12.3). The caller
/// uses each counter once for a key.
public struct ChaChaPoly: Sendable {
    public static let keyByteCount = 32
    public static let tagByteCount = 16

    private let key: SecretBytes

    /// - Parameter key: ``keyByteCount`` bytes.
    public init(key: SecretBytes) {
        precondition(key.count == Self.keyByteCount)
        Sodium.prepare()
        self.key = key
    }

    /// Encrypts the bytes but the last ``tagByteCount``, and writes the tag there.
    public func seal(
        _ bytes: UnsafeMutableRawBufferPointer, counter: UInt64, additionalData: UnsafeRawBufferPointer
    ) {
        let count = bytes.count - Self.tagByteCount
        precondition(count >= 0)
        let text = bytes.octets
        withKeyAndNonce(counter) { key, nonce in
            _ = crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                text, text + count, nil, text, UInt64(count), additionalData.octets, UInt64(additionalData.count), nil,
                nonce, key)
        }
    }

    /// Decrypts the bytes but the last ``tagByteCount``, which are the tag. Returns false, and leaves no plaintext, if
    /// the tag is wrong or there is none.
    public func open(
        _ bytes: UnsafeMutableRawBufferPointer, counter: UInt64, additionalData: UnsafeRawBufferPointer
    ) -> Bool {
        let count = bytes.count - Self.tagByteCount
        guard count >= 0 else { return false }
        let text = bytes.octets
        return withKeyAndNonce(counter) { key, nonce in
            crypto_aead_chacha20poly1305_ietf_decrypt_detached(
                text, nil, text, UInt64(count), text + count, additionalData.octets, UInt64(additionalData.count),
                nonce, key) == 0
        }
    }

    private func withKeyAndNonce<Result>(
        _ counter: UInt64, _ body: (UnsafePointer<UInt8>, UnsafePointer<UInt8>) -> Result
    ) -> Result {
        // UInt32 zero, then the counter.
        var nonce = (UInt32(0), UInt32(truncatingIfNeeded: counter).littleEndian, UInt32(counter >> 32).littleEndian)
        return key.withBytes { key in
            withUnsafeBytes(of: &nonce) { body(key.octets!, $0.octets!) }
        }
    }
}
