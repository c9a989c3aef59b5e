// A sound server's plugin does not know the delay. It extrapolates from the server's last answer, up to 1.5 s old, at a
// rate that it assumes. While a stream is young the result is off by milliseconds, drifts at rates that no sound card
// has, and is corrected in leaps; once ten seconds of answers exist, it is right to a tenth of a millisecond. Such
// readings have hardly any noise, so they look exact, but they err to either side for a second or two at a stretch:
// they have no edge. So the line is a least-squares fit through their middle. It counts one independent reading per
// interval in which they err alike, each with a deviation of a third of a millisecond:
//
// - the prior of the rate outweighs two seconds of readings, and is outweighed by ten;
// - errors are forgotten within some ten seconds.
//
// The first line needs two seconds of readings without leaps, at a rate that a sound card or a server's timer can have.
// Two seconds that fail this are dropped, and the next two tried; after ten seconds the line is taken as it is. The
// clock has stepped only when readings have been elsewhere for two seconds.

/// A least-squares line through guesses.
struct GuessFit: BitwiseCopyable {
    /// Seconds of readings for the first line.
    static let span = 2.0
    /// Seconds after which a line is accepted without further tests.
    static let patience = 10.0
    /// Guesses this far from the line for this long are a step; both in seconds.
    static let step = (distance: 5e-3, duration: 2.0)

    /// Seconds per second. PulseAudio's null sink counts whole microseconds per block, and is 200 ppm off for that
    /// alone.
    private static let steepestSlope = 250e-6
    /// Limit of the readings' root mean square distance from the line, in seconds.
    private static let widest = 0.2e-3
    private static let deviation = 0.3e-3
    private static let near = 0.5e-3
    private static let likenessSeconds = 1.5
    private static let memorySeconds = 8.0

    /// Times are relative to the newest point.
    let fit: ClockFit
    /// Whether a genuine device can have such readings.
    let isBelievable: Bool

    /// - Parameters:
    ///   - points: at least one.
    ///   - line: the previous line, if any. Points far from it have less weight.
    init(_ points: ClockPoints, prior: RatePrior, around line: ClockFit?) {
        let now = points[points.count - 1].time
        let base = points[points.count - 1].residual
        var sums = Sums()
        for index in 0..<points.count {
            let point = points[index]
            let distance = line.map { abs(point.residual - $0.residual(at: point.time)) } ?? 0
            let weight = Self.weight(ofAge: now - point.time) * Self.near / max(Self.near, distance)
            sums.add(time: point.time - now, residual: point.residual - base, weight: weight)
        }
        // Readings that err alike count as one.
        let span = max(now - points[0].time, 1e-3)
        let likeness = max(1, Double(points.count) * Self.likenessSeconds / span)
        let variance = Self.deviation * Self.deviation * likeness
        let known = 1 / (prior.deviation * prior.deviation)
        let precision = sums.timeSquares / variance + known

        var fit = ClockFit(prior: prior)
        fit.slope = (sums.products / variance + prior.slope * known) / precision
        fit.centre = now
        fit.residual = base + sums.residual - fit.slope * sums.time
        fit.slopeDeviation = (1 / precision).squareRoot()
        fit.offsetDeviation = (variance / sums.weight + sums.time * sums.time / precision).squareRoot()
        let free = sums.timeSquares > 0 ? sums.products / sums.timeSquares : 0
        fit.scale = (max(0, sums.residualSquares - free * sums.products) / sums.weight).squareRoot()
        self.fit = fit
        isBelievable = abs(free) < Self.steepestSlope && fit.scale < Self.widest
    }

    private static func weight(ofAge seconds: Double) -> Double {
        let age = seconds / memorySeconds
        return 1 / ((1 + age * age) * (1 + age * age))
    }

    /// Weighted means, and sums of squares about them (West's recurrence, Communications of the ACM 22, 1979).
    private struct Sums: BitwiseCopyable {
        var weight = 0.0
        var time = 0.0
        var residual = 0.0
        var timeSquares = 0.0
        var products = 0.0
        var residualSquares = 0.0

        mutating func add(time newTime: Double, residual newResidual: Double, weight newWeight: Double) {
            weight += newWeight
            let (timeStep, residualStep) = (newTime - time, newResidual - residual)
            time += timeStep * newWeight / weight
            residual += residualStep * newWeight / weight
            timeSquares += newWeight * timeStep * (newTime - time)
            products += newWeight * timeStep * (newResidual - residual)
            residualSquares += newWeight * residualStep * (newResidual - residual)
        }
    }
}
