import AudioCore
import ClockSync

/// Judges whether a clock exchange that has just begun is known well enough to place a sound by it.
///
/// The offset is known to microseconds after a few exchanges, the skew is not: d ppm of error make a sound that was
/// placed exactly drift away, and mending that at 10 ppm/s costs d^2 / 20 us. On a wired LAN the wait is some 100 ms.
/// Where it would be long (radio), the first estimate after the patience counts.
struct ClockProbation {
    /// Four deviations of the skew.
    static let skewBound = PartsPerMillion(56)
    static let patience = TimeSpan.milliseconds(500)

    private var begun: HostTime?
    private var isOver = false

    /// Whether this estimate, and all that follow, may be used.
    mutating func passes(_ estimate: ClockEstimate, now: HostTime) -> Bool {
        let begun = begun ?? now
        self.begun = begun
        isOver = isOver || estimate.skewBound <= Self.skewBound || now - begun >= Self.patience
        return isOver
    }
}
