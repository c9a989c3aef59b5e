import Cryptography
import Testing

@testable import Pairing

/// The published vectors of CPACE-RISTR255-SHA512, in the form with an initiator and a responder
/// (draft-irtf-cfrg-cpace-21, appendix B.3; code components of Internet-Drafts are under the Revised BSD License of the
/// IETF Trust, and only numbers are taken).
@Suite(.timeLimit(.minutes(5)))
struct CPaceVectorTests {
    private static let channelIdentifier = bytes("0b415f696e69746961746f720b425f726573706f6e646572")
    private static let sessionIdentifier = bytes("7e4b4791d6a8ef019b936c79fb7f2c57")
    private static let shareA = bytes("d6bac480f2c386c394efc7c47adb9925dcd2630b64f240c50f8d0eec482b9157")
    private static let shareB = bytes("3ea7e0b19560d7c0b0f5734f63b955286dfa8232b5ebe63324e2d9e7433f7258")
    private static let sessionKey = bytes(
        """
        b69effbf61b51d56401c0f65601abe428de8206feaaf0e32198896dcae7b35cd
        2b38950a39dfd5d4a79164614c2984f7daa460b588c1e80c3fa2068af7900447
        """)

    private let password = SecretBytes(copying: Array("Password".utf8))

    private func side(scalar: String) -> CPace {
        CPace(
            password: password, channelIdentifier: Self.channelIdentifier, sessionIdentifier: Self.sessionIdentifier,
            scalar: SecretBytes(copying: bytes(scalar)))
    }

    @Test func theGenerator() {
        let text = CPace.generatorString(
            password: password, channelIdentifier: Self.channelIdentifier, sessionIdentifier: Self.sessionIdentifier)
        #expect(
            text.matches(
                bytes("11435061636552697374726574746f3235350850617373776f7264 64") + [UInt8](repeating: 0, count: 100)
                    + bytes(
                        """
                        180b415f696e69746961746f720b425f726573706f6e646572
                        107e4b4791d6a8ef019b936c79fb7f2c57
                        """)))
        let hash = Hashing.sha512(text)
        #expect(
            hash.matches(
                bytes(
                    """
                    da6d3ddc8802fca9058755ffd3ebde08a9c2c74945901a258482a288b6663af0
                    6bf645c93cd1c51512307199c80e84908916d983b34af77205f90851a657ee27
                    """)))
        #expect(
            Ristretto255.element(from: hash).matches(
                bytes("222b6b195fe84b1652badb6f6a3ae3d24341e7306967f0b8115b40d5698c7e56")))
    }

    @Test func bothSidesHaveTheSessionKeyOfTheVector() {
        let a = side(scalar: "da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08")
        let b = side(scalar: "d2316b454718c35362d83d69df6320f38578ed5984651435e2949762d900b80d")
        #expect(a.share.bytes == Self.shareA && b.share.bytes == Self.shareB)
        let shares = [(a.share, Array("ADa".utf8)), (b.share, Array("ADb".utf8))]
        #expect(a.sessionKey(with: b.share, shares: shares)?.matches(Self.sessionKey) == true)
        #expect(b.sessionKey(with: a.share, shares: shares)?.matches(Self.sessionKey) == true)
    }

    /// Appendix B.3.11: no element, and the neutral one.
    @Test(arguments: [
        "2b3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c",
        "0000000000000000000000000000000000000000000000000000000000000000",
    ]) func whatIsNoElementIsRefused(share: String) {
        let a = side(scalar: "da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08")
        let other = Bytes32(bytes(share))!
        #expect(a.sessionKey(with: other, shares: [(a.share, []), (other, [])]) == nil)
    }

    /// Section 6.3; appendix A.1.
    @Test func lengths() {
        #expect(CPace.prefixed([]) == [0])
        #expect(CPace.prefixed(Array("1234".utf8)) == bytes("0431323334"))
        #expect(CPace.prefixed([UInt8](repeating: 1, count: 127)).prefix(2) == [0x7F, 1])
        #expect(CPace.prefixed([UInt8](repeating: 1, count: 128)).prefix(3) == [0x80, 1, 1])
    }
}

/// Bytes in hexadecimal digits, in which white space does not count.
func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
