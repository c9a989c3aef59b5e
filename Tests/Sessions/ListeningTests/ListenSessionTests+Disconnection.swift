import AudioCore
import ClockSync
import Listening
import Peering
import Playout
import Testing
import WireProtocol

extension ListenSessionTests {
    @Test func aBroadcasterThatFallsSilentIsMissedWithinThreeSeconds() {
        var listener = playing()
        listener.wait(.milliseconds(2_900))
        #expect(listener.notices.contains(.lost("Attic", .forABroadcast(playsOn: true))))
        #expect(listener.closed == [1])
        // The 100 ms that were held are over long since.
        #expect(listener.session.broadcasterName == nil)
    }

    @Test func aBroadcasterThatReturnsGoesOnWithoutANewBeginning() {
        var listener = playing()
        for frame in 2..<100 { listener.packet(1, at: Int64(frame) * 400) }
        listener.handle(.closed(ConnectionID(1)))
        listener.meet(2, name: "Attic", instance: 1)
        listener.stream(2, from: 4_000)
        #expect(listener.begun.count == 1)
        #expect(listener.silenceCount == 0)
        #expect(listener.notices.last == .back("Attic", after: .zero))
    }

    @Test func aSleepVoidsTheClockAndHoldsTheSoundUntilItIsKnownAnew() throws {
        var listener = playing()
        let (timelines, stale) = (listener.timelines.count, listener.now)
        listener.handle(.machineDidSleep(for: .milliseconds(61_260)))
        #expect(listener.notices.last == .slept(.milliseconds(61_260), broadcaster: "Attic"))
        #expect(listener.holdCount == 1)
        #expect(listener.actions.contains { if case .restartClock = $0 { true } else { false } })
        #expect(listener.session.sessionTime(at: listener.now) == nil)
        // An estimate from before the sleep was on its way.
        listener.wait(.milliseconds(20))
        listener.estimateClock(at: stale - .milliseconds(1))
        #expect(listener.timelines.count == timelines)
        listener.estimateClock()
        #expect(listener.timelines.count == timelines + 1)
        #expect(listener.silenceCount == 0)
        listener.wait(.seconds(2))
        #expect(!listener.notices.contains(.clockUnanswered("Attic")))
    }

    /// A broken connection changes no crystal: the new exchange begins with the rate that the old one knew.
    @Test func aRateOutlivesItsConnection() {
        var listener = playing()
        listener.handle(.closed(ConnectionID(1)))
        listener.meet(2, name: "Attic", instance: 1)
        listener.meet(3, name: "Cellar")
        let priors = listener.actions.compactMap { action -> SkewPrior?? in
            if case .startClock(_, _, _, _, let prior) = action { .some(prior) } else { nil }
        }
        // Known within four deviations to 1 ppm; a crystal wanders by half a ppm.
        #expect(priors == [nil, SkewPrior(skew: .zero, deviation: PartsPerMillion(0.5))])
    }

    /// Replies that stand in a queue mislead an exchange that begins beside them: what was known before goes on until
    /// the new exchange knows it better.
    @Test(arguments: [true, false]) func aClockOutlivesItsConnection(isBackSoon: Bool) throws {
        var listener = playing()
        listener.handle(.closed(ConnectionID(1)))
        if !isBackSoon { listener.wait(.seconds(5)) }
        listener.meet(2, name: "Attic", instance: 1)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        listener.estimateClock(offBy: .milliseconds(100), bound: .milliseconds(50), roundTrip: .milliseconds(300))
        var known = try #require(listener.session.sessionTime(at: listener.now))
        #expect(known.nanoseconds == (listener.now + .seconds(1)).nanoseconds)
        listener.estimateClock(offBy: .microseconds(7), bound: .microseconds(3))
        known = try #require(listener.session.sessionTime(at: listener.now))
        #expect(known.nanoseconds == (listener.now + .seconds(1) + .microseconds(7)).nanoseconds)
        // From now on whatever the new exchange says.
        listener.estimateClock(offBy: .milliseconds(1), bound: .milliseconds(50))
        known = try #require(listener.session.sessionTime(at: listener.now))
        #expect(known.nanoseconds == (listener.now + .seconds(1) + .milliseconds(1)).nanoseconds)
    }

    /// Its machine was started anew, or slept.
    @Test func aClockThatIsAnotherIsNotBelieved() throws {
        var listener = playing()
        listener.handle(.closed(ConnectionID(1)))
        listener.meet(2, name: "Attic", instance: 1)
        listener.estimateClock(offBy: .milliseconds(-250), bound: .milliseconds(50), roundTrip: .milliseconds(300))
        let known = try #require(listener.session.sessionTime(at: listener.now))
        #expect(known.nanoseconds == (listener.now + .seconds(1) - .milliseconds(250)).nanoseconds)
    }

    /// 800 frames had come; the broadcaster goes on with frame 4,000, 0.4 s behind them.
    @Test func whatIsMissingAfterAConnectionBrokeIsTold() {
        var listener = playing()
        listener.handle(.closed(ConnectionID(1)))
        listener.meet(2, name: "Attic", instance: 1)
        listener.stream(2, from: 4_000)
        #expect(listener.notices.last == .songLost(.milliseconds(400), broadcaster: "Attic"))
    }

    @Test func whatWasHeldWhileAConnectionWasBrokenIsNotLost() {
        var listener = playing()
        listener.handle(.closed(ConnectionID(1)))
        listener.meet(2, name: "Attic", instance: 1)
        listener.stream(2, from: 800)
        #expect(!listener.notices.contains { if case .songLost = $0 { true } else { false } })
    }

    /// What waits in the other side's socket would come before what the next connection brings.
    @Test func aConnectionThatFellSilentIsNotReadToItsEnd() {
        var listener = playing()
        listener.wait(PeeringLimits.silenceTimeout + .milliseconds(20))
        let aborted = listener.actions.contains { if case .abort(ConnectionID(1)) = $0 { true } else { false } }
        #expect(aborted)
    }

    @Test func whoWakesWithoutItsBroadcasterWaitsForIt() throws {
        var listener = playing { $0.once = true }
        listener.handle(.machineDidSleep(for: .seconds(60)))
        listener.handle(.closed(ConnectionID(1)))
        #expect(listener.notices.last == .lost("Attic", .forABroadcast(playsOn: false)))
        listener.wait(ListenLimits.wakingPatience - .seconds(1))
        #expect(listener.outcome == nil)
        listener.meet(2, name: "Attic", instance: 1)
        #expect(listener.notices.last == .back("Attic", after: .seconds(9)))
        let timelines = listener.timelines.count
        listener.estimateClock()
        #expect(listener.timelines.count == timelines + 1)
    }

    @Test func whoWakesAndIsNotFoundAgainGivesUp() {
        var listener = playing { $0.once = true }
        listener.handle(.machineDidSleep(for: .seconds(60)))
        listener.handle(.closed(ConnectionID(1)))
        listener.wait(ListenLimits.wakingPatience + .milliseconds(100))
        #expect(listener.outcome == .failed(.lost("Attic")))
    }

    @Test func aSleepWithoutABroadcastChangesNothing() {
        var listener = ScriptedListener()
        listener.handle(.machineDidSleep(for: .seconds(60)))
        #expect(listener.notices.isEmpty && listener.actions.isEmpty)
    }
}
