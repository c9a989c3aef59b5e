import Cryptography
import SecureChannel
import Testing

@testable import Households

/// Changes of one household by machines that meet, and by some that were away.
@Suite(.timeLimit(.minutes(5)))
struct HouseholdTests {
    private let a = PeerKeyPair.random()
    private let b = PeerKeyPair.random()
    private let c = PeerKeyPair.random()
    private let r = PeerKeyPair.random()

    /// The founder A has let in the others.
    private func household(of others: [PeerKeyPair]) throws -> Household {
        var household = try Household(name: "Home", founder: a, memberName: "A")
        for (index, keys) in others.enumerated() {
            try household.admit(keys.signingKey, name: "\(index)", by: a)
        }
        return household
    }

    private func merged(_ one: Household, _ other: Household) throws -> Household {
        var result = one
        try result.merge(other)
        return result
    }

    @Test func onePairingAdmitsToAll() throws {
        let before = try household(of: [b])
        var atB = before
        try atB.admit(c.signingKey, name: "C", by: b)
        #expect(atB.members.count == 3 && atB.secret == before.secret)
        // C shows its document to A, which never met it.
        let atA = try merged(before, atB)
        #expect(atA.isMember(c.key) && atA == atB)
        #expect(atA.members.map(\.name).sorted() == ["0", "A", "C"])
    }

