/// A reading, or the earliest of a bucket: device time since the first reading at the nominal rate, and how much more
/// host time had passed, both in seconds.
struct ClockPoint: BitwiseCopyable {
    var time = 0.0
    var residual = 0.0
}

/// Readings of some 20 ms, of which the earliest counts.
struct ClockBucket: BitwiseCopyable {
    private(set) var count = 0
    private(set) var begin = 0.0
    private(set) var earliest = ClockPoint()
    private var earliestExcess = 0.0
    private var latestExcess = 0.0
    private var closedCount = 0.0
    /// How far the readings of a bucket lie apart, smoothed over buckets.
    private(set) var meanSpread = 0.0

    mutating func add(_ point: ClockPoint, slope: Double) {
        let excess = point.residual - slope * point.time
        if count == 0 {
            begin = point.time
            earliest = point
            earliestExcess = excess
            latestExcess = excess
        } else if excess < earliestExcess {
            earliest = point
            earliestExcess = excess
        }
        latestExcess = max(latestExcess, excess)
        count += 1
    }

    mutating func reset() {
        closedCount = min(closedCount + 1, 16)
        meanSpread += (min(latestExcess - earliestExcess, 0.01) - meanSpread) / closedCount
        count = 0
    }
}

/// What is known of the slope before any point: it stands for the residual's growth in seconds a second.
struct RatePrior: BitwiseCopyable {
    var slope: Double
    var deviation: Double

    static let unknown = 100e-6
    static let remembered = 5e-6
    /// Sound cards beyond this are no sound cards.
    static let limitPPM = 1_200.0

    var isTight: Bool { deviation < 10e-6 }
}

/// The weighted fit of a line to the lower edge of a cloud of points; see ``DACClockModel`` for the reasoning.
struct ClockFit: BitwiseCopyable {
    private(set) var slope: Double
    private(set) var centre = 0.0
    private(set) var centreResidual = 0.0
    /// Mean distance of all points from the line, outliers clipped.
    private(set) var scale = 100e-6
    /// Points up to here above the line make the edge.
    private(set) var edge = 100e-6
    private(set) var offsetVariance = 1e-6
    private(set) var slopeDeviation = 300e-6
    private var isSettled = false

    private static let thinnestEdge = 1e-6
    /// The pull of a point above the edge, against one at its upper end.
    private static let latePull = 0.02

    init(slope: Double) { self.slope = slope }

    func residual(at time: Double) -> Double { centreResidual + slope * (time - centre) }

    /// Beyond this a point is absurdly late.
    var lateLimit: Double { 10 * scale + 50e-6 }
    /// Beyond this (downwards) a point is absurdly early.
    var earlyLimit: Double { 6 * edge + 3 * scale + 20e-6 }

    /// One step of the iteration: weights from the present line, then a new line.
    mutating func refine(
        points: UnsafeMutablePointer<ClockPoint>, head: Int, count: Int, mask: Int, prior: RatePrior, spread: Double
    ) {
        guard count > 0 else { return }
        var sums = WeightedSums(origin: points[head].time)
        var clipped = 0.0
        var edgeCount = 0
        let near = 3 * scale + 1e-6
        for index in 0..<count {
            let point = points[(head + index) & mask]
            guard isSettled else {
                sums.add(point, weight: 1, excess: 0)
                continue
            }
            let excess = point.residual - residual(at: point.time)
            clipped += min(abs(excess), near)
            if excess < edge { edgeCount += 1 }
            sums.add(point, weight: weight(of: excess), excess: min(excess, edge))
        }
        // With no point left near the line, it stays where it was until the step is recognised.
        if sums.weight > 0 { solve(sums, prior: prior, spread: spread) }
        if isSettled {
            scale = max(clipped / Double(count), 0.1e-6)
            adaptEdge(to: edgeCount, of: count)
        }
        isSettled = true
    }

    private func weight(of excess: Double) -> Double {
        if excess > edge { return excess > lateLimit ? 0 : Self.latePull * edge / excess }
        if excess > -2 * edge { return 1 }
        return excess < -earlyLimit ? 0 : 2 * edge / -excess
    }

    /// The edge is as thick as it must be to hold a twentieth of the points; of few points, it holds more.
    private mutating func adaptEdge(to edgeCount: Int, of count: Int) {
        let wanted = max(0.05 * Double(count), min(0.6 * Double(count), 6))
        if Double(edgeCount) < wanted {
            edge = min(edge * 1.25, 0.01)
        } else if Double(edgeCount) > wanted * 1.2 {
            edge = max(edge * 0.9, Self.thinnestEdge)
        }
    }

    private mutating func solve(_ sums: WeightedSums, prior: RatePrior, spread: Double) {
        // What a single point is worth against the prior; a prior that the points contradict is dropped.
        let noise = 3e-6 + (isSettled ? min(edge, spread / 4) : 0)
        var priorVariance = prior.deviation * prior.deviation
        let pointsVariance = noise * noise / max(sums.timeVariance, 1e-12)
        let contradiction = sums.covariance / max(sums.timeVariance, 1e-12) - prior.slope
        if contradiction * contradiction > 9 * (priorVariance + pointsVariance) {
            priorVariance = RatePrior.limitPPM * RatePrior.limitPPM * 1e-12
        }
        let stiffness = noise * noise / priorVariance
        centre = sums.meanTime
        centreResidual = sums.meanResidual
        let limit = RatePrior.limitPPM * 1e-6
        slope = min(limit, max(-limit, (sums.covariance + stiffness * prior.slope) / (sums.timeVariance + stiffness)))
        // Neighbouring points are not independent: quantisation beats slowly against the reading period.
        let variance = max(sums.excessVariance, 0.05e-12) * 4
        offsetVariance = variance / sums.effectiveCount
        slopeDeviation =
            (variance
            / (sums.timeVariance * sums.effectiveCount / sums.weight + variance / priorVariance))
            .squareRoot()
    }
}

/// Sums for a weighted regression, about the window's first time so that nothing cancels.
private struct WeightedSums: BitwiseCopyable {
    let origin: Double
    private(set) var weight = 0.0
    private var squares = 0.0
    private var t = 0.0
    private var r = 0.0
    private var tt = 0.0
    private var tr = 0.0
    private var ee = 0.0

    init(origin: Double) { self.origin = origin }

    mutating func add(_ point: ClockPoint, weight w: Double, excess: Double) {
        let time = point.time - origin
        weight += w
        squares += w * w
        t += w * time
        r += w * point.residual
        tt += w * time * time
        tr += w * time * point.residual
        ee += w * excess * excess
    }

    var meanTime: Double { origin + t / weight }
    var meanResidual: Double { r / weight }
    var timeVariance: Double { max(0, tt - t * t / weight) }
    var covariance: Double { tr - t * r / weight }
    var excessVariance: Double { ee / weight }
    var effectiveCount: Double { weight * weight / squares }
}
