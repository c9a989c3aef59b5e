import Cryptography
import NIOCore
import Testing

@testable import SecureChannel

/// The published vector of the pattern: the numbers of `Noise_XX_25519_ChaChaPoly_SHA256` in cacophony
/// (github.com/haskell-cryptography/cacophony, `vectors/cacophony.txt`; the Unlicense, which gives them to the public
/// domain). Implementations of Noise are checked against each other with these.
@Suite(.timeLimit(.minutes(5)))
struct NoiseVectorTests {
    private static let prologue = bytes("4a6f686e2047616c74")
    private static let handshakeHash = bytes("c8e5f64e846193be2a834104c2a009868d6c9f3bd3c186299888b488b2f1f58e")

    /// Payload and message. Initiator and responder take turns, over the handshake's end too.
    private static let messages = [
        (
            "4c756477696720766f6e204d69736573",
            """
            ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944
            4c756477696720766f6e204d69736573
            """
        ),
        (
            "4d757272617920526f746862617264",
            """
            95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843
            81cbad1f276e038c48378ffce2b65285e08d6b68aaa3629a5a8639392490e5b9
            bd5269c2f1e4f488ed8831161f19b781
            5528f8982ffe09be9b5c412f8a0db50f8814c7194e83f23dbd8d162c9326ad
            """
        ),
        (
            "462e20412e20486179656b",
            """
            c7195ffacac1307ff99046f219750fc47693e23c3cb08b89c2af808b444850a8
            0ae475b9df0f169ae80a89be0865b57f
            58c9fea0d4ec82a286427402f113e4b6ae769a1d95941d49b25030
            """
        ),
        ("4361726c204d656e676572", "96763ed773f8e47bb3712f0e29b3060ffc956ffc146cee53d5e1df"),
        (
            "4a65616e2d426170746973746520536179",
            "3e40f15f6f3a46ae446b253bf8b1d9ffb6ed9b174d272328ff91a7e2e5c79c07f5"
        ),
        (
            "457567656e2042f6686d20766f6e2042617765726b",
            "eb3f3515110702e047a6c9da4478b6ead94873c11c0f2d710ddb3f09fce024b3a58502ae3f"
        ),
    ].map { (payload: bytes($0), message: bytes($1)) }

    private static func keyPair(_ hex: String) -> X25519.KeyPair {
        X25519.KeyPair(secret: SecretBytes(copying: bytes(hex)))
    }

    private var initiator = NoiseXX(
        ownStatic: keyPair("e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1"),
        ownEphemeral: keyPair("893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a"), prologue: prologue)
    private var responder = NoiseXX(
        ownStatic: keyPair("4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893"),
        ownEphemeral: keyPair("bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b"), prologue: prologue)

    private mutating func shakeHands() throws {
        let messages = Self.messages
        #expect(initiator.writeFirst(messages[0].payload) == messages[0].message)
        #expect(try responder.readFirst(messages[0].message) == messages[0].payload)
        #expect(try responder.writeSecond(messages[1].payload) == messages[1].message)
        #expect(try initiator.readSecond(messages[1].message) == messages[1].payload)
        #expect(try initiator.writeThird(messages[2].payload) == messages[2].message)
        #expect(try responder.readThird(messages[2].message) == messages[2].payload)
    }

    @Test mutating func theHandshakeIsThatOfTheVector() throws {
        try shakeHands()
        #expect(initiator.handshakeHash.bytes == Self.handshakeHash)
        #expect(responder.handshakeHash.bytes == Self.handshakeHash)
    }

    @Test mutating func theTransportMessagesAreThoseOfTheVector() throws {
        try shakeHands()
        let (first, second) = initiator.split()
        var toResponder = CipherState(key: first)
        var toInitiator = CipherState(key: second)
        for (index, message) in Self.messages.enumerated().dropFirst(3) {
            let sealed =
                index % 2 == 0
                ? sealed(message.payload, &toResponder) : sealed(message.payload, &toInitiator)
            #expect(sealed == message.message)
        }
    }

    private func sealed(_ plaintext: [UInt8], _ cipher: inout CipherState) -> [UInt8] {
        var bytes = plaintext + [UInt8](repeating: 0, count: ChaChaPoly.tagByteCount)
        bytes.withUnsafeMutableBytes { cipher.seal($0, additionalData: UnsafeRawBufferPointer(start: nil, count: 0)) }
        return bytes
    }
}
