import Glibc
import LineFitting

/// Offset and slope between the two envelopes of a set of exchanges, as seen at one moment.
struct EnvelopeFit: Sendable, BitwiseCopyable {
    /// Offset at that moment, in nanoseconds from the window's origin.
    var offset: Double
    /// Nanoseconds per second.
    var slope: Double
    /// One standard deviation of offset and slope.
    var offsetDeviation: Double
    var slopeDeviation: Double
    /// Heights of the envelopes at that moment: offset plus forward delay, offset minus backward delay.
    var upper: Double
    var lower: Double
    /// By how much the lowest exchange is expected to miss its envelope, each way: the mean spacing of the lowest
    /// residuals.
    var upperSpacing: Double
    var lowerSpacing: Double
}

/// A point of an envelope: seconds relative to now, and an offset in nanoseconds.
struct EnvelopePoint: Sendable, BitwiseCopyable {
    var x: Double
    var y: Double
}

/// Fits envelopes to samples. See ``ClockEstimator`` for the reasoning.
struct EnvelopeFitter: ~Copyable {
    /// A slope believed before any exchange.
    struct Prior: Sendable {
        var slope: Double
        var deviation: Double

        /// For two crystals that have never met, and for clocks that are no crystals.
        private static let stranger = Prior(slope: 0, deviation: SkewPrior.unknown.deviation.value * 1e3)
        private static let anything = Prior(slope: 0, deviation: 1_000_000)

        /// Returns the next wider prior after one proved wrong; nil after the last.
        static func wider(than prior: Prior) -> Prior? {
            [stranger, anything].first { $0.deviation > prior.deviation }
        }
    }

    /// No clock is further off: nanoseconds per second.
    static let steepest = 2_500_000.0
    /// The best precision of timestamps, in nanoseconds.
    static let spacingFloor = 40.0
    /// How fast the relative rate of two clocks may walk: ns per second, per root second.
    static let wander = 80.0
    /// Factor for the integral of a random walk of the rate: its deviation is this times the wander and age^1.5.
    static let walkFactor = 0.577
    /// How fast the relative rate may change for long, as while a machine warms up: ns per second, per second. That is
    /// 1 ppm a minute. In the first seconds it is less than the walk allows.
    static let ramp = 1_000.0 / 60
    static let rampStart = 8.0
    /// Divides the log-likelihood: delays are neither exactly exponential nor independent.
    static let temper = 2.0
    /// Deviation of the correction for a path that is busier one way, as a fraction of it.
    static let missedDoubt = 0.3
    private static var search: SlopeSearch { SlopeSearch(steepest: steepest, finest: 1, sectionCount: 44) }

    private var above: [EnvelopePoint] = []
    private var below: [EnvelopePoint] = []
    private var aboveHull: LowerHull
    private var belowHull: LowerHull

    /// Takes samples as points relative to now; older ones are loosened by what the clocks may have wandered.
    /// - Parameter now: seconds since the window's origin.
    init(_ samples: some Collection<EnvelopeSample>, now: Double) {
        aboveHull = LowerHull(capacity: samples.count)
        belowHull = LowerHull(capacity: samples.count)
        above.reserveCapacity(samples.count)
        below.reserveCapacity(samples.count)
        for sample in samples {
            let age = max(0, now - sample.sent)
            let loosened = Self.loosening(age: age)
            let upper = EnvelopePoint(x: sample.sent - now, y: sample.upper + loosened)
            let lower = EnvelopePoint(x: sample.received - now, y: -(sample.lower - loosened))
            above.append(upper)
            below.append(lower)
            aboveHull.append(x: upper.x, y: upper.y)
            belowHull.append(x: lower.x, y: lower.y)
        }
    }

    /// Returns by how much an envelope's point of this age in seconds is loosened, in nanoseconds.
    private static func loosening(age: Double) -> Double {
        let walkedSquared = wander * walkFactor * wander * walkFactor * age * age * age
        let ramping = max(0, age - rampStart)
        let ramped = 0.5 * ramp * ramping * ramping
        return (walkedSquared + ramped * ramped).squareRoot()
    }

    /// Returns the age in seconds at which the walk alone loosens a point by this many nanoseconds.
    static func age(loosenedBy nanoseconds: Double) -> Double { pow(nanoseconds / (wander * walkFactor), 2.0 / 3) }

    /// - Parameter start: the slope to begin with, from the fit before.
    func fit(slope start: Double, prior: Prior) -> EnvelopeFit {
        var slope = start
        var spacing = (upper: 0.0, lower: 0.0)
        for _ in 0..<2 {
            spacing = spacings(slope: slope)
            slope = bestSlope(spacing: spacing, prior: prior)
        }
        spacing = spacings(slope: slope)
        return average(around: slope, spacing: spacing, prior: prior)
    }

    /// Of the line midway between the envelopes at a slope: their distance, in units of how well it is known, less the
    /// prior's objection; and its height now.
    private func line(_ slope: Double, scale: Double, prior: Prior) -> (merit: Double, height: Double) {
        let upper = aboveHull.support(slope: slope)
        let lower = -belowHull.support(slope: -slope)
        let deviation = (slope - prior.slope) / prior.deviation
        return ((upper - lower) / scale - 0.5 * deviation * deviation, 0.5 * (upper + lower))
    }

    private func bestSlope(spacing: (upper: Double, lower: Double), prior: Prior) -> Double {
        let scale = 0.5 * (spacing.upper + spacing.lower)
        return Self.search.best { line($0, scale: scale, prior: prior).merit }
    }

    /// Returns the mean spacing of the lowest residuals on either side.
    private func spacings(slope: Double) -> (upper: Double, lower: Double) {
        (Self.spacing(of: above, slope: slope), Self.spacing(of: below, slope: -slope))
    }

    private static func spacing(of points: [EnvelopePoint], slope: Double) -> Double {
        var lowest = LowestResiduals(of: points.count)
        for point in points { lowest.insert(point.y - slope * point.x) }
        return max(spacingFloor, lowest.spacing ?? spacingFloor)
    }

    /// Returns the likelihood-weighted mean and deviation of offset and slope over all slopes.
    private func average(around best: Double, spacing: (upper: Double, lower: Double), prior: Prior) -> EnvelopeFit {
        let scale = Self.temper * 0.5 * (spacing.upper + spacing.lower)
        let average = Self.search.average(around: best) { line($0, scale: scale, prior: prior) }
        // The lowest residual is expected to miss its envelope by one spacing.
        let missed = 0.5 * (spacing.upper - spacing.lower)
        let spacingVariance = 0.25 * (spacing.upper * spacing.upper + spacing.lower * spacing.lower)
        return EnvelopeFit(
            offset: average.height - missed, slope: average.slope,
            offsetDeviation: (average.heightVariance + spacingVariance).squareRoot() + Self.missedDoubt * abs(missed),
            slopeDeviation: average.slopeVariance.squareRoot(),
            upper: aboveHull.support(slope: average.slope), lower: -belowHull.support(slope: -average.slope),
            upperSpacing: spacing.upper, lowerSpacing: spacing.lower)
    }
}
