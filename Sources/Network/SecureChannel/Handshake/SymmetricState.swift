import Cryptography

/// What both sides of a handshake have hashed and agreed on so far (Noise, section 5.2).
struct SymmetricState {
    /// Of 32 bytes, the length of a SHA-256 digest: so it is the first digest itself.
    static let protocolName = "Noise_XX_25519_ChaChaPoly_SHA256"

    private(set) var handshakeHash: Bytes32
    private var chainingKey: SecretBytes
    private var cipher: CipherState?

    init(prologue: [UInt8]) {
        let name = Array(Self.protocolName.utf8)
        handshakeHash = Hashing.sha256(Bytes32(name)!, prologue)
        chainingKey = SecretBytes(copying: name)
    }

    mutating func mixHash(_ bytes: some ByteSource) { handshakeHash = Hashing.sha256(handshakeHash, bytes) }

    mutating func mixKey(_ secret: SecretBytes) {
        let (next, key) = Self.derive(chainingKey, secret)
        chainingKey = next
        cipher = CipherState(key: key)
    }

    /// Appends the plaintext to a message: encrypted and with a tag, once there is a key.
    mutating func encryptAndHash(_ plaintext: some Collection<UInt8>, into message: inout [UInt8]) {
        let start = message.count
        message += plaintext
        if cipher != nil { message += repeatElement(0, count: ChaChaPoly.tagByteCount) }
        message.withUnsafeMutableBytes { bytes in
            let part = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
            handshakeHash.withBytes { cipher?.seal(part, additionalData: $0) }
        }
        mixHash(Array(message[start...]))
    }

    /// Returns what a part of a message says.
    mutating func decryptAndHash(_ part: some Collection<UInt8>) throws(HandshakeError) -> [UInt8] {
        var bytes = Array(part)
        let before = handshakeHash
        mixHash(bytes)
        guard cipher != nil else { return bytes }
        let isAuthentic = bytes.withUnsafeMutableBytes { bytes in
            before.withBytes { cipher?.open(bytes, additionalData: $0) ?? false }
        }
        guard isAuthentic else { throw .notAuthentic }
        bytes.removeLast(ChaChaPoly.tagByteCount)
        return bytes
    }

    /// Returns the keys of what follows the handshake: the first is the initiator's to send with.
    func split() -> (SecretBytes, SecretBytes) { Self.derive(chainingKey, SecretBytes(count: 0) { _ in }) }

    /// HKDF with two outputs (Noise, section 4.3).
    private static func derive(_ chainingKey: SecretBytes, _ input: SecretBytes) -> (SecretBytes, SecretBytes) {
        let key = Hashing.hmacSHA256(key: chainingKey, input)
        let first = Hashing.hmacSHA256(key: key, [1])
        return (first, Hashing.hmacSHA256(key: key, first, [2]))
    }
}
