import AudioCore
import ClockSync
import Listening
import NIOCore
import Testing
import WireProtocol

/// The clock over the broadcast's own connection, where UDP is silent.
@Suite(.timeLimit(.minutes(5))) struct StreamClockTests {
    private static let blocked = ListenNotice.clockPath("Attic", .tcp)

    @Test func whileUDPAnswersNothingIsAskedOverTheConnection() {
        var rig = Rig()
        rig.run(.seconds(6))
        #expect(rig.requestCount == 0)
        #expect(rig.listener.notices == [.joined("Attic")])
    }

    @Test func afterHalfASecondOfSilenceTheConnectionIsAskedAndTheMusicPlaced() throws {
        var rig = Rig()
        rig.hasDatagrams = false
        // It was asked by UDP since its welcome, before it was chosen.
        rig.run(.milliseconds(480) - ListenLimits.choiceTime)
        #expect(rig.requestCount == 0)
        #expect(rig.listener.timelines.isEmpty)
        rig.run(.milliseconds(700))
        #expect(rig.requestCount > 10)
        #expect(try #require(rig.error) < .milliseconds(1) + .microseconds(50))
        #expect(rig.listener.notices.filter { $0 == Self.blocked }.count == 1)
        rig.run(.seconds(3))
        #expect(rig.listener.notices == [.joined("Attic"), Self.blocked])
    }

    /// The reply takes 2 ms longer than the request: the estimate is wrong by 1 ms, which no exchange can see.
    @Test func thePublishedBoundHoldsWhateverTheQueuesAreLike() throws {
        var rig = Rig()
        rig.hasDatagrams = false
        rig.run(.seconds(4))
        let error = try #require(rig.error)
        #expect(error > .microseconds(900))
        let timing = try #require(rig.listener.session.currentReport(rig.listener.now)?.timing)
        #expect(timing.errorBound >= error)
        #expect(timing.errorBound < timing.roundTrip)
        #expect(timing.roundTrip == .milliseconds(4))
    }

    @Test func theRateGoesDownToAFewASecond() {
        var rig = Rig()
        rig.hasDatagrams = false
        rig.run(.seconds(60))
        let before = rig.requestCount
        rig.run(.seconds(10))
        #expect(rig.requestCount - before <= 90)
    }

    @Test func whatUDPTaughtGoesOnForAWhile() throws {
        var rig = Rig()
        rig.run(.seconds(5))
        rig.hasDatagrams = false
        rig.run(.milliseconds(2_900))
        #expect(rig.requestCount == 0)
        rig.run(.seconds(10))
        #expect(rig.requestCount > 10)
        #expect(try #require(rig.error) < .microseconds(1))
        #expect(!rig.listener.notices.contains(Self.blocked))
        rig.run(.seconds(10))
        #expect(try #require(rig.error) > .microseconds(900))
        #expect(rig.listener.notices.contains(Self.blocked))
    }

    /// It looks about twice a second then, and does not take that for a sleep.
    @Test func aListenerThatLooksSeldomMissesUDPTheSame() {
        var rig = Rig()
        rig.run(.seconds(5))
        rig.hasDatagrams = false
        rig.run(.seconds(4), lookingEvery: .milliseconds(620))
        #expect(rig.requestCount > 0)
    }

    @Test func aStepThatUDPCannotTellOfIsFollowed() throws {
        var rig = Rig()
        rig.run(.seconds(5))
        rig.hasDatagrams = false
        rig.ahead += .seconds(30)
        rig.run(.seconds(5))
        #expect(try #require(rig.error) < .milliseconds(2))
    }

    @Test func whenUDPAnswersItIsUsedAgainAndTheConnectionIsLeftInPeace() throws {
        var rig = Rig()
        rig.hasDatagrams = false
        rig.run(.seconds(4))
        rig.hasDatagrams = true
        rig.run(.milliseconds(500))
        #expect(try #require(rig.error) < .microseconds(1))
        let count = rig.requestCount
        rig.run(.seconds(5))
        #expect(rig.requestCount == count)
        #expect(rig.listener.notices == [.joined("Attic"), Self.blocked, .clockPath("Attic", .udp)])
        rig.hasDatagrams = false
        rig.run(.seconds(25))
        #expect(rig.requestCount > count)
        // The broadcaster took the later requests too: their numbers went on.
        #expect(try #require(rig.error) > .microseconds(900))
    }

    @Test func aBroadcasterThatDoesNotKnowTheMessageIsMissedAsEver() {
        var rig = Rig()
        rig.hasDatagrams = false
        rig.answers = false
        rig.run(.milliseconds(2_100))
        #expect(rig.requestCount > 0)
        #expect(rig.listener.timelines.isEmpty)
        #expect(rig.listener.notices.last == .clockUnanswered("Attic"))
    }

    @Test func aSuspendedListenerDoesNotTakeItsOwnSleepForSilence() {
        var rig = Rig()
        rig.run(.seconds(5))
        rig.listener.now += .milliseconds(2_400)
        rig.hasDatagrams = false
        rig.run(.milliseconds(1_000))
        #expect(rig.requestCount == 0)
    }

    @Test func afterASleepTheConnectionIsAskedAnew() throws {
        var rig = Rig()
        rig.hasDatagrams = false
        rig.run(.seconds(4))
        rig.ahead += .seconds(1)
        rig.listener.handle(.machineDidSleep(for: .seconds(1)))
        #expect(rig.listener.session.sessionTime(at: rig.listener.now) == nil)
        let timelines = rig.listener.timelines.count
        rig.run(.milliseconds(2_500))
        #expect(rig.listener.timelines.count > timelines)
        #expect(try #require(rig.error) < .milliseconds(2))
    }

    @Test func datagramsThatWereNotAskedForAreIgnored() {
        var rig = Rig()
        rig.run(.seconds(1))
        let timelines = rig.listener.timelines
        rig.listener.say(WireEncoder.clock([UInt8](repeating: 1, count: 64)), 1)
        #expect(rig.listener.timelines == timelines)
        #expect(rig.listener.closed == [])
    }
}

