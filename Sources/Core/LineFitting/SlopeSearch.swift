import Glibc

// How steep is the line under (or between) clouds of points? The merit of a slope is the logarithm of its likelihood,
// but for a constant. It is concave with corners, and its maximum jumps from corner to corner as points come and go. So
// the most likely slope only tells where to look; what counts is the mean over all slopes, weighted by likelihood,
// which moves smoothly and gives the deviations as well.

/// Finds the slope of most merit, and averages over the slopes around it.
///
/// Works in any units. Allocates nothing, and neither locks nor retains: as safe on a real-time thread as the closures
/// that it is given.
public struct SlopeSearch: Sendable, BitwiseCopyable {
    /// No slope is steeper, up or down.
    @usableFromInline let steepest: Double
    /// How far from the best slope the search for the edges of the average begins.
    @usableFromInline let finest: Double
    /// Golden sections; each leaves 0.618 of the range.
    @usableFromInline let sectionCount: Int

    /// Slopes over which is averaged, less one.
    @usableFromInline static var gridCount: Int { 24 }
    /// Slopes are not worth counting where the merit has fallen by this.
    @usableFromInline static var edgeFall: Double { 6 }
    /// A slope that has so much more merit than the best one says that this is not the best.
    @usableFromInline static var largestRise: Double { 30 }

    @inlinable public init(steepest: Double, finest: Double, sectionCount: Int) {
        self.steepest = steepest
        self.finest = finest
        self.sectionCount = sectionCount
    }

    /// The slope of most merit, which is concave, by golden section.
    @inlinable public func best(_ merit: (Double) -> Double) -> Double {
        let ratio = 0.618_033_988_75
        var low = -steepest
        var high = steepest
        var left = high - ratio * (high - low)
        var right = low + ratio * (high - low)
        var leftMerit = merit(left)
        var rightMerit = merit(right)
        for _ in 0..<sectionCount {
            if leftMerit > rightMerit {
                (high, right, rightMerit) = (right, left, leftMerit)
                left = high - ratio * (high - low)
                leftMerit = merit(left)
            } else {
                (low, left, leftMerit) = (left, right, rightMerit)
                right = low + ratio * (high - low)
                rightMerit = merit(right)
            }
        }
        return 0.5 * (low + high)
    }

    /// Means and variances of the slope, and of a height that goes with it, each slope weighted by its likelihood.
    /// - Parameters:
    ///   - best: the slope of most merit, by this merit or one like it.
    ///   - line: merit and height of the line with a slope.
    @inlinable public func average(
        around best: Double, _ line: (Double) -> (merit: Double, height: Double)
    ) -> SlopeAverage {
        if let average = average(near: best, line) { return average }
        let best = self.best { line($0).merit }
        return average(near: best, line)
            ?? SlopeAverage(slope: best, slopeVariance: 0, height: line(best).height, heightVariance: 0)
    }

    /// Nil where the best slope is another by far: weights would be beyond all numbers.
    @inlinable func average(
        near best: Double, _ line: (Double) -> (merit: Double, height: Double)
    ) -> SlopeAverage? {
        let (top, reference) = line(best)
        let low = edge(from: best, direction: -1, top: top, line)
        let high = edge(from: best, direction: 1, top: top, line)
        var weightSum = 0.0
        var slopeMoments = (0.0, 0.0)
        var heightMoments = (0.0, 0.0)
        for index in 0...Self.gridCount {
            let slope = low + (high - low) * Double(index) / Double(Self.gridCount)
            let (merit, height) = line(slope)
            guard merit - top < Self.largestRise else { return nil }
            let weight = exp(merit - top)
            let rise = height - reference
            weightSum += weight
            slopeMoments.0 += weight * (slope - best)
            slopeMoments.1 += weight * (slope - best) * (slope - best)
            heightMoments.0 += weight * rise
            heightMoments.1 += weight * rise * rise
        }
        let slopeMean = slopeMoments.0 / weightSum
        let heightMean = heightMoments.0 / weightSum
        return SlopeAverage(
            slope: best + slopeMean,
            slopeVariance: max(0, slopeMoments.1 / weightSum - slopeMean * slopeMean),
            height: reference + heightMean,
            heightVariance: max(0, heightMoments.1 / weightSum - heightMean * heightMean))
    }

    /// Where the merit has fallen so far that slopes beyond are not worth counting.
    @inlinable func edge(
        from best: Double, direction: Double, top: Double, _ line: (Double) -> (merit: Double, height: Double)
    ) -> Double {
        let least = top - Self.edgeFall
        var inside = 0.0
        var outside = finest
        while outside < 2 * steepest, line(best + direction * outside).merit > least {
            inside = outside
            outside *= 4
        }
        for _ in 0..<8 {
            let middle = 0.5 * (inside + outside)
            if line(best + direction * middle).merit > least {
                inside = middle
            } else {
                outside = middle
            }
        }
        return best + direction * outside
    }
}

/// What ``SlopeSearch`` finds.
public struct SlopeAverage: Sendable, BitwiseCopyable {
    public var slope: Double
    public var slopeVariance: Double
    public var height: Double
    public var heightVariance: Double

    @inlinable public init(slope: Double, slopeVariance: Double, height: Double, heightVariance: Double) {
        self.slope = slope
        self.slopeVariance = slopeVariance
        self.height = height
        self.heightVariance = heightVariance
    }
}
