import Cryptography

/// A key with a counter of messages (Noise, section 5.1), for one direction.
struct CipherState {
    private let cipher: ChaChaPoly
    private var counter: UInt64 = 0

    init(key: SecretBytes) { cipher = ChaChaPoly(key: key) }

    /// Encrypts in place, and writes the tag into the last 16 bytes.
    mutating func seal(_ bytes: UnsafeMutableRawBufferPointer, additionalData: UnsafeRawBufferPointer) {
        // 2^64 - 1 messages (Noise, section 5.1) take half a million years at a million a second.
        precondition(counter < .max)
        cipher.seal(bytes, counter: counter, additionalData: additionalData)
        counter += 1
    }

    /// Decrypts in place; returns false if the tag is wrong.
    mutating func open(_ bytes: UnsafeMutableRawBufferPointer, additionalData: UnsafeRawBufferPointer) -> Bool {
        guard counter < .max, cipher.open(bytes, counter: counter, additionalData: additionalData) else { return false }
        counter += 1
        return true
    }
}
