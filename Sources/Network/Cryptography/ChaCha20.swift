import CSodium

/// ChaCha20 (RFC 8439, section 2.4) with a nonce and a counter of zero, in place. It hides, and proves nothing: whoever
/// uses it proves the ciphertext in another way.
public enum ChaCha20 {
    public static let keyByteCount = 32

    /// Encrypts, and decrypts.
    /// - Parameter key: ``keyByteCount`` bytes, used for one text only.
    public static func apply(to bytes: UnsafeMutableRawBufferPointer, key: SecretBytes) {
        precondition(key.count == keyByteCount)
        guard !bytes.isEmpty else { return }
        Sodium.prepare()
        withUnsafeTemporaryAllocation(byteCount: crypto_stream_chacha20_ietf_noncebytes(), alignment: 4) { nonce in
            nonce.initializeMemory(as: UInt8.self, repeating: 0)
            key.withBytes { key in
                _ = crypto_stream_chacha20_ietf_xor(
                    bytes.octets, bytes.octets, UInt64(bytes.count), nonce.octets, key.octets!)
            }
        }
    }
}
