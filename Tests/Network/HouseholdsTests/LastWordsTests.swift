import AudioCore
import Cryptography
import NIOCore
import SecureChannel
import Testing

@testable import Households

/// Removals by machines that are removed at the same time.
@Suite(.timeLimit(.minutes(5)))
struct LastWordsTests {
    private let keys = (0..<4).map { _ in PeerKeyPair.random() }

    /// All four machines' household.
    private func household() throws -> Household {
        var household = try Household(name: "Home", founder: keys[0], memberName: "0")
        for index in 1..<4 { try household.admit(keys[index].signingKey, name: "\(index)", by: keys[0]) }
        return household
    }

    /// A machine for each, of which two have removed somebody and have met nobody yet.
    private func network(_ first: (author: Int, subject: Int), _ second: (author: Int, subject: Int)) throws
        -> MeetingNetwork
    {
        let home = try household()
        var network = MeetingNetwork(keys.map { HouseholdMeetings(keys: $0, household: home) })
        for removal in [first, second] {
            var changed = home
            try changed.remove(keys[removal.subject].signingKey, by: keys[removal.author])
            try network.adopt(changed, removal.author)
        }
        return network
    }

    private func out(_ household: Household?) -> Set<Int> {
        Set(keys.indices.filter { household?.isOut(keys[$0].key) == true })
    }

    @Test func twoThatRemoveEachOtherAreBothOutForAWitness() throws {
        var network = try network((1, 2), (2, 1))
        try network.connect(0, 3, keys: keys)
        try network.connect(1, 0, keys: keys)
        network.now += HouseholdLimits.lastWordsTime - .milliseconds(1)
        try network.connect(2, 0, keys: keys)
        #expect(out(network.stored[0]) == [1, 2])
        // To the witness the second one is out by then, and hears that its own word counts. The first one, which is
        // connected still, said its word in time.
        #expect(network.standing(5) == .removedLately && network.standing(3) == .removedLately)
        // Whoever is connected hears of both.
        #expect(network.stored[3] == network.stored[0] && network.stored[0]?.needsSettling == false)
    }

    @Test func oneThatRemovesTheOthersAuthorCannotSaveItsSubject() throws {
        var network = try network((1, 3), (2, 1))
        try network.connect(2, 0, keys: keys)
        try network.connect(1, 0, keys: keys)
        #expect(out(network.stored[0]) == [1, 3] && network.standing(3) == .removedLately)
    }

    @Test func laterNothingIsTakenFromARemovedMachine() throws {
        var network = try network((1, 2), (2, 1))
        try network.connect(1, 0, keys: keys)
        network.now += HouseholdLimits.lastWordsTime
        try network.connect(2, 0, keys: keys)
        #expect(out(network.stored[0]) == [2] && network.standing(3) == .removed)
    }

    /// One word is against somebody of whom the witness has never heard.
    @Test func oneWordThatMeansNothingDoesNotCostTheOthers() throws {
        var network = try network((1, 2), (2, 1))
        let passing = PeerKeyPair.random()
        var changed = try #require(network.processes[2].household)
        try changed.admit(passing.signingKey, name: "passing", by: keys[2])
        try changed.remove(passing.signingKey, by: keys[2])
        try network.adopt(changed, 2)
        try network.connect(1, 0, keys: keys)
        try network.connect(2, 0, keys: keys)
        #expect(out(network.stored[0]).isSuperset(of: [1, 2]) && network.standing(3) == .removedLately)
    }

    @Test func aFullDocumentIsToldOf() throws {
        var home = try household()
        var other = home
        try other.remove(keys[3].signingKey, by: keys[1])
        for _ in 0..<HouseholdLimits.removalCount { try home.remove(PeerKeyPair.random().signingKey, by: keys[0]) }
        var meetings = HouseholdMeetings<Int>(keys: keys[0], household: home)
        let binding = ChannelBinding(RandomNumbers.bytes32())
        var theirs = HouseholdMeetings<Int>(keys: keys[1], household: other)
        let shown = theirs.open(1, remoteKey: keys[0].key, binding: binding)
        _ = meetings.open(1, remoteKey: keys[1].key, binding: binding)
        let actions = meetings.receive(
            introduction: ByteBuffer(bytes: shown), from: 1, at: 0, now: HostTime(nanoseconds: 0))
        #expect(actions.contains { if case .full = $0 { true } else { false } } && meetings.household == home)
    }

