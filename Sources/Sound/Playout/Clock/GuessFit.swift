// A sound server's plugin does not know the delay: it reckons it, from what the server told it last, up to a second and
// a half ago, and from what it took the rate to be. While a stream is young that is wrong by milliseconds, at rates
// that no sound card has, and put right by leaps; when ten seconds of the server's answers are there, it is right to a
// tenth of a millisecond. Such readings have hardly any noise, so that they look exact, and err to either side for a
// second or two on end: there is no edge to be found. So the line goes through their middle, by least squares, as if
// there were one reading in the time for which they err alike, and each were off by a third of a millisecond:
//
// - what is known of the rate beforehand counts for more than two seconds of readings, and for less than ten;
// - what was wrong is forgotten within some ten seconds.
//
// There is no line before two seconds of readings make one that goes at a rate that a sound card, or a server's timer,
// can have, and without leaps. Two seconds that make none are dropped, and the next two looked at, for ten seconds;
// then the line is taken as it is. A step of the clock is one only when it has lasted for two seconds.

/// A line through guesses.
struct GuessFit: BitwiseCopyable {
    /// Seconds of readings that the first line takes.
    static let span = 2.0
    /// Seconds until a line is taken as it is.
    static let patience = 10.0
    /// Further from the line, for so long, is a step; both in seconds.
    static let step = (distance: 5e-3, duration: 2.0)

    /// Seconds a second. PulseAudio's null sink, which counts whole microseconds a block, is 200 ppm off by itself.
    private static let steepestSlope = 250e-6
    /// Seconds that readings may be from the line: the root of the mean square.
    private static let widest = 0.2e-3
    private static let deviation = 0.3e-3
    private static let near = 0.5e-3
    private static let likenessSeconds = 1.5
    private static let memorySeconds = 8.0

    /// Seen from the newest point.
    let fit: ClockFit
    /// Whether a device that is what it says may look so.
    let isBelievable: Bool

    /// - Parameters:
    ///   - points: at least one.
    ///   - line: the line before, if there was one. What is far from it counts as if it were nearer.
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
        // As many readings as are not like their neighbours.
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

    /// Weighted means, and squares about them (West's recurrence, Communications of the ACM 22, 1979).
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
