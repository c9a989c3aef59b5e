import AudioCore
import Cryptography
import NIOCore
import SecureChannel
import Testing

@testable import Households

/// A new machine that meets a member, and shows its invitation.
@Suite(.timeLimit(.minutes(5)))
struct InvitationMeetingTests {
    private let member = PeerKeyPair.random()
    private let new = PeerKeyPair.random()
    private let binding = ChannelBinding(RandomNumbers.bytes32())
    private let end: Int64 = 1_800_000_000

    private func home() throws -> Household { try Household(name: "Home", founder: member, memberName: "Den") }

    /// What the new machine says first.
    private func introduction(_ invitation: [UInt8]) -> ByteBuffer {
        var meetings = HouseholdMeetings<Int>(keys: new, household: nil)
        return ByteBuffer(
            bytes: meetings.open(1, remoteKey: member.key, binding: binding, invitation: invitation))
    }

    private func request(_ invitation: Invitation) throws -> [UInt8] {
        try invitation.request(for: new, name: "Bath", over: binding).encoded()
    }

    /// What a member does about that.
    private func actions(
        _ invitation: [UInt8], _ meetings: inout HouseholdMeetings<Int>, at unixTime: Int64? = nil
    ) -> [HouseholdMeetings<Int>.Action] {
        _ = meetings.open(7, remoteKey: new.key, binding: binding)
        return meetings.receive(
            introduction: introduction(invitation), from: 7, at: unixTime ?? end - 1, now: HostTime(nanoseconds: 0))
    }

    @Test func theMemberLetsItInAndSendsTheDocument() throws {
        let home = try home()
        var meetings = HouseholdMeetings<Int>(keys: member, household: home)
        let invitation = try Invitation(to: home, until: end, by: member)
        var (standings, stored, names, documents): ([PeerStanding], [Household], [String], [SecretBytes]) =
            ([], [], [], [])
        for action in actions(try request(invitation), &meetings) {
            switch action {
            case .standing(7, let standing): standings.append(standing)
            case .send(7, let document): documents.append(document)
            case .store(let household): stored.append(household)
            case .admitted(let name): names.append(name)
            case .standing, .send, .full, .changed: break
            }
        }
        #expect(standings == [.member] && names == ["Bath"] && stored == [meetings.household])
        let document = try #require(documents.first)
        #expect(documents.count == 1)
        let taken = try invitation.household(decoding: document, from: member.key, for: new.key)
        #expect(taken == meetings.household && taken.members.count == 2)
    }

    @Test func otherMembersThatAreThereHearOfIt() throws {
        var home = try home()
        let third = PeerKeyPair.random()
        try home.admit(third.signingKey, name: "Attic", by: member)
        var meetings = HouseholdMeetings<Int>(keys: member, household: home)
        let other = ChannelBinding(RandomNumbers.bytes32())
        var theirs = HouseholdMeetings<Int>(keys: third, household: home)
        let shown = theirs.open(1, remoteKey: member.key, binding: other)
        _ = meetings.open(3, remoteKey: third.key, binding: other)
        _ = meetings.receive(
            introduction: ByteBuffer(bytes: shown), from: 3, at: end - 1, now: HostTime(nanoseconds: 0))
        let invitation = try Invitation(to: home, until: end, by: member)
        let sent = actions(try request(invitation), &meetings).compactMap { action in
            if case .send(let id, _) = action { id } else { nil }
        }
        #expect(sent.sorted() == [3, 7])
    }

    @Test func whatDoesNotHoldMakesAStranger() throws {
        let home = try home()
        let invitation = try Invitation(to: home, until: end, by: member)
        let elsewhere = try invitation.request(
            for: new, name: "Bath", over: ChannelBinding(RandomNumbers.bytes32()))
        let shown = [
            (try request(invitation), end), (elsewhere.encoded(), end - 1), ([1, 2, 3], end - 1), ([], end - 1),
        ]
        for (bytes, time) in shown {
            var meetings = HouseholdMeetings<Int>(keys: member, household: home)
            let actions = actions(bytes, &meetings, at: time)
            try #require(actions.count == 1)
            guard case .standing(7, .stranger) = actions[0] else {
                Issue.record("\(actions)")
                continue
            }
            #expect(meetings.household == home)
        }
    }

    @Test func aFullHouseholdSaysSo() throws {
        var home = try home()
        let invitation = try Invitation(to: home, until: end, by: member)
        for _ in 0..<HouseholdLimits.removalCount {
            try home.remove(PeerKeyPair.random().signingKey, by: member)
        }
        var meetings = HouseholdMeetings<Int>(keys: member, household: home)
        let actions = actions(try request(invitation), &meetings)
        try #require(actions.count == 2)
        guard case .standing(7, .stranger) = actions[0], case .full = actions[1] else {
            Issue.record("\(actions)")
            return
        }
        #expect(meetings.household == home)
    }

    @Test func aMachineInOpenModeLetsNobodyIn() throws {
        let invitation = try Invitation(to: home(), until: end, by: member)
        var meetings = HouseholdMeetings<Int>(keys: .random(), household: nil)
        let actions = actions(try request(invitation), &meetings)
        #expect(actions.count == 1 && meetings.household == nil)
    }
}
