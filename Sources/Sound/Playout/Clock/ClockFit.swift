import LineFitting

// Data: points (device time, residual). Each lies above the true line by a random delay, never below it, so the
// estimate is the lower edge (lower envelope) of the cloud. ClockSync finds the envelope of its exchanges in the same
// way and explains the reasoning in full.
//
// Estimator: only the density of the delays near zero matters. If it is exponential, with n points and a mean delay q,
// a line under all points has the likelihood exp(h / s): h is its height at the middle of the points, s = q / n the
// spacing of the lowest residuals. Delays from quantisation have a flat density; since s is measured, they are covered
// too. The likelihood is multiplied by a prior on the slope. h is a concave, piecewise linear function of the slope, so
// the most likely slope jumps from corner to corner. The fit is therefore the mean over all slopes, weighted by
// likelihood, which also gives the deviations. Only the convex hull matters. The likelihood is tempered by two because
// neighbouring points are not independent: quantisation beats slowly against the times of the readings.
//
// Crystals wander: an old point is raised by what a random walk of the rate may have added since, and has less weight
// in the middle.
//
// For a delay quantised to a frame (20.8 us at 48 kHz) and read every millisecond, the slope is known to 7 ppm (median)
// after 0.1 s and to 0.7 ppm after 0.3 s, the edge to 0.3 us; read every 5 ms, to 19 and 2.7 ppm, and 1 us. A weighted
// regression over the points near the edge, used earlier, took two to four times as long.

/// The lower edge of a cloud of points, with times relative to its newest point.
struct ClockFit: BitwiseCopyable {
    /// Seconds per second.
    var slope: Double
    /// The edge passes through `residual` at the time `centre`; both in seconds.
    var centre = 0.0
    var residual = 0.0
    /// One standard deviation each.
    var slopeDeviation: Double
    var offsetDeviation = 1e-3
    /// The slope's deviation from the points alone, without the prior.
    var freeSlopeDeviation = RatePrior.none.deviation
    /// Mean distance between neighbours among the lowest residuals.
    var spacing = ClockFit.unknownSpacing
    /// Mean distance of all points from the edge; distances above 10 ms count as 10 ms.
    var scale = 100e-6

    static let unknownSpacing = 20e-6
    /// Slightly more than a frame at 44.1 kHz and above: smaller errors cannot be told from true readings. At lower
    /// rates a frame is longer (31 us at 32 kHz).
    static let glitch = 24e-6

    init(prior: RatePrior) {
        slope = prior.slope
        slopeDeviation = prior.deviation
    }

    func residual(at time: Double) -> Double { residual + slope * (time - centre) }

    /// Readings further below the edge are glitches. A reading one frame lower is not: when a pointer that counts
    /// frames is read at an even pace, its residuals descend in stairs, and all readings of one stair are equal.
    var earlyLimit: Double { 20 * spacing + 4 * offsetDeviation + Self.glitch }
    /// If no reading of a third of a second comes closer than this, the edge has moved.
    var lateLimit: Double { 200 * spacing + 4 * offsetDeviation + 4 * scale + 20e-6 }
}

/// Fits the lower edge, reusing its buffers from one fit to the next.
///
/// Allocates only in `init`. A fit of n points takes about 20 n ns plus some microseconds.
struct ClockFitter: ~Copyable {
    /// How fast a crystal's rate may walk, in seconds per second over the square root of a second.
    private static let wander = 0.02e-6
    /// For the integral of a random walk of the rate: its deviation is the walk's, times this, times age^1.5.
    private static let walkFactor = 0.577
    private static let temper = 2.0
    private static var search: SlopeSearch {
        SlopeSearch(steepest: RatePrior.limitPPM * 1e-6, finest: 1e-9, sectionCount: 40)
    }
    /// A prior further than this many deviations from what the points say is wrong.
    private static let contradiction = 4.0

    /// The change of slope, in spacings at the far end of the points, above which the points are gathered again.
    private static let slopeTolerance = 0.01

    /// The points, raised by possible wander, with times relative to the newest.
    private let lifted: UnsafeMutablePointer<ClockPoint>
    private var hull: LowerHull
    private var lowest: LowestResiduals
    /// Weighted mean time of the points.
    private var middle = 0.0

