import Cryptography
import SecureChannel
import Testing

@testable import Households

/// The bytes of a household.
@Suite(.timeLimit(.minutes(5)))
struct DocumentTests {
    private let a = PeerKeyPair.random()
    private let b = PeerKeyPair.random()
    private let c = PeerKeyPair.random()

    private func household() throws -> Household {
        var household = try Household(name: "Home", founder: a, memberName: "A")
        try household.admit(b.signingKey, name: "Küche", by: a)
        try household.admit(c.signingKey, name: "C", by: b)
        try household.remove(b.signingKey, by: a)
        return household
    }

    private func document(_ household: Household) -> [UInt8] { household.encoded().withBytes { Array($0) } }

    @Test func whatIsWrittenIsReadBack() throws {
        let household = try household()
        let decoded = try Household(decoding: document(household))
        #expect(decoded == household && decoded.members == household.members)
        #expect(decoded.secret?.bytes.matches(try #require(household.secret).bytes) == true)
        #expect(document(decoded) == document(household) && decoded.digest == household.digest)
    }

    @Test func everyChangedBitIsNoticed() throws {
        let bytes = document(try household())
        for bit in 0..<bytes.count * 8 where bit % 7 < 2 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: HouseholdError.self, "bit \(bit)") { try Household(decoding: changed) }
        }
    }

    @Test func everyTruncationIsNoticed() throws {
        let bytes = document(try household())
        for count in 0..<bytes.count {
            #expect(throws: HouseholdError.malformed) { try Household(decoding: Array(bytes.prefix(count))) }
        }
        #expect(throws: HouseholdError.malformed) { try Household(decoding: bytes + [0]) }
        let long = [UInt8](repeating: 1, count: HouseholdLimits.documentByteCount + 1)
        #expect(throws: HouseholdError.malformed) { try Household(decoding: long) }
    }

    /// Statements of a key that nobody let in.
    @Test func strangersSayNothing() throws {
        let stranger = PeerKeyPair.random()
        let household = try household()
        var admitting = household
        admitting.insert(Admission(of: c.signingKey, name: "me", by: stranger, in: household.id))
        #expect(throws: HouseholdError.notAuthentic) { try Household(decoding: document(admitting)) }
        var removing = household
        removing.insert(Removal(of: a.signingKey, keeping: [], by: stranger, in: household.id))
        #expect(throws: HouseholdError.notAuthentic) { try Household(decoding: document(removing)) }
        var sharing = household
        sharing.insert(HouseholdSecret(generation: 9, withheld: [], by: stranger, in: household.id))
        #expect(throws: HouseholdError.notAuthentic) { try Household(decoding: document(sharing)) }
    }

    /// Only the founder's own word for itself counts.
    @Test func nobodyElseLetsItselfIn() throws {
        var household = try household()
        household.insert(Admission(of: c.signingKey, name: "C", by: c, in: household.id))
        #expect(throws: HouseholdError.notAuthentic) { try Household(decoding: document(household)) }
    }

    @Test func statementsAreOfOneHousehold() throws {
        let household = try household()
        let other = try Household(name: "Other", founder: a, memberName: "A")
        var mixed = household
        mixed.insert(Admission(of: PeerKeyPair.random().signingKey, name: "x", by: a, in: other.id))
        #expect(throws: HouseholdError.notAuthentic) { try Household(decoding: document(mixed)) }
    }
}
