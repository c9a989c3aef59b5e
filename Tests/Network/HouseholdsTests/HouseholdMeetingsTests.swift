import AudioCore
import Cryptography
import NIOCore
import SecureChannel
import Testing

@testable import Households

private let start = HostTime(nanoseconds: 0)

@Suite(.timeLimit(.minutes(5)))
struct HouseholdMeetingsTests {
    private let keys = (0..<4).map { _ in PeerKeyPair.random() }

    private func household(_ members: Range<Int>) throws -> Household {
        var household = try Household(name: "Home", founder: keys[0], memberName: "0")
        for index in members where index > 0 {
            try household.admit(keys[index].signingKey, name: "\(index)", by: keys[0])
        }
        return household
    }

    private func network(_ households: [Household?]) -> MeetingNetwork {
        MeetingNetwork(households.enumerated().map { HouseholdMeetings(keys: keys[$0.offset], household: $0.element) })
    }

    @Test func membersKnowEachOtherAndStrangersAreNone() throws {
        let home = try household(0..<2)
        var network = network([home, home, nil])
        try network.connect(0, 1, keys: keys)
        try network.connect(2, 0, keys: keys)
        #expect(network.standing(0) == .member && network.standing(1) == .member)
        #expect(network.standing(2) == .stranger && network.standing(3) == .stranger)
    }

    @Test func anotherProcessOfThisMachineIsThisMachine() throws {
        var network = MeetingNetwork((0..<2).map { _ in HouseholdMeetings(keys: keys[0], household: nil) })
        try network.connect(0, 1, keys: [keys[0], keys[0]])
        #expect(network.standing(0) == .thisMachine)
    }

    /// They share what is stored: a document would not be taken, and may be too long for whoever is no other member.
    @Test func processesOfOneMachineSendEachOtherNoDocument() throws {
        let home = try household(0..<2)
        var grown = home
        try grown.admit(keys[2].signingKey, name: "2", by: keys[0])
        var network = MeetingNetwork([home, grown].map { HouseholdMeetings(keys: keys[0], household: $0) })
        try network.connect(0, 1, keys: [keys[0], keys[0]])
        #expect(network.standing(0) == .thisMachine && network.standing(1) == .thisMachine)
        #expect(network.stored[0] == home && network.changeCounts == [0, 0])
        var smaller = grown
        try smaller.remove(keys[1].signingKey, by: keys[0])
        try network.adopt(smaller, 0)
        #expect(network.stored[1] == grown && network.changeCounts == [1, 0])
    }

    /// 2 was let in while 1 was away: 1 believes the secret, and has the document a moment later.
    @Test func whoWasLetInElsewhereIsAMemberAtOnce() throws {
        let home = try household(0..<2)
        var grown = home
        try grown.admit(keys[2].signingKey, name: "2", by: keys[0])
        var network = network([nil, home, grown])
        try network.connect(1, 2, keys: keys)
        #expect(network.standing(0) == .member && network.standing(1) == .member)
        #expect(network.stored[1] == grown)
    }

    @Test func aRemovalReachesAllThatAreConnectedAndEndsTheStanding() throws {
        let home = try household(0..<3)
        var network = network([home, home, home])
        for (one, other) in [(0, 1), (1, 2), (2, 0)] { try network.connect(one, other, keys: keys) }
        var smaller = home
        try smaller.remove(keys[2].signingKey, by: keys[0])
        try network.adopt(smaller, 0)
        // 1 heard of it over its channel, and tells of 2; 2 hears of nothing.
        #expect(network.standing(2) == .removed && network.standing(5) == .removed)
        #expect(network.stored[1]?.isOut(keys[2].key) == true && network.stored[2] == home)
        #expect(network.standing(0) == .member && network.changeCounts == [1, 1, 0])
    }

    /// Somebody who knows the secret comes with a key that is in no list.
    @Test func aProofCountsUntilThereIsAnotherSecret() throws {
        let home = try household(0..<2)
        let hidden = PeerKeyPair.random().key
        let binding = ChannelBinding(RandomNumbers.bytes32())
        var meetings = HouseholdMeetings<Int>(keys: keys[0], household: home)
        _ = meetings.open(1, remoteKey: hidden, binding: binding)
        let secret = try #require(home.secret)
        let proof = try #require(Bytes32(secret.proof(over: binding, by: hidden)))
        let sign = HouseholdSign(mark: RandomNumbers.bytes32(), proof: proof)
        let introduction = HouseholdIntroduction(sign: sign).encoded()
        let first = meetings.receive(introduction: ByteBuffer(bytes: introduction), from: 1, at: 0, now: start).first
        guard case .standing(1, .member)? = first else { Issue.record("\(String(describing: first))"); return }
        var smaller = home
        try smaller.remove(keys[1].signingKey, by: keys[0])
        let actions = try meetings.adopt(smaller, now: start)
        #expect(actions.contains { if case .standing(1, .stranger) = $0 { true } else { false } }, "\(actions)")
    }

    /// A process in open mode becomes a member's: those whom the household has are no strangers to it for a moment.
    @Test func membersAreKnownBeforeTheHouseholdIs() throws {
        let home = try household(0..<2)
        var meetings = HouseholdMeetings<Int>(keys: keys[0], household: nil)
        _ = meetings.open(1, remoteKey: keys[1].key, binding: ChannelBinding(RandomNumbers.bytes32()))
        _ = meetings.receive(introduction: ByteBuffer(), from: 1, at: 0, now: start)
        let actions = try meetings.adopt(home, now: start)
        guard case .standing(1, .member)? = actions.first, case .changed? = actions.dropFirst().first else {
            Issue.record("\(actions)")
            return
        }
        let farewell = try meetings.adopt(nil, now: start)
        guard case .changed? = farewell.first, case .standing(1, .stranger)? = farewell.last else {
            Issue.record("\(farewell)")
            return
        }
    }

    @Test func anIntroductionCountsOnce() throws {
        let home = try household(0..<2)
        var meetings = HouseholdMeetings<Int>(keys: keys[0], household: home)
        _ = meetings.open(1, remoteKey: keys[3].key, binding: ChannelBinding(RandomNumbers.bytes32()))
        #expect(meetings.receive(introduction: ByteBuffer(), from: 1, at: 0, now: start).count == 1)
        #expect(meetings.receive(introduction: ByteBuffer(), from: 1, at: 0, now: start).isEmpty)
        meetings.close(1)
        #expect(meetings.receive(introduction: ByteBuffer(), from: 1, at: 0, now: start).isEmpty)
    }

    @Test(arguments: [0, 1, 63, 64, 200]) func introductionsOfAnyLengthAreRead(byteCount: Int) throws {
        var meetings = HouseholdMeetings<Int>(keys: keys[0], household: try household(0..<2))
        _ = meetings.open(1, remoteKey: keys[3].key, binding: ChannelBinding(RandomNumbers.bytes32()))
        let actions = meetings.receive(
            introduction: ByteBuffer(bytes: (0..<byteCount).map { _ in UInt8.random(in: 0...255) }), from: 1, at: 0,
            now: start)
        guard case .standing(1, .stranger)? = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
    }
}