    /// - Parameter capacity: the largest number of points in a fit.
    init(capacity: Int) {
        lifted = .allocate(capacity: capacity)
        lifted.initialize(repeating: ClockPoint(), count: capacity)
        hull = LowerHull(capacity: capacity)
        lowest = LowestResiduals()
    }

    deinit { lifted.deallocate() }

    /// - Parameters:
    ///   - slope: the starting value, from the previous fit.
    mutating func fit(_ points: ClockPoints, slope start: Double, prior: RatePrior) -> ClockFit {
        var fit = ClockFit(prior: prior)
        guard points.count > 0 else { return fit }
        let now = points[points.count - 1].time
        let span = now - points[0].time
        lift(points, now: now)
        gather(points, slope: start)
        var slope = bestSlope(prior: prior)
        if abs(slope - start) * span > Self.slopeTolerance * lowest.spacing {
            gather(points, slope: slope)
            slope = bestSlope(prior: prior)
        }
        fit = average(around: slope, prior: prior)
        let free = average(around: bestSlope(prior: .none), prior: .none)
        if contradicts(free, prior), points.count >= 8 { fit = free }
        fit.freeSlopeDeviation = free.slopeDeviation
        fit.centre = now
        fit.scale = meanExcess(of: points, over: fit)
        return fit
    }

    // MARK: Points

    private mutating func lift(_ points: ClockPoints, now: Double) {
        for index in 0..<points.count {
            let point = points[index]
            let age = now - point.time
            let lift = Self.wander * Self.walkFactor * age * age.squareRoot()
            lifted[index] = ClockPoint(time: -age, residual: point.residual + lift)
        }
    }

    /// Computes spacing, hull and middle of the points for this slope.
    private mutating func gather(_ points: ClockPoints, slope: Double) {
        lowest.begin(count: points.count)
        for index in 0..<points.count { lowest.insert(lifted[index].residual - slope * lifted[index].time) }
        lowest.end()
        hull.removeAll()
        var weights = 0.0
        var moments = 0.0
        for index in 0..<points.count {
            let point = lifted[index]
            guard point.residual - slope * point.time >= lowest.floor else { continue }
            let weight = 1 / (1 + (point.residual - points[index].residual) / (2 * lowest.spacing))
            weights += weight
            moments += weight * point.time
            hull.append(x: point.time, y: point.residual)
        }
        middle = weights > 0 ? moments / weights : 0
    }

    private func meanExcess(of points: ClockPoints, over fit: ClockFit) -> Double {
        var sum = 0.0
        for index in 0..<points.count {
            let point = points[index]
            sum += min(abs(point.residual - fit.residual(at: point.time)), 0.01)
        }
        return sum / Double(points.count)
    }

    // MARK: Slopes

    /// The log-likelihood, up to a constant, and the present height of the line under the points.
    private func line(_ slope: Double, scale: Double, prior: RatePrior) -> (merit: Double, height: Double) {
        let deviation = (slope - prior.slope) / prior.deviation
        let height = hull.support(slope: slope)
        return ((height + slope * middle) / scale - 0.5 * deviation * deviation, height)
    }

    private func bestSlope(prior: RatePrior) -> Double {
        Self.search.best { line($0, scale: lowest.spacing, prior: prior).merit }
    }

    /// Whether the points contradict a prior that claims to know the slope.
    private func contradicts(_ free: ClockFit, _ prior: RatePrior) -> Bool {
        abs(free.slope - prior.slope) > Self.contradiction * (free.slopeDeviation + prior.deviation)
    }

    /// Mean and deviation of offset and slope over all slopes, weighted by likelihood.
    private func average(around best: Double, prior: RatePrior) -> ClockFit {
        let scale = Self.temper * lowest.spacing
        let average = Self.search.average(around: best) { line($0, scale: scale, prior: prior) }
        var fit = ClockFit(prior: prior)
        fit.slope = average.slope
        fit.slopeDeviation = average.slopeVariance.squareRoot()
        // The lowest residual is expected to miss the edge by one spacing.
        fit.residual = average.height - lowest.spacing
        fit.offsetDeviation = (average.heightVariance + lowest.spacing * lowest.spacing).squareRoot()
        fit.spacing = lowest.spacing
        return fit
    }
}
