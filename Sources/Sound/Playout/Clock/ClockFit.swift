import LineFitting

// The lower edge of a cloud of points is found as ClockSync finds the envelope of its exchanges; there the reasoning is
// told in full. Points lie above the truth by a delay whose density near zero is what counts. Where it is
// exponential with n points a mean q apart from zero, the likelihood of a line under all points is exp(h / s), with h
// its height at the middle of the points and s = q / n the spacing of the lowest residuals; quantisation, whose density
// is flat, is served as well: the spacing is measured. To it belongs a prior on the slope. h is a concave function of
// the slope with corners, its maximum jumps from corner to corner; so not the most likely line is taken but the mean
// over all slopes, weighted by likelihood, which gives the deviations too. Only the convex hull takes part. The
// likelihood is tempered by two, since neighbouring points are not independent: quantisation beats slowly against the
// times of the readings.
//
// Crystals wander: an old point is lifted by what a random walk of the rate may have done since, and counts less for
// the middle.
//
// Of a card whose delay is quantised to a frame (20.8 us at 48 kHz), read every millisecond, the slope is known
// to 7 ppm (median) after 0.1 s, 0.7 ppm after 0.3 s, and the edge to 0.3 us; read every 5 ms, to 19 and 2.7 ppm
// and 1 us. A weighted regression over the points near the edge, which stood here before, needed two to four times as
// long.

/// Where the lower edge of a cloud of points lies, seen from its newest point.
struct ClockFit: BitwiseCopyable {
    /// Seconds a second.
    var slope: Double
    /// The edge is at `residual` at the time `centre`; both in seconds.
    var centre = 0.0
    var residual = 0.0
    /// One standard deviation each.
    var slopeDeviation: Double
    var offsetDeviation = 1e-3
    /// The slope's deviation as the points alone have it.
    var freeSlopeDeviation = RatePrior.none.deviation
    /// Mean distance of the lowest residuals from each other.
    var spacing = ClockFit.unknownSpacing
    /// Mean distance of all points from the edge; what is more than 10 ms counts as 10 ms.
    var scale = 100e-6

    static let unknownSpacing = 20e-6
    /// More than a frame at any usual rate, and not much more: below it, lies are not told from the truth.
    static let glitch = 24e-6

    init(prior: RatePrior) {
        slope = prior.slope
        slopeDeviation = prior.deviation
    }

    func residual(at time: Double) -> Double { residual + slope * (time - centre) }

    /// Readings further under the edge are glitches. One that is lower by a frame is none: read at an even pace, a
    /// pointer that counts frames goes down in stairs, and all readings of a stair are alike.
    var earlyLimit: Double { 20 * spacing + 4 * offsetDeviation + Self.glitch }
    /// Where no reading of a third of a second comes closer, the edge is elsewhere.
    var lateLimit: Double { 200 * spacing + 4 * offsetDeviation + 4 * scale + 20e-6 }
}

/// Fits the lower edge; keeps its memory from one fit to the next.
///
/// After `init` nothing allocates. A fit of n points takes some 20 n ns and some microseconds more.
struct ClockFitter: ~Copyable {
    /// How fast a crystal's rate may walk: seconds a second, over the root of a second.
    private static let wander = 0.02e-6
    /// Integral of a random walk of the rate: its deviation grows with this times age to the power of 1.5.
    private static let walkFactor = 0.577
    private static let temper = 2.0
    private static var search: SlopeSearch {
        SlopeSearch(steepest: RatePrior.limitPPM * 1e-6, finest: 1e-9, sectionCount: 40)
    }
    /// A prior further from what the points say than so many deviations is wrong.
    private static let contradiction = 4.0

    /// How far the slope may change, in spacings at the far end of the points, before they are looked at anew.
    private static let slopeTolerance = 0.01

    /// The points as far as wander may have lifted them, and their times from the newest.
    private let lifted: UnsafeMutablePointer<ClockPoint>
    private var hull: LowerHull
    private var lowest: LowestResiduals
    /// Mean time of the points, each as far as it counts.
    private var middle = 0.0

    /// - Parameter capacity: the most points that a fit is made of.
    init(capacity: Int) {
        lifted = .allocate(capacity: capacity)
        lifted.initialize(repeating: ClockPoint(), count: capacity)
        hull = LowerHull(capacity: capacity)
        lowest = LowestResiduals()
    }

    deinit { lifted.deallocate() }

    /// - Parameters:
    ///   - slope: where to begin, from the fit before.
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

    /// Makes spacing, hull and middle of the points as seen with this slope.
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

    /// The likelihood's logarithm, but for a constant, and the height now, of the line under the points.
    private func line(_ slope: Double, scale: Double, prior: RatePrior) -> (merit: Double, height: Double) {
        let deviation = (slope - prior.slope) / prior.deviation
        let height = hull.support(slope: slope)
        return ((height + slope * middle) / scale - 0.5 * deviation * deviation, height)
    }

    private func bestSlope(prior: RatePrior) -> Double {
        Self.search.best { line($0, scale: lowest.spacing, prior: prior).merit }
    }

    /// Whether the points put the slope elsewhere than a prior that claims to know.
    private func contradicts(_ free: ClockFit, _ prior: RatePrior) -> Bool {
        abs(free.slope - prior.slope) > Self.contradiction * (free.slopeDeviation + prior.deviation)
    }

    /// Mean and deviation of offset and slope over all slopes, each weighted by its likelihood.
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
