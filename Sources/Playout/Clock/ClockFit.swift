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
        } else {
            latestExcess = max(latestExcess, excess)
        }
        count += 1
    }

    mutating func reset() {
        let spread = min(latestExcess - earliestExcess, 0.01)
        meanSpread += (spread - meanSpread) / 16
        count = 0
    }
}

/// What is known of the slope before any point: it stands for the residual's growth in seconds a second.
struct RatePrior: BitwiseCopyable {
    var slope: Double
    var deviation: Double

    static let unknown = 300e-6
    static let remembered = 5e-6
    /// Sound cards beyond this are no sound cards.
    static let limitPPM = 1_200.0

    var isTight: Bool { deviation < 10e-6 }
}

/// The weighted fit of a line to points; see ``DACClockModel`` for the reasoning.
struct ClockFit: BitwiseCopyable {
    private(set) var slope: Double
    private(set) var centre = 0.0
    private(set) var centreResidual = 0.0
    /// Mean distance of the points from the line, outliers clipped.
    private(set) var scale = 100e-6
    private(set) var offsetVariance = 1e-6
    private(set) var slopeDeviation = 300e-6
    private var isSettled = false

    init(slope: Double) { self.slope = slope }

    func residual(at time: Double) -> Double { centreResidual + slope * (time - centre) }

    /// One step of the iteration: weights from the present line, then a new line.
    mutating func refine(
        points: UnsafeMutablePointer<ClockPoint>, head: Int, count: Int, mask: Int, prior: RatePrior
    ) {
        guard count > 0 else { return }
        let lateWeight = max(0.02, 1 / (2 + Double(count) / 8))
        var sums = WeightedSums(origin: points[head].time)
        var clipped = 0.0
        let near = 3 * scale + 1e-6
        let far = 10 * scale + 50e-6
        for index in 0..<count {
            let point = points[(head + index) & mask]
            let excess = point.residual - residual(at: point.time)
            let distance = abs(excess)
            clipped += min(distance, near)
            guard !isSettled || distance < far else { continue }
            var weight = excess > 0 ? lateWeight : 1
            if isSettled, distance > near { weight *= near / distance }
            sums.add(point, weight: weight, excess: isSettled ? excess : 0)
        }
        // With no point left near the line, it stays where it was until the step is recognised.
        guard sums.weight > 0 else { return }
        solve(sums, prior: prior)
        if isSettled { scale = max(clipped / Double(count), 0.1e-6) }
        isSettled = true
    }

    private mutating func solve(_ sums: WeightedSums, prior: RatePrior) {
        let noise = 5e-6
        let stiffness = noise * noise / (prior.deviation * prior.deviation)
        centre = sums.meanTime
        centreResidual = sums.meanResidual
        let limit = RatePrior.limitPPM * 1e-6
        slope = min(limit, max(-limit, (sums.covariance + stiffness * prior.slope) / (sums.timeVariance + stiffness)))
        // Neighbouring points are not independent: quantisation beats slowly against the reading period.
        let variance = max(sums.excessVariance, 0.05e-12) * 4
        offsetVariance = variance / sums.effectiveCount
        slopeDeviation =
            (variance
            / (sums.timeVariance * sums.effectiveCount / sums.weight + variance
                / (prior.deviation * prior.deviation)))
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
