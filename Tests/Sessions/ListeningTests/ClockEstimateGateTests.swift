import AudioCore
import ClockSync
import Testing

@testable import Listening

/// When a clock is known well enough to place a sound by.
@Suite(.timeLimit(.minutes(5))) struct ClockEstimateGateTests {
    /// The first moment at which the estimates pass, in milliseconds; estimates come every 10 ms with these skew bounds
    /// in ppm, the last of them over and over. The song starts at that many milliseconds.
    private func passes(_ bounds: [Double], start: Int? = nil, isOverStream: Bool = false) -> Int? {
        var gate = ClockEstimateGate(isOverStream: isOverStream)
        for step in 0...200 {
            let now = HostTime(nanoseconds: Int64(step) * 10_000_000)
            let bound = bounds[min(step, bounds.count - 1)]
            let estimate = ClockEstimate(
                mapping: ClockMapping(host: now, session: SessionTime(nanoseconds: 0), skew: .zero),
                errorBound: .microseconds(5), asymmetryLimit: .microseconds(50), roundTrip: .microseconds(100),
                skewBound: PartsPerMillion(bound), generation: 0)
            let untilStart = start.map { TimeSpan.milliseconds(Int64($0 - step * 10)) }
            if gate.passes(estimate, untilStart: untilStart, now: now) { return step * 10 }
        }
        return nil
    }

    @Test(arguments: [(50, nil), (28, -100)]) func aBoundMustHold(bound: Double, start: Int?) {
        #expect(passes([200, bound], start: start) == 60)
    }

    /// One that is exceeded again is counted anew.
    @Test(arguments: [(50, nil), (28, -100)]) func aMomentThatPromisesTooMuchIsNoUse(bound: Double, start: Int?) {
        #expect(passes([200, bound - 1, bound - 2, bound + 1, bound], start: start) == 90)
    }

    @Test(arguments: [(25, nil), (14, -100)]) func aRateThatIsRememberedNeedNotBeWaitedFor(bound: Double, start: Int?) {
        #expect(passes([bound], start: start) == 0)
    }

    @Test(arguments: [nil, -100, 1_500]) func afterThePatienceAnyEstimateWillDo(start: Int?) {
        #expect(passes([300], start: start) == 1_000)
    }

    @Test func whoHasWaitedDoesNotMissTheStart() {
        #expect(passes([300], start: 900) == 800)
    }

    @Test func whoHasHardlyWaitedJoinsLate() {
        #expect(passes([300], start: 490) == 1_000)
    }

    @Test func overTheConnectionHalfAsLongIsEnough() {
        #expect(passes([300], start: 490, isOverStream: true) == 390)
        #expect(passes([300], start: 240, isOverStream: true) == 1_000)
    }
}