/// A listener in a broadcast whose clock is 1 s ahead; over the connection a request takes 1 ms, the reply 3.
private struct Rig {
    var listener: ScriptedListener
    /// Whether UDP gets through: exact estimates then.
    var hasDatagrams = true
    /// Whether the broadcaster answers over the connection.
    var answers = true
    var ahead = TimeSpan.seconds(1)
    private(set) var requestCount = 0
    private var responder = ClockResponder()
    private var seen = 0
    /// Session time of frame 0.
    private let start: SessionTime

    init() {
        var listener = ScriptedListener()
        responder.register(ClockKey(identifier: Self.word, secret0: Self.word, secret1: Self.word))
        listener.meet(1, name: "Attic")
        for _ in 0..<50 where listener.session.broadcasterName == nil { listener.wait(.milliseconds(20)) }
        listener.stream(1)
        listener.packet(1, at: 0)
        start = SessionTime(nanoseconds: (listener.now + .milliseconds(1_250)).nanoseconds)
        listener.anchor(1, in: .milliseconds(250))
        listener.sound(.playing)
        self.listener = listener
    }

    /// Of the key that the script welcomes with.
    private static let word: UInt64 = 0x0909_0909_0909_0909

    /// How far what is played now is from what is due; nil while nothing is placed.
    var error: TimeSpan? {
        guard let timeline = listener.timelines.last else { return nil }
        let due = SessionTime(nanoseconds: (listener.now + ahead).nanoseconds) - start
        let placed = timeline.position(at: listener.now).frames / ScriptedListener.rate
        return (TimeSpan(seconds: placed) - due).magnitude
    }

    mutating func run(_ span: TimeSpan, lookingEvery interval: TimeSpan = .milliseconds(20)) {
        let end = listener.now + span
        while listener.now < end {
            if hasDatagrams { listener.estimateClock() }
            listener.say(WireEncoder.keepAlive(), 1)
            listener.now += interval
            listener.handle(.tick)
            answer()
        }
    }

    private mutating func answer() {
        let fresh = listener.actions[seen...]
        seen = listener.actions.count
        for case .sendClock(_, let request) in fresh {
            requestCount += 1
            listener.handle(.sentClock(sequence: request.sequence, at: listener.now))
            let arrival = SessionTime(nanoseconds: (listener.now + ahead + .milliseconds(1)).nanoseconds)
            guard answers, let reply = responder.receive(request.bytes, at: arrival) else { continue }
            listener.now += .milliseconds(4)
            listener.say(WireEncoder.clock(reply.bytes(transmit: arrival)), 1)
        }
    }
}
