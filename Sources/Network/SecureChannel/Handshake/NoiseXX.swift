import Cryptography

/// The messages of the pattern XX (Noise, section 7.5), without order or framing: ``Handshake`` sees to these.
///
///     -> e
///     <- e, ee, s, es
///     -> s, se
struct NoiseXX {
    /// A key encrypted, with its tag.
    private static let sealedKeyByteCount = Bytes32.count + ChaChaPoly.tagByteCount

    /// Bytes of each message beside its payload.
    static let overhead = (
        first: Bytes32.count, second: Bytes32.count + sealedKeyByteCount + ChaChaPoly.tagByteCount,
        third: sealedKeyByteCount + ChaChaPoly.tagByteCount
    )

    private var symmetric: SymmetricState
    private let ownStatic: X25519.KeyPair
    private let ownEphemeral: X25519.KeyPair
    private var theirEphemeral = Bytes32.zero
    private(set) var theirStatic = Bytes32.zero

    init(ownStatic: X25519.KeyPair, ownEphemeral: X25519.KeyPair, prologue: [UInt8]) {
        self.ownStatic = ownStatic
        self.ownEphemeral = ownEphemeral
        symmetric = SymmetricState(prologue: prologue)
    }

    var handshakeHash: Bytes32 { symmetric.handshakeHash }

    func split() -> (SecretBytes, SecretBytes) { symmetric.split() }

    // MARK: -> e

    mutating func writeFirst(_ payload: [UInt8]) -> [UInt8] {
        var message = ownEphemeral.publicKey.bytes
        symmetric.mixHash(ownEphemeral.publicKey)
        symmetric.encryptAndHash(payload, into: &message)
        return message
    }

    mutating func readFirst(_ message: [UInt8]) throws(HandshakeError) -> [UInt8] {
        let rest = try readEphemeral(message)
        return try symmetric.decryptAndHash(rest)
    }

    // MARK: <- e, ee, s, es

    mutating func writeSecond(_ payload: [UInt8]) throws(HandshakeError) -> [UInt8] {
        var message = ownEphemeral.publicKey.bytes
        symmetric.mixHash(ownEphemeral.publicKey)
        try mixAgreement(ownEphemeral, theirEphemeral)
        symmetric.encryptAndHash(ownStatic.publicKey.bytes, into: &message)
        try mixAgreement(ownStatic, theirEphemeral)
        symmetric.encryptAndHash(payload, into: &message)
        return message
    }

    mutating func readSecond(_ message: [UInt8]) throws(HandshakeError) -> [UInt8] {
        let rest = try readEphemeral(message)
        try mixAgreement(ownEphemeral, theirEphemeral)
        let payload = try readStatic(rest)
        try mixAgreement(ownEphemeral, theirStatic)
        return try symmetric.decryptAndHash(payload)
    }

    // MARK: -> s, se

    mutating func writeThird(_ payload: [UInt8]) throws(HandshakeError) -> [UInt8] {
        var message: [UInt8] = []
        symmetric.encryptAndHash(ownStatic.publicKey.bytes, into: &message)
        try mixAgreement(ownStatic, theirEphemeral)
        symmetric.encryptAndHash(payload, into: &message)
        return message
    }

    mutating func readThird(_ message: [UInt8]) throws(HandshakeError) -> [UInt8] {
        let payload = try readStatic(message[...])
        try mixAgreement(ownEphemeral, theirStatic)
        return try symmetric.decryptAndHash(payload)
    }

    // MARK: Parts

    private mutating func readEphemeral(_ message: [UInt8]) throws(HandshakeError) -> ArraySlice<UInt8> {
        guard let key = Bytes32(message.prefix(Bytes32.count)) else { throw .badLength(message.count) }
        theirEphemeral = key
        symmetric.mixHash(key)
        return message.dropFirst(Bytes32.count)
    }

    private mutating func readStatic(_ rest: ArraySlice<UInt8>) throws(HandshakeError) -> ArraySlice<UInt8> {
        guard let key = Bytes32(try symmetric.decryptAndHash(rest.prefix(Self.sealedKeyByteCount))) else {
            throw .badLength(rest.count)
        }
        theirStatic = key
        return rest.dropFirst(Self.sealedKeyByteCount)
    }

    private mutating func mixAgreement(_ own: X25519.KeyPair, _ theirs: Bytes32) throws(HandshakeError) {
        guard let secret = own.agreement(with: theirs) else { throw .unusableKey }
        symmetric.mixKey(secret)
    }
}
