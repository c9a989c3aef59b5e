import Cryptography
import SecureChannel
import Testing
import WireProtocol

/// Keys of peers, and what follows from them.
@Suite(.timeLimit(.minutes(5)))
struct PeerKeyTests {
    private let keys = PeerKeyPair(seed: SecretBytes(copying: 0..<32))

    /// These are stored and compared by other machines: they must never change.
    @Test func whatFollowsFromASeedStaysTheSame() {
        #expect(
            keys.signingKey.description == "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8")
        #expect(keys.key.description == "4701d08488451f545a409fb58ae3e58581ca40ac3f7f114698cd71deac73ca01")
        #expect(keys.key.uuid.description == "6bfaf2f3-cf4e-8db3-9f5c-cb6f73207e54")
    }

    @Test func theUUIDSaysItsVersion() {
        for _ in 0..<100 {
            let text = Array(PeerKeyPair.random().key.uuid.description)
            #expect(text[14] == "8" && "89ab".contains(text[19]))
        }
    }

    @Test func bothKeysHaveOneSeed() {
        for _ in 0..<100 {
            let keys = PeerKeyPair.random()
            #expect(SigningKey(keys.signingKey.bytes)?.peerKey == keys.key)
        }
    }

    @Test func whatIsNoPointIsNoKey() {
        #expect(SigningKey(.zero) == nil)
        #expect(SigningKey(Bytes32([2] + [UInt8](repeating: 0, count: 31))!) == nil)
        #expect(SigningKey(Bytes32([UInt8](repeating: 255, count: 32))!) == nil)
    }

    @Test func aSignatureIsForOneMessageAndOnePurpose() {
        let signature = keys.signature(of: [1, 2], for: .householdAdmission)
        #expect(keys.signingKey.isValid(signature, of: [1, 2], for: .householdAdmission))
        #expect(!keys.signingKey.isValid(signature, of: [1], for: .householdAdmission))
        #expect(!keys.signingKey.isValid(signature, of: [1, 2], for: .householdRemoval))
        #expect(!keys.signingKey.isValid(Array(signature.dropLast()), of: [1, 2], for: .householdAdmission))
        #expect(!PeerKeyPair.random().signingKey.isValid(signature, of: [1, 2], for: .householdAdmission))
    }

    @Test func secretsAreInNoDescription() {
        var dumped = ""
        dump(keys, to: &dumped)
        let text = "\(keys.seed) \(String(reflecting: keys)) \(dumped)"
        #expect(!text.contains("00010203") && !text.contains("0, 1, 2") && !text.contains("- 1\n"))
        #expect(text.contains("(secret)"))
    }
}
