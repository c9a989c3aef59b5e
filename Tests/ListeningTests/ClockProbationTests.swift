import AudioCore
import ClockSync
import Testing

@testable import Listening

/// When a clock is known well enough to place a sound by.
@Suite struct ClockProbationTests {
    /// The first moment at which the estimates pass, in milliseconds; estimates come every 10 ms with these skew bounds
    /// in ppm, the last of them over and over.
    private func passes(_ bounds: [Double], isUnderWay: Bool) -> Int? {
        var probation = ClockProbation()
        for step in 0...200 {
            let now = HostTime(nanoseconds: Int64(step) * 10_000_000)
            let bound = bounds[min(step, bounds.count - 1)]
            let estimate = ClockEstimate(
                mapping: ClockMapping(host: now, session: SessionTime(nanoseconds: 0), skew: .zero),
                errorBound: .microseconds(5), asymmetryLimit: .microseconds(50), roundTrip: .microseconds(100),
                skewBound: PartsPerMillion(bound), generation: 0)
            if probation.passes(estimate, isUnderWay: isUnderWay, now: now) { return step * 10 }
        }
        return nil
    }

    @Test func aStartTakesTheFirstEstimateWithinTheBound() {
        #expect(passes([200, 90, 51, 50], isUnderWay: false) == 30)
    }

    @Test func aJoinersBoundMustHold() {
        #expect(passes([200, 28], isUnderWay: true) == 60)
    }

    /// One that is exceeded again is counted anew.
    @Test func aMomentThatPromisesTooMuchIsNoUse() {
        #expect(passes([200, 27, 26, 40, 28], isUnderWay: true) == 90)
    }

    @Test func aRateThatIsRememberedNeedNotBeWaitedFor() {
        #expect(passes([14], isUnderWay: true) == 0)
    }

    @Test(arguments: [false, true]) func afterThePatienceAnyEstimateWillDo(isUnderWay: Bool) {
        #expect(passes([300], isUnderWay: isUnderWay) == 1_000)
    }
}
