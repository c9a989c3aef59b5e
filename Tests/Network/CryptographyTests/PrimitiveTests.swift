import Cryptography
import Testing

/// That libsodium is called as the standards want it: with their own examples.
@Suite(.timeLimit(.minutes(5)))
struct PrimitiveTests {
    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private func secret(_ hex: String) -> SecretBytes { SecretBytes(copying: bytes(hex)) }
    private func plain(_ secret: SecretBytes?) -> [UInt8]? { secret?.withBytes { Array($0) } }

    /// FIPS 180-4's "abc"; parts make one message.
    @Test func hashes() {
        let (abc, parts) = (Array("abc".utf8), (Array("a".utf8), Array("bc".utf8)))
        #expect(
            Hashing.sha256(abc).hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Hashing.sha256(parts.0, [UInt8](), parts.1) == Hashing.sha256(abc))
        #expect(Hashing.blake2b(parts.0, parts.1) == Hashing.blake2b(abc))
        #expect(Hashing.sha512(parts.0, parts.1).matches(Hashing.sha512(abc)))
    }

    /// RFC 4231, test case 2.
    @Test func codes() {
        let (key, data) = (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        #expect(
            Hashing.hmacSHA256(key: key, data).matches(
                bytes("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")))
        #expect(
            Hashing.hmacSHA512(key: key, data).matches(
                bytes(
                    """
                    164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554
                    9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737
                    """)))
    }

    @Test func agreement() {
        let one = X25519.KeyPair.random()
        let other = X25519.KeyPair.random()
        #expect(plain(one.agreement(with: other.publicKey)) == plain(other.agreement(with: one.publicKey)))
        #expect(one.agreement(with: .zero) == nil)
    }

    /// RFC 8439, appendix A.1, test vector 1: the stream of a key of zeros.
    @Test func encrypting() {
        let stream = bytes(
            """
            76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7
            da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586
            """)
        var text = [UInt8](repeating: 1, count: 64)
        text.withUnsafeMutableBytes { ChaCha20.apply(to: $0, key: SecretBytes(count: 32) { _ in }) }
        #expect(text == stream.map { $0 ^ 1 })
    }

    /// RFC 8439, section 2.8.2, has another form of nonce; so here what was sealed is opened, and nothing else.
    @Test func sealing() {
        let cipher = ChaChaPoly(key: .random(count: 32))
        var text: [UInt8] = [1, 2, 3] + [UInt8](repeating: 0, count: 16)
        let data: [UInt8] = [9]
        func open(_ bytes: [UInt8], _ counter: UInt64, _ data: [UInt8]) -> [UInt8]? {
            var copy = bytes
            let isOpen = copy.withUnsafeMutableBytes { copy in
                data.withUnsafeBytes { cipher.open(copy, counter: counter, additionalData: $0) }
            }
            return isOpen ? Array(copy.dropLast(16)) : nil
        }
        text.withUnsafeMutableBytes { text in
            data.withUnsafeBytes { cipher.seal(text, counter: 1 << 40, additionalData: $0) }
        }
        #expect(open(text, 1 << 40, data) == [1, 2, 3])
        #expect(open(text, 1 << 8, data) == nil && open(text, 1 << 40, [8]) == nil)
        #expect(open(Array(text.dropFirst()), 1 << 40, data) == nil && open([1], 0, data) == nil)
    }

    /// draft-irtf-cfrg-cpace-21, appendix B.3.10 and B.3.11.
    @Test func multiplicationInTheGroup() {
        let scalar = secret("7cd0e075fa7955ba52c02759a6c90dbbfc10e6d40aea8d283e407d88cf538a05")
        let element = bytes("2c3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c")
        let product = bytes("7c13645fe790a468f62c39beb7388e541d8405d1ade69d1778c5fe3e7f6b600e")
        #expect(plain(Ristretto255.product(scalar, element)) == product)
        let noElement = bytes("2b3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c")
        #expect(Ristretto255.product(scalar, noElement) == nil)
        #expect(Ristretto255.product(scalar, Bytes32.zero) == nil)
    }

    @Test func bytesAreInOrder() {
        let numbers = [[0, 1], [0, 255], [1, 0], [255, 0]] as [[UInt8]]
        let values = numbers.map { Bytes32([UInt8](repeating: 7, count: 12) + $0 + [UInt8](repeating: 9, count: 18))! }
        #expect(values == values.shuffled().sorted())
        #expect(Bytes32([1]) == nil)
        #expect(Bytes32(values[0].bytes) == values[0])
    }

    @Test func secretsAreCompared() {
        let one = secret("0102")
        #expect(one.matches([1, 2] as [UInt8]) && !one.matches([1, 3] as [UInt8]) && !one.matches([1] as [UInt8]))
        #expect(!one.matches([] as [UInt8]) && secret("").matches([] as [UInt8]))
        #expect("\(one)" == "(secret)" && String(reflecting: one) == "(secret)")
    }
}
