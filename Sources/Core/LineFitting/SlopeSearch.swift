import Glibc

// How steep is the line under (or between) clouds of points? The merit of a slope is its log-likelihood up to a
// constant. It is concave with corners, and its maximum jumps from corner to corner as points come and go. So the most
// likely slope only shows where to look. The result is the likelihood-weighted mean over all slopes, which moves
// smoothly and gives the deviations as well.

/// Finds the slope of greatest merit, and averages over the slopes around it.
///
/// Works in any units. Does not allocate, lock or retain: as safe on a real-time thread as the closures passed to it.
public struct SlopeSearch: Sendable, BitwiseCopyable {
    /// The steepest slope considered, up or down.
    @usableFromInline let steepest: Double
    /// Distance from the best slope at which the search for the edges of the average starts.
    @usableFromInline let finest: Double
    /// Golden sections; each reduces the range to 0.618 of it.
    @usableFromInline let sectionCount: Int

    /// Number of slopes averaged, minus one.
    @usableFromInline static var gridCount: Int { 24 }
    /// Slopes whose merit is lower than the best by more than this are ignored.
    @usableFromInline static var edgeFall: Double { 6 }
    /// A slope whose merit is higher by this much shows that the supposed best is not the best.
    @usableFromInline static var largestRise: Double { 30 }

    @inlinable public init(steepest: Double, finest: Double, sectionCount: Int) {
        self.steepest = steepest
        self.finest = finest
        self.sectionCount = sectionCount
    }

    /// Finds the slope of greatest merit by golden section; the merit must be concave.
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

    /// Returns likelihood-weighted means and variances of the slope and of its height.
    /// - Parameters:
    ///   - best: the slope of greatest merit, by this merit or a similar one.
    ///   - line: returns merit and height of the line with a given slope.
    @inlinable public func average(
        around best: Double, _ line: (Double) -> (merit: Double, height: Double)
    ) -> SlopeAverage {
        if let average = average(near: best, line) { return average }
        let best = self.best { line($0).merit }
        return average(near: best, line)
            ?? SlopeAverage(slope: best, slopeVariance: 0, height: line(best).height, heightVariance: 0)
    }

    /// Returns nil if some other slope is far better: the weights would overflow.
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

    /// Returns the slope beyond which the merit is too low to count.
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

/// The result of ``SlopeSearch``.
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
