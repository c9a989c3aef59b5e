import Cryptography

/// CPace on ristretto255 with SHA-512 (draft-irtf-cfrg-cpace-21, CPACE-RISTR255-SHA512): the computations, between an
/// initiator and a responder.
///
/// Both sides make a generator of the group from the password and multiply it by a secret scalar. Whoever used another
/// password has multiplied another generator, and learns from what is exchanged only whether that one guess was right.
struct CPace {
    /// Section 8.3.
    static let domain = Array("CPaceRistretto255".utf8)
    /// Of SHA-512, section 6.2.
    private static let inputBlockByteCount = 128

    let sessionIdentifier: [UInt8]
    private let scalar: SecretBytes
    /// What is sent to the other side.
    let share: Bytes32

    /// - Parameters:
    ///   - channelIdentifier: CI, the same on both sides.
    ///   - sessionIdentifier: sid, the same on both sides and in no other run.
    ///   - scalar: secret, and used once.
    init(
        password: SecretBytes, channelIdentifier: [UInt8], sessionIdentifier: [UInt8],
        scalar: SecretBytes = Ristretto255.randomScalar()
    ) {
        self.sessionIdentifier = sessionIdentifier
        self.scalar = scalar
        let generator = Self.generator(
            password: password, channelIdentifier: channelIdentifier, sessionIdentifier: sessionIdentifier)
        // The scalar is not zero, and the generator is the neutral element for one hash in 2^252.
        guard let product = Ristretto255.product(scalar, generator) else { fatalError("a neutral generator") }
        share = Bytes32 { output in product.withBytes { output.copyMemory(from: $0) } }
    }

    /// calculate_generator, section 8.3.
    static func generator(
        password: SecretBytes, channelIdentifier: [UInt8], sessionIdentifier: [UInt8]
    ) -> SecretBytes {
        let text = generatorString(
            password: password, channelIdentifier: channelIdentifier, sessionIdentifier: sessionIdentifier)
        return Ristretto255.element(from: Hashing.sha512(text))
    }

    /// generator_string, section 8.1.
    static func generatorString(
        password: SecretBytes, channelIdentifier: [UInt8], sessionIdentifier: [UInt8]
    ) -> SecretBytes {
        let used = prefixed(domain).count + length(password.count).count + password.count
        let padding = [UInt8](repeating: 0, count: max(0, inputBlockByteCount - 1 - used))
        return SecretBytes(joining: [
            prefixed(domain), length(password.count), password, prefixed(padding), prefixed(channelIdentifier),
            prefixed(sessionIdentifier),
        ])
    }

    /// The intermediate session key (ISK), section 7.2. Returns nil if the other side's share is no element of the
    /// group or the neutral one.
    /// - Parameter shares: of initiator and responder, with the data associated with each.
    func sessionKey(with other: Bytes32, shares: [(share: Bytes32, data: [UInt8])]) -> SecretBytes? {
        guard let product = Ristretto255.product(scalar, other) else { return nil }
        let transcript = shares.flatMap { Self.message($0.share, $0.data) }
        return Hashing.sha512(
            Self.prefixed(Self.domain + Array("_ISK".utf8)), Self.prefixed(sessionIdentifier), Self.length(32), product,
            transcript)
    }

    /// The key of the codes with which both sides confirm the session key, section 10.4.
    func confirmationKey(_ sessionKey: SecretBytes) -> SecretBytes {
        Hashing.sha512(Array("CPaceMac".utf8), sessionIdentifier, sessionKey)
    }

    /// What a side has sent, lv_cat(Y, AD), section 6.3.
    static func message(_ share: Bytes32, _ data: [UInt8]) -> [UInt8] { prefixed(share.bytes) + prefixed(data) }

    /// prepend_len, section 6.3.
    static func prefixed(_ bytes: [UInt8]) -> [UInt8] { length(bytes.count) + bytes }

    /// A length in LEB128.
    static func length(_ count: Int) -> [UInt8] {
        var (rest, bytes) = (count, [UInt8]())
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }
}