    @Test func aRemovalMakesANewSecretForThoseWhoStay() throws {
        let before = try household(of: [b, r])
        var after = before
        try after.remove(r.signingKey, by: a)
        #expect(!after.isMember(r.key) && after.isOut(r.key) && after.isMember(b.key))
        #expect(before.secret?.generation == 1 && after.secret?.generation == 2)
        // A member that was away gets it on its return; the old one proves nothing any longer.
        let returned = try merged(before, after)
        #expect(returned == after)
        let binding = ChannelBinding(RandomNumbers.bytes32())
        let (old, new) = (try #require(before.secret), try #require(returned.secret))
        #expect(new.isProof(new.proof(over: binding, by: b.key), over: binding, by: b.key))
        #expect(!new.isProof(old.proof(over: binding, by: b.key), over: binding, by: b.key))
        #expect(!new.isProof(new.proof(over: binding, by: b.key), over: binding, by: a.key))
        let other = ChannelBinding(RandomNumbers.bytes32())
        #expect(!new.isProof(new.proof(over: binding, by: b.key), over: other, by: b.key))
    }

    @Test func aKeyThatNobodyLetInIsUnknownAndNotRemoved() throws {
        var household = try household(of: [b, r])
        try household.remove(r.signingKey, by: a)
        #expect([a, b, r, c].map { household.standing(of: $0.key) } == [.member, .member, .removed, .unknown])
    }

    @Test func aRemovedKeyDoesNotReturn() throws {
        let before = try household(of: [b, r])
        var after = before
        try after.remove(r.signingKey, by: a)
        #expect(throws: HouseholdError.removedKey) { try after.admit(r.signingKey, name: "R", by: a) }
        #expect(throws: HouseholdError.notMember) { try after.remove(b.signingKey, by: r) }
        // Somebody who does not know lets it in again.
        var atB = before
        try atB.admit(c.signingKey, name: "C", by: b)
        try after.merge(atB)
        #expect(!after.isMember(r.key) && after.isMember(c.key))
    }

    @Test func aMemberThatSleptThroughTwoRemovalsGetsTheLastSecret() throws {
        let asleep = try household(of: [b, c, r])
        var awake = asleep
        try awake.remove(r.signingKey, by: a)
        try awake.remove(c.signingKey, by: b)
        let returned = try merged(asleep, awake)
        #expect(returned.secret?.generation == 3 && returned.members.count == 2)
    }

    @Test func twoRemovalsAtOnceBothHold() throws {
        let before = try household(of: [b, c, r])
        var (atA, atB) = (before, before)
        try atA.remove(r.signingKey, by: a)
        try atB.remove(c.signingKey, by: b)
        var both = try merged(atA, atB)
        #expect(try merged(atB, atA) == both)
        #expect(!both.isMember(r.key) && !both.isMember(c.key))
        // Each secret was made for the one whom the other removed.
        #expect(both.secret == nil && both.needsSettling)
        #expect(try both.settle(by: a))
        #expect(both.secret?.generation == 3)
        #expect(try !both.settle(by: b))
    }

    @Test func twoMembersMayRemoveEachOther() throws {
        let before = try household(of: [b, c])
        var (atA, atB) = (before, before)
        try atA.remove(b.signingKey, by: a)
        try atB.remove(a.signingKey, by: b)
        var atC = try merged(merged(before, atA), atB)
        #expect(atC.members.map(\.key) == [c.signingKey])
        #expect(atC.secret == nil)
        #expect(try atC.settle(by: c))
        #expect(atC.secret != nil)
        #expect(throws: HouseholdError.notMember) { try atC.settle(by: a) }
    }

    @Test func theFounderMayBeRemoved() throws {
        var household = try household(of: [b, c])
        try household.remove(a.signingKey, by: b)
        #expect(Set(household.members.map(\.key)) == [b.signingKey, c.signingKey])
        #expect(household.secret?.generation == 2)
        let decoded = try Household(decoding: household.encoded())
        #expect(decoded == household && decoded.members == household.members)
    }

    @Test func whoeverLeavesLeavesTheSecretToOthers() throws {
        var household = try household(of: [b])
        try household.remove(b.signingKey, by: b)
        #expect(household.secret == nil && household.members.count == 1)
        #expect(try household.settle(by: a))
        #expect(household.secret?.generation == 2)
    }

    /// R was removed, and lets in another key of its own at B, which was away.
    @Test func aRemovedKeyLetsNobodyIn() throws {
        let other = PeerKeyPair.random()
        let before = try household(of: [b, r])
        var atA = before
        try atA.remove(r.signingKey, by: a)
        var atB = before
        try atB.admit(other.signingKey, name: "another", by: r)
        #expect(atB.isMember(other.key))
        // Both ways at once: neither gives the new secret to the other key.
        atB = try merged(atB, atA)
        #expect(!atB.isMember(other.key) && atB.isOut(other.key) && atB.secret == nil)
        #expect(try atB.settle(by: b))
        #expect(atB.secret?.generation == 3)
        #expect(throws: HouseholdError.removedKey) { try atB.admit(other.signingKey, name: "another", by: b) }
    }

    /// The other key removes R itself, and says that it stays.
    @Test func nobodyGivesItsOwnWordWeight() throws {
        let other = PeerKeyPair.random()
        let before = try household(of: [b, r])
        var atA = before
        try atA.remove(r.signingKey, by: a)
        var atB = before
        try atB.admit(other.signingKey, name: "another", by: r)
        try atB.remove(r.signingKey, by: other)
        #expect(atB.isMember(other.key))
        atB = try merged(atB, atA)
        #expect(!atB.isMember(other.key) && atB.isMember(a.key) && atB.isMember(b.key))
    }

    /// R was removed. At B, which was away, it lets in X, and that lets in Y: then Y vouches for X, or R removes X and
    /// says that Y stays.
    @Test(arguments: [false, true]) func whoHoldOneAnotherUpAreOut(removesX: Bool) throws {
        let (x, y) = (PeerKeyPair.random(), PeerKeyPair.random())
        let before = try household(of: [b, r])
        var atA = before
        try atA.remove(r.signingKey, by: a)
        var atB = before
        try atB.admit(x.signingKey, name: "x", by: r)
        try atB.admit(y.signingKey, name: "y", by: x)
        if removesX {
            try atB.remove(x.signingKey, by: r)
        } else {
            atB.insert(Admission(of: x.signingKey, name: "x", by: y, in: atB.id))
            atB.updateMembers()
        }
        #expect(atB.isMember(y.key))
        let both = try merged(atB, atA)
        #expect(!both.isMember(x.key) && !both.isMember(y.key) && both.isOut(y.key))
        #expect(both.isMember(a.key) && both.isMember(b.key))
    }

    /// R let in B, and that C: whoever is removed first, C stays.
    @Test(arguments: [false, true]) func aChainOfRemovedKeysHolds(isFromItsEnd: Bool) throws {
        var household = try household(of: [r])
        try household.admit(b.signingKey, name: "B", by: r)
        try household.admit(c.signingKey, name: "C", by: b)
        for removed in isFromItsEnd ? [b, r] : [r, b] { try household.remove(removed.signingKey, by: a) }
        #expect(household.members.map(\.peerKey).contains(c.key) && household.members.count == 2)
    }

    /// A point and its negative are one peer, which can sign for both.
    @Test func aKeyAndItsNegativeAreOneMember() throws {
        var bytes = r.signingKey.bytes.bytes
        bytes[31] ^= 0x80
        let negative = try #require(Bytes32(bytes).flatMap(SigningKey.init))
        #expect(negative != r.signingKey && negative.peerKey == r.key)
        var household = try household(of: [r, b])
        household.insert(Admission(of: negative, name: "other", by: r, in: household.id))
        household.updateMembers()
        let listed = try #require(household.members.first { $0.peerKey == r.key })
        #expect(household.members.count == 3)
        try household.remove(listed.key, by: a)
        #expect(!household.isMember(r.key) && household.members.count == 2)
        #expect(household.removals.values.allSatisfy { $0.kept.isEmpty })
    }

    /// R made a secret behind whose number there is none.
    @Test func withoutAnotherNumberThereIsNoSecretAndTheRemovalHolds() throws {
        var household = try household(of: [b, r])
        household.insert(HouseholdSecret(generation: .max, withheld: [], by: r, in: household.id))
        household.updateMembers()
        try household.remove(r.signingKey, by: a)
        #expect(!household.isMember(r.key) && household.isMember(b.key) && household.secret == nil)
        #expect(try !household.settle(by: b))
    }

    @Test func whomARemovedKeyLetInBeforeStays() throws {
        var household = try household(of: [r])
        try household.admit(b.signingKey, name: "B", by: r)
        try household.admit(c.signingKey, name: "C", by: b)
        try household.remove(r.signingKey, by: a)
        #expect(household.isMember(b.key) && household.isMember(c.key) && household.secret?.generation == 2)
    }

    /// R makes a secret of its own, of a later generation, and gives it to B, which was away.
    @Test func aRemovedKeysSecretDoesNotCount() throws {
        let before = try household(of: [b, r])
        var atA = before
        try atA.remove(r.signingKey, by: a)
        var atB = before
        for _ in 0..<5 {
            atB.insert(
                HouseholdSecret(
                    generation: atB.latestSecret!.generation + 1, withheld: [r.signingKey.bytes], by: r, in: atB.id))
        }
        atB.updateMembers()
        var both = try merged(atA, atB)
        #expect(both.secret == nil)
        #expect(try both.settle(by: a))
        #expect(both.secret?.generation == 7)
    }

    @Test func namesAreBounded() throws {
        var household = try household(of: [])
        for name in ["", String(repeating: "é", count: 33)] {
            #expect(throws: HouseholdError.badName) { try household.admit(b.signingKey, name: name, by: a) }
        }
        try household.admit(b.signingKey, name: String(repeating: "é", count: 32), by: a)
    }

    @Test func aFullHouseholdStaysAsItWas() throws {
        var household = try household(of: [])
        while household.admissions.count < HouseholdLimits.admissionCount {
            try household.admit(PeerKeyPair.random().signingKey, name: "x", by: a)
        }
        let before = household
        #expect(throws: HouseholdError.full) { try household.admit(b.signingKey, name: "B", by: a) }
        #expect(household == before)
        #expect(try Household(decoding: household.encoded()) == household)
    }

    @Test func anotherHouseholdIsNotMerged() throws {
        var household = try household(of: [b])
        let other = try self.household(of: [b])
        #expect(throws: HouseholdError.otherHousehold) { try household.merge(other) }
    }
}
