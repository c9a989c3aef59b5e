import AudioCore
import Cryptography
import NIOCore
import SecureChannel
import Testing

@testable import Households

private let start = HostTime(nanoseconds: 0)

/// Two machines over one channel: what each sends reaches the other, until nobody has more to say.
private struct Visit {
    private var keepers: [HouseholdKeeper]
    private(set) var meetings: [HouseholdMeeting]
    /// Documents that each sent.
    private(set) var sent = [0, 0]

    init(_ one: HouseholdKeeper, _ other: HouseholdKeeper) {
        let binding = ChannelBinding(RandomNumbers.bytes32())
        keepers = [one, other]
        meetings = [other, one].map { HouseholdMeeting(remoteKey: $0.keys.key, binding: binding) }
    }

    /// Both say their sign, and answer what they are sent.
    mutating func run() throws -> (HouseholdKeeper, HouseholdKeeper) {
        let signs = (0..<2).map { keepers[$0].sign(for: meetings[$0]) }
        var onTheWay: [(from: Int, SecretBytes)] = []
        for (from, sign) in signs.enumerated() {
            guard let sign, let document = keepers[1 - from].receive(sign, in: &meetings[1 - from]) else { continue }
            onTheWay.append((1 - from, document))
        }
        while !onTheWay.isEmpty {
            let (from, document) = onTheWay.removeFirst()
            sent[from] += 1
            try #require(sent[from] < 4, "it does not end")
            let reception = try keepers[1 - from].receive(document: document, in: &meetings[1 - from], now: start)
            if let answer = reception.answer { onTheWay.append((1 - from, answer)) }
        }
        return (keepers[0], keepers[1])
    }

    func standings() -> [PeerStanding] { (0..<2).map { keepers[$0].standing(in: meetings[$0]) } }
}

@Suite(.timeLimit(.minutes(5)))
struct HouseholdKeeperTests {
    private let a = PeerKeyPair.random()
    private let b = PeerKeyPair.random()
    private let c = PeerKeyPair.random()
    private let r = PeerKeyPair.random()

    private func household(of others: [PeerKeyPair]) throws -> Household {
        var household = try Household(name: "Home", founder: a, memberName: "A")
        for keys in others { try household.admit(keys.signingKey, name: "member", by: a) }
        return household
    }

    private func meet(_ one: inout HouseholdKeeper, _ other: inout HouseholdKeeper) throws -> Visit {
        var visit = Visit(one, other)
        (one, other) = try visit.run()
        return visit
    }

    @Test func membersWithTheSameDocumentSendNone() throws {
        let home = try household(of: [b])
        var (atA, atB) = (HouseholdKeeper(keys: a, household: home), HouseholdKeeper(keys: b, household: home))
        let visit = try meet(&atA, &atB)
        #expect(visit.sent == [0, 0] && visit.standings() == [.member, .member])
    }

    @Test func membersThatDifferEndWithTheSame() throws {
        let home = try household(of: [b, r])
        var (homeOfA, homeOfB) = (home, home)
        try homeOfA.admit(c.signingKey, name: "C", by: a)
        try homeOfB.remove(r.signingKey, by: b)
        var (atA, atB) = (HouseholdKeeper(keys: a, household: homeOfA), HouseholdKeeper(keys: b, household: homeOfB))
        _ = try meet(&atA, &atB)
        #expect(atA.household == atB.household)
        #expect(atA.household?.isMember(c.key) == true && atA.household?.isOut(r.key) == true)
    }

    @Test func aMemberThatSleptThroughTwoRemovalsGetsTheNewSecret() throws {
        let slept = try household(of: [b, c, r])
        var home = slept
        try home.remove(r.signingKey, by: a)
        try home.remove(c.signingKey, by: a)
        var (atA, atB) = (HouseholdKeeper(keys: a, household: home), HouseholdKeeper(keys: b, household: slept))
        _ = try meet(&atA, &atB)
        #expect(atB.household == home && atB.household?.secret?.generation == 3)
        // Both removed ones are refused by it now.
        let meeting = HouseholdMeeting(remoteKey: c.key, binding: ChannelBinding(RandomNumbers.bytes32()))
        #expect(atB.standing(in: meeting) == .removed)
    }

    @Test func aRemovedKeyNeverGetsTheDocument() throws {
        let before = try household(of: [b, r])
        var after = before
        try after.remove(r.signingKey, by: a)
        var atA = HouseholdKeeper(keys: a, household: after)
        var visit = Visit(atA, HouseholdKeeper(keys: r, household: before))
        // What it says of itself is not believed: it throws where it is read.
        #expect(throws: HouseholdError.notMember) { try visit.run() }
        #expect(visit.sent[0] == 0 && visit.standings()[0] == .removed)
        // Nor after a later change of the household.
        try after.admit(c.signingKey, name: "C", by: a)
        _ = try atA.adopt(after, now: start)
        var meeting = visit.meetings[0]
        let document = atA.document(for: &meeting)
        #expect(document == nil)
    }

