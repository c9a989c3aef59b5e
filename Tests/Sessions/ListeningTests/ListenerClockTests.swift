import AudioCore
import ClockSync
import Peering
import Testing
import WireProtocol

@testable import Listening

/// What is known of a broadcaster's clock, from one event to the next.
@Suite(.timeLimit(.minutes(5))) struct ListenerClockTests {
    private static let key = ClockKey(identifier: 9, secret0: 9, secret1: 9)
    private static let attic = UUIDBytes(high: 1, low: 1)
    private static let cellar = UUIDBytes(high: 1, low: 2)

    private var clock = ListenerClock()
    private var now = HostTime(nanoseconds: 9_000_000_000_000)
    private var responder = ClockResponder()

    init() {
        responder.register(Self.key)
        _ = clock.begin(Self.key, of: Self.attic, over: ConnectionID(1), now: now)
    }

    /// The broadcaster's clock is a second ahead, and the estimate wrong by this much.
    private func estimate(
        offBy error: TimeSpan = .zero, bound: TimeSpan = .microseconds(5), at time: HostTime? = nil
    ) -> ClockEstimate {
        let time = time ?? now
        return ClockEstimate(
            mapping: ClockMapping(
                host: time, session: SessionTime(nanoseconds: (time + .seconds(1) + error).nanoseconds), skew: .zero),
            errorBound: bound, asymmetryLimit: .microseconds(40), roundTrip: .microseconds(80),
            skewBound: PartsPerMillion(1), generation: 0)
    }

    private mutating func learn(
        offBy error: TimeSpan = .zero, bound: TimeSpan = .microseconds(5)
    ) -> ListenerClock.Change {
        clock.learn(estimate(offBy: error, bound: bound), anchor: nil, now: now)
    }

    /// Nothing comes by UDP; over the connection a request takes 1 ms, the reply 3.
    /// - Returns: what the answers changed.
    private mutating func askOverConnection(for span: TimeSpan) -> [ListenerClock.Change] {
        var changes: [ListenerClock.Change] = []
        let end = now + span
        while now < end {
            now += .milliseconds(20)
            guard let request = clock.poll(now: now) else { continue }
            clock.didSend(sequence: request.sequence, at: now)
            let arrival = SessionTime(nanoseconds: (now + .seconds(1) + .milliseconds(1)).nanoseconds)
            guard let reply = responder.receive(request.bytes, at: arrival) else { continue }
            now += .milliseconds(4)
            changes.append(clock.receive(reply.bytes(transmit: arrival), anchor: nil, now: now))
        }
        return changes
    }

    /// How far what is known is from the truth; nil where nothing is.
    private var error: TimeSpan? {
        clock.estimate.map {
            ($0.mapping.session(at: now) - SessionTime(nanoseconds: (now + .seconds(1)).nanoseconds)).magnitude
        }
    }

    @Test mutating func atFirstNothingIsKnown() {
        #expect(clock.estimate == nil && !clock.isVoid && clock.connection != nil)
        #expect(learn() == .estimate)
        #expect(error == .zero)
    }

    @Test mutating func whereUDPIsSilentTheConnectionTells() throws {
        let changes = askOverConnection(for: .seconds(4))
        #expect(changes.contains(.path(.connection)) && changes.last == .estimate)
        #expect(changes.count { $0 == .path(.connection) } == 1)
        #expect(try #require(error) < .microseconds(1_050))
    }

    @Test mutating func whatUDPTellsIsTakenWhenItIsAsGood() throws {
        _ = askOverConnection(for: .seconds(4))
        #expect(learn(bound: .seconds(1)) == .nothing)
        #expect(try #require(error) > .microseconds(900))
        #expect(learn() == .path(.datagrams))
        #expect(error == .zero)
    }

    /// UDP fell silent: what it told is nearer the truth, for twenty seconds.
    @Test mutating func whatUDPToldIsExtrapolatedForAWhile() throws {
        #expect(learn() == .estimate)
        let early = askOverConnection(for: .seconds(15))
        #expect(!early.isEmpty && early.allSatisfy { $0 == .nothing })
        #expect(error == .zero)
        let later = askOverConnection(for: .seconds(10))
        #expect(later.contains(.path(.connection)))
        #expect(try #require(error) > .microseconds(900))
    }

    @Test mutating func withoutAConnectionItIsExtrapolatedAndNobodyIsAsked() {
        #expect(learn() == .estimate)
        clock.end()
        now += .seconds(60)
        let request = clock.poll(now: now)
        #expect(clock.connection == nil && request == nil)
        #expect(error == .zero)
        // One of the exchange that is over was on its way.
        #expect(learn(offBy: .milliseconds(1)) == .nothing)
        #expect(error == .zero)
    }

    @Test mutating func aSleepVoidsIt() {
        #expect(learn() == .estimate)
        let stale = estimate()
        now += .milliseconds(1)
        clock.noteSleep(now: now)
        #expect(clock.isVoid && clock.estimate == nil && clock.connection != nil)
        #expect(clock.learn(stale, anchor: nil, now: now) == .nothing)
        #expect(clock.isVoid)
        #expect(learn() == .estimate)
        #expect(!clock.isVoid && error == .zero)
    }

    /// Also where it slept between two broadcasts: what was known before counts for nothing.
    @Test mutating func aSleepBetweenTwoExchangesVoidsWhatIsRemembered() {
        #expect(learn() == .estimate)
        clock.forget()
        clock.noteSleep(now: now)
        clock.forget()
        #expect(!clock.isVoid)
        #expect(clock.begin(Self.key, of: Self.attic, over: ConnectionID(1), now: now) != nil)
        #expect(learn(offBy: .milliseconds(2), bound: .milliseconds(50)) == .estimate)
        #expect(error == .milliseconds(2))
    }

    @Test mutating func aPeerIsKnownAgain() {
        #expect(learn() == .estimate)
        clock.forget()
        #expect(clock.estimate == nil && clock.connection == nil)
        // A crystal keeps its rate; what was known goes on until it is known better.
        let rate = clock.begin(Self.key, of: Self.attic, over: ConnectionID(1), now: now)
        #expect(rate == SkewPrior(skew: .zero, deviation: PartsPerMillion(0.5)))
        #expect(learn(offBy: .milliseconds(100), bound: .milliseconds(200)) == .estimate)
        #expect(error == .zero)
        #expect(learn(offBy: .microseconds(7), bound: .microseconds(3)) == .estimate)
        #expect(error == .microseconds(7))
        #expect(clock.begin(Self.key, of: Self.cellar, over: ConnectionID(2), now: now) == nil)
    }

    @Test mutating func whatMustBeAnotherClockIsNotMixedUp() {
        #expect(learn() == .estimate)
        clock.end()
        _ = clock.begin(Self.key, of: Self.attic, over: ConnectionID(1), now: now)
        #expect(learn(offBy: .milliseconds(-300), bound: .milliseconds(50)) == .estimate)
        #expect(error == .milliseconds(300))
    }
}