    /// A process that begins knows of no time at which its machine heard of it.
    @Test func whatWasStoredBeforeWasHeardLongAgo() throws {
        var network = try network((1, 2), (2, 1))
        try network.connect(1, 0, keys: keys)
        network.processes[0] = HouseholdMeetings(keys: keys[0], household: network.stored[0])
        try network.connect(2, 0, keys: keys)
        #expect(out(network.stored[0]) == [2] && network.standing(3) == .removed)
    }

    /// The second one's document is refused if it comes after the first one's; its introduction came before.
    @Test func whoIsRemovedWhileItSpeaksWasHeard() throws {
        var network = try network((1, 2), (2, 1))
        try network.connect(2, 0, keys: keys)
        #expect(network.standing(1) == .member && out(network.stored[0]) == [1])
        try network.connect(1, 0, keys: keys)
        #expect(out(network.stored[0]) == [1, 2])
        #expect(network.standing(1) == .removedLately && network.standing(3) == .removedLately)
    }

    // MARK: What an introduction says

    /// What a process says to another one.
    private func introduction(_ household: Household?, by author: Int, to other: Int) throws -> HouseholdIntroduction {
        var meetings = HouseholdMeetings<Int>(keys: keys[author], household: household)
        let bytes = meetings.open(
            1, remoteKey: keys[other].key, binding: ChannelBinding(RandomNumbers.bytes32()))
        return try #require(HouseholdIntroduction(decoding: ByteBuffer(bytes: bytes)))
    }

    @Test func onlyMembersAreToldAndOnlyOfMachines() throws {
        var home = try household()
        try home.remove(keys[3].signingKey, by: keys[1])
        try home.remove(PeerKeyPair.random().signingKey, by: keys[1])
        guard case .removals(let removals) = try introduction(home, by: 1, to: 2).claim else {
            Issue.record("it says nothing")
            return
        }
        #expect([Removal](lastWords: removals)?.map(\.id.removed) == [keys[3].signingKey])
        #expect(try introduction(home, by: 1, to: 3).claim == .none)
        #expect(try introduction(home, by: 1, to: 1).claim == .none)
        // It removed nobody itself.
        #expect(try introduction(home, by: 2, to: 1).claim == .none)
        #expect(try introduction(nil, by: 1, to: 2).claim == .none)
    }

    /// Words of somebody else, or against somebody who never belonged; bytes that are none.
    @Test func whatIsNotItsOwnWordIsLeftOut() throws {
        let home = try household()
        var (foreign, stray) = (home, home)
        try foreign.remove(keys[3].signingKey, by: keys[2])
        try stray.remove(PeerKeyPair.random().signingKey, by: keys[1])
        for removals in [foreign, stray].map({ Array($0.removals.values) }) {
            var changed = home
            try changed.take(removals, from: keys[1].key)
            #expect(changed == home)
        }
        let other = try Household(name: "Cabin", founder: keys[1], memberName: "1")
        let elsewhere = Removal(of: keys[3].signingKey, keeping: [], by: keys[1], in: other.id)
        var changed = home
        try changed.take([elsewhere], from: keys[1].key)
        #expect(changed == home)

        var meetings = HouseholdMeetings<Int>(keys: keys[0], household: home)
        _ = meetings.open(1, remoteKey: keys[1].key, binding: ChannelBinding(RandomNumbers.bytes32()))
        let noise = HouseholdIntroduction.random().encoded() + [2] + [UInt8](repeating: 7, count: 300)
        let actions = meetings.receive(
            introduction: ByteBuffer(bytes: noise), from: 1, at: 0, now: HostTime(nanoseconds: 0))
        guard case .standing(1, .member)? = actions.first else { Issue.record("\(actions)"); return }
        #expect(meetings.household == home)
    }

    @Test func theLongestIntroductionFitsIntoItsLimit() throws {
        // As many as an author may have kept.
        let kept = (0..<HouseholdLimits.admissionCount).map { _ in RandomNumbers.bytes32() }
        let id = try household().id
        let removals = (0..<3).map { Removal(of: keys[$0].signingKey, keeping: kept, by: keys[3], in: id) }
        var introduction = HouseholdIntroduction.random()
        introduction.claim = .removals(removals.encodedLastWords())
        let bytes = introduction.encoded()
        #expect(bytes.count <= SecureChannelLimits.introductionByteCount)
        let read = try #require(HouseholdIntroduction(decoding: ByteBuffer(bytes: bytes)))
        guard case .removals(let bytes) = read.claim else { Issue.record("\(read.claim)"); return }
        #expect([Removal](lastWords: bytes) == [removals[0]], "the others are left out")
    }
}