    @Test func aMemberOfLateIsKnownByTheSecret() throws {
        let slept = try household(of: [b])
        var home = slept
        try home.admit(c.signingKey, name: "C", by: a)
        // B was away, and never heard of C.
        var (atB, atC) = (HouseholdKeeper(keys: b, household: slept), HouseholdKeeper(keys: c, household: home))
        let visit = try meet(&atB, &atC)
        #expect(atB.household == home && visit.sent == [0, 1])
        #expect(visit.standings() == [.member, .member])
    }

    @Test func aStrangerLearnsNothingAndIsNotRead() throws {
        let home = try household(of: [b])
        let foreign = try Household(name: "Home", founder: r, memberName: "R")
        // It has nothing, a document that somebody gave it, or a household of its own of the same name.
        for document in [nil, home, foreign] {
            let atR = HouseholdKeeper(keys: r, household: document)
            var atA = HouseholdKeeper(keys: a, household: home)
            var meeting = HouseholdMeeting(remoteKey: r.key, binding: ChannelBinding(RandomNumbers.bytes32()))
            if let sign = atR.sign(for: meeting) {
                let answer = atA.receive(sign, in: &meeting)
                #expect(answer == nil)
            }
            #expect(atA.standing(in: meeting) == .stranger)
            #expect(throws: HouseholdError.notMember) {
                try atA.receive(document: foreign.encoded(), in: &meeting, now: start)
            }
            #expect(atA.household == home && atR.isMember == (document == foreign))
        }
    }

    @Test func aSignCountsOverItsChannelAndFromItsSenderOnly() throws {
        let home = try household(of: [b])
        let (atA, atB) = (HouseholdKeeper(keys: a, household: home), HouseholdKeeper(keys: b, household: home))
        let binding = ChannelBinding(RandomNumbers.bytes32())
        let sign = try #require(atB.sign(for: HouseholdMeeting(remoteKey: a.key, binding: binding)))
        let other = ChannelBinding(RandomNumbers.bytes32())
        // R repeats what B said, over the same channel and over another.
        for (key, channel) in [(r.key, binding), (r.key, other)] {
            var meeting = HouseholdMeeting(remoteKey: key, binding: channel)
            let answer = atA.receive(sign, in: &meeting)
            #expect(answer == nil && atA.standing(in: meeting) == .stranger)
        }
        #expect(atB.sign(for: HouseholdMeeting(remoteKey: a.key, binding: other)) != sign)
        var buffer = ByteBuffer()
        sign.write(to: &buffer)
        #expect(buffer.readableBytes == HouseholdSign.byteCount && HouseholdSign(from: &buffer) == sign)
    }

    @Test func aDocumentOfAnotherHouseholdIsRefused() throws {
        let home = try household(of: [b])
        var foreign = try Household(name: "Home", founder: b, memberName: "B")
        try foreign.admit(a.signingKey, name: "A", by: b)
        var atA = HouseholdKeeper(keys: a, household: home)
        var meeting = HouseholdMeeting(remoteKey: b.key, binding: ChannelBinding(RandomNumbers.bytes32()))
        #expect(throws: HouseholdError.otherHousehold) {
            try atA.receive(document: foreign.encoded(), in: &meeting, now: start)
        }
        #expect(throws: HouseholdError.malformed) { try atA.receive(document: [1, 2, 3], in: &meeting, now: start) }
        #expect(atA.household == home)
    }

    @Test func whoWasRemovedKnowsNobodyAndSaysNothing() throws {
        var home = try household(of: [b, r])
        try home.remove(r.signingKey, by: a)
        let atR = HouseholdKeeper(keys: r, household: home)
        var meeting = HouseholdMeeting(remoteKey: a.key, binding: ChannelBinding(RandomNumbers.bytes32()))
        let document = atR.document(for: &meeting)
        #expect(!atR.isMember && atR.sign(for: meeting) == nil && document == nil)
        #expect(atR.standing(in: meeting) == .stranger)
    }

    @Test func whatAnotherProcessStoredIsMergedOrTakenWhole() throws {
        let home = try household(of: [b])
        var (mine, stored) = (home, home)
        try mine.admit(c.signingKey, name: "C", by: a)
        try stored.remove(b.signingKey, by: a)
        var keeper = HouseholdKeeper(keys: a, household: mine)
        var isChanged = try keeper.adopt(stored, now: start)
        #expect(isChanged && keeper.household?.isMember(c.key) == true && keeper.household?.isOut(b.key) == true)
        isChanged = try keeper.adopt(stored, now: start)
        #expect(!isChanged)
        let other = try Household(name: "Elsewhere", founder: a, memberName: "A")
        isChanged = try keeper.adopt(other, now: start)
        #expect(isChanged && keeper.household == other)
        isChanged = try keeper.adopt(nil, now: start)
        #expect(isChanged && keeper.household == nil)
    }
}
