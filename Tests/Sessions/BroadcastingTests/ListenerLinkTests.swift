import AudioCore
import ClockSync
import Peering
import Testing
import WireProtocol

@testable import Broadcasting

/// The stages of a connection, and its socket.
@Suite(.timeLimit(.minutes(5)))
struct ListenerLinkTests {
    private static let key = ClockKey(identifier: 1, secret0: 2, secret1: 3)

    private func time(_ seconds: Double) -> HostTime { HostTime(nanoseconds: Int64(seconds * 1e9)) }

    private func link(codecs: [Codec] = [.linearPCM]) -> ListenerLink {
        var connection = PeerConnection(direction: .accepted, address: "10.0.0.1", now: time(0))
        var greeting = ScriptedBroadcast.greeting
        greeting.codecs = codecs
        _ = try? connection.receive(WireEncoder.greeting(greeting), now: time(0))
        return ListenerLink(ConnectionID(1), connection: connection, key: Self.key, now: time(0))
    }

    private var plan: FeedingPlan {
        FeedingPlan(tracks: [FeedingPlan.Track(SongFixture.track(seconds: 2), time(0))], horizon: .seconds(10))
    }

    private func report(_ state: ListenerState) -> ListenerReport {
        ListenerReport(state: state, epoch: Epoch(1), received: .zero, buffered: .zero)
    }

    @Test func aStrangerBecomesAMemberAndNothingElse() {
        let link = link()
        #expect(link.isStranger && link.form(for: .linearPCM) == nil && link.next(plan, now: time(0)) == nil)
        link.note(report(.ready), plan, now: time(0))
        #expect(link.report == nil)
        link.admit(shownAs: 1, now: time(0))
        link.admitAsObserver()
        link.admit(shownAs: 1, now: time(0))
        #expect(
            link.isMember && link.form(for: .mpegLayer3) == .linearPCM && link.form(for: .linearPCM) == .original
                && !link.isObserver && !link.isRosterDue(time(9)))
        #expect(link.standing == .member(isReady: false, hasFinished: false))
        link.note(report(.ready), plan, now: time(0))
        #expect(link.standing == .member(isReady: true, hasFinished: false))
        link.note(report(.finished), plan, now: time(0))
        #expect(link.hasFinished(Epoch(1)) && !link.hasFinished(Epoch(2)))
    }

    @Test func anObserverIsToldOnceASecondWhileItReads() {
        let link = link()
        link.admitAsObserver()
        link.admit(shownAs: 1, now: time(0))
        #expect(link.isObserver && link.next(plan, now: time(0)) == nil)
        #expect(link.isRosterDue(time(0)))
        link.noteRoster(time(0))
        link.noteSent(100, time(0))
        #expect(!link.isRosterDue(time(0.9)) && !link.isRosterDue(time(1)))
        #expect(!link.noteWritten(100, time(1)))
        #expect(link.isRosterDue(time(1)))
    }

    @Test func aMemberIsFed() {
        let link = link()
        link.admit(shownAs: 1, now: time(0))
        #expect(!link.isAnnounced(Epoch(1)))
        #expect(link.next(plan, now: time(0))?.messages.isEmpty == false)
        #expect(link.isAnnounced(Epoch(1)))
    }

    @Test func aSocketThatTakesNothingIsStalled() {
        let link = link()
        #expect(!link.isStalled(time(60)))
        link.noteSent(10, time(60))
        link.noteSent(10, time(64))
        #expect(!link.isStalled(time(65)) && link.isStalled(time(65.1)))
        #expect(!link.noteWritten(10, time(65.1)))
        #expect(!link.isStalled(time(70)))
        // This process did not run meanwhile.
        link.discount(.seconds(30), time(95.2))
        #expect(!link.isStalled(time(100)) && link.isStalled(time(100.2)))
        #expect(!link.noteWritten(10, time(101)))
        #expect(!link.isStalled(time(200)))
    }

    @Test func whatTheSocketTakesMattersOnceThereWasNoRoom() {
        let link = link()
        link.noteSent(BroadcastLimits.bytesInFlight + 10, time(0))
        #expect(!link.noteWritten(10, time(1)) && link.noteWritten(10, time(1)) && !link.noteWritten(10, time(1)))
    }

    @Test func theClockIsAnsweredAMemberThatReads() {
        func request(_ sequence: UInt32) -> [UInt8] {
            ClockDatagram(kind: .request, keyIdentifier: 1, sequence: sequence, cookie: 5).encoded(under: Self.key)
        }
        let link = link()
        #expect(link.answerClock(request(1), now: time(0)) == nil)
        link.admit(shownAs: 1, now: time(0))
        #expect(link.answerClock(request(1), now: time(0)) != nil && link.clockReplyCount == 1)
        link.noteSent(BroadcastLimits.answeredBytesInFlight, time(0))
        #expect(link.answerClock(request(2), now: time(0)) == nil)
    }
}
