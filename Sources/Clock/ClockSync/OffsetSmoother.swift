import Glibc

/// Smooths the jumps of the fits: the published offset changes slowly, as fast as knowledge grows.
struct OffsetSmoother: Sendable {
    static let slowest = 3.0
    /// Seconds after learning began in which every fit is taken unchanged.
    static let direct = 0.5
    /// The offset stays within this many of the fit's deviations from it: a path that became better is believed at
    /// once.
    static let tolerance = 3.0

    /// The published offset at the last fit, in nanoseconds from the window's origin.
    private(set) var offset = 0.0
    private var slope = 0.0
    private var time: Double?
    private var start = 0.0

    /// Begins learning anew: follows quickly for a while.
    mutating func relearn(now: Double) { start = now }

    /// Moves towards a fit; returns true if it was further away than `jump` and was taken at once.
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
