import Glibc

/// Follows the fits without their jumps: what is published changes slowly, as fast as knowledge grows.
struct OffsetSmoother: Sendable {
    static let slowest = 3.0
    /// Seconds after learning began in which every fit is taken as it is.
    static let direct = 0.5
    /// Never further from the fit than so many of its deviations: a path that became better is believed at once.
    static let tolerance = 3.0

    /// The published offset at the last fit, in nanoseconds from the window's origin.
    private(set) var offset = 0.0
    private var slope = 0.0
    private var time: Double?
    private var start = 0.0

    /// Learning begins anew: follow quickly for a while.
    mutating func relearn(now: Double) { start = now }

    /// Moves toward a fit; true if it is further away than `jump` and was taken at once.
    mutating func note(_ fit: EnvelopeFit, now: Double, jump: Double) -> Bool {
        guard let time else {
            start = now
            self.time = now
            offset = fit.offset
            slope = fit.slope
            return false
        }
        let elapsed = max(0, now - time)
        let expected = offset + slope * elapsed
        let difference = fit.offset - expected
        self.time = now
        slope = fit.slope
        if now - start < Self.direct {
            offset = fit.offset
            return now == start ? abs(difference) > jump : false
        }
        let constant = min(Self.slowest, (now - start) / 3)
        offset = expected + difference * (1 - exp(-elapsed / constant))
        let tolerated = Self.tolerance * fit.offsetDeviation
        offset = min(max(offset, fit.offset - tolerated), fit.offset + tolerated)
        return false
    }
}
