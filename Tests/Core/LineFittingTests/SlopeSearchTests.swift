import LineFitting
import Testing

/// Merits whose mean and deviation are known.
@Suite(.timeLimit(.minutes(5))) struct SlopeSearchTests {
    private let search = SlopeSearch(steepest: 1_000, finest: 1e-3, sectionCount: 44)

    @Test(arguments: [-900.0, -3, 0, 0.02, 250]) func theBestSlopeIsFound(_ peak: Double) {
        #expect(abs(search.best { -abs($0 - peak) } - peak) < 1e-5)
        #expect(abs(search.best { -0.5 * ($0 - peak) * ($0 - peak) } - peak) < 1e-5)
    }

    /// Of a normal distribution, cut off where its logarithm has fallen by six.
    @Test(arguments: [0.01, 1, 40]) func aParabolaGivesItsDeviation(_ deviation: Double) {
        let peak = 12.5
        let merit = { (slope: Double) in -0.5 * (slope - peak) * (slope - peak) / (deviation * deviation) }
        let average = search.average(around: search.best(merit)) { (merit($0), 3 * $0) }
        #expect(abs(average.slope - peak) < 0.01 * deviation)
        #expect(abs(average.slopeVariance.squareRoot() / deviation - 1) < 0.02)
        #expect(abs(average.height - 3 * average.slope) < 1e-9 * peak)
        #expect(abs(average.heightVariance.squareRoot() / average.slopeVariance.squareRoot() - 3) < 1e-6)
    }

    /// Two that know the slope contradict each other; the best one is told by what trusts one of them more.
    @Test(arguments: [1e-4, 0.01, 1]) func theBestSlopeOfAnotherMeritIsNotTrusted(_ deviation: Double) {
        let merit = { (slope: Double) in -0.5 * (slope - 500) * (slope - 500) / (deviation * deviation) }
        let average = search.average(around: -20) { (merit($0), 3 * $0) }
        #expect(abs(average.slope - 500) < max(0.01 * deviation, 1e-5))
        #expect(abs(average.height - 1_500) < max(0.03 * deviation, 3e-5))
        #expect(average.slopeVariance < 1.1 * deviation * deviation)
    }

    /// The mean lies on the side where the likelihood falls more slowly: of two exponentials, theirs.
    @Test func aCornerIsAveragedOverBothSides() {
        let merit = { (slope: Double) in slope < 0 ? 2 * slope : -slope }
        let average = search.average(around: search.best(merit)) { (merit($0), $0) }
        // (1 - 1/4) / (1 + 1/2); the grid is coarse and ends at six.
        #expect(abs(average.slope - 0.5) < 0.06)
    }
}
