import AudioCore

// Estimates change with every exchange, but soon by less than they are known to. To take one wakes a thread, which
// computes the timeline anew for the next. So an estimate is handed on if it moved by a quarter of a deviation since
// the last one that was: in simulation the error's 99th percentile is then 0.1 to 3 % larger, on wires and over radio,
// and some 1.3 a second are left of 4 to 10. In the first ten seconds all are handed on.

/// Decides which estimates tell their taker something: a dead band around the last one. A value type; not thread-safe.
struct EstimateDeadband: Sendable {
    /// Every estimate is handed on while the exchange is younger than this.
    static let youth = TimeSpan.seconds(10)
    /// What was handed on longer ago than this is renewed: its taker must see that the broadcaster still answers.
    static let longestSilence = TimeSpan.milliseconds(800)
    /// The share of the bound that counts as a move: a quarter of a deviation.
    static let share = 1 / (4 * ClockEstimator.deviations)

    /// When the exchange, or the generation, began.
    private var begun: HostTime?
    private var last: ClockEstimate?

    /// Returns whether to hand an estimate on, and takes it as handed on.
    mutating func isNews(_ estimate: ClockEstimate) -> Bool {
        let now = estimate.mapping.host
        if last?.generation != estimate.generation { begun = now }
        if let begun, let last, now - begun >= Self.youth, isLike(estimate, last) { return false }
        last = estimate
        return true
    }

    private func isLike(_ estimate: ClockEstimate, _ last: ClockEstimate) -> Bool {
        let now = estimate.mapping.host
        guard (now - last.mapping.host).magnitude < Self.longestSilence else { return false }
        let moved = (estimate.mapping.session(at: now) - last.mapping.session(at: now)).magnitude
        let turned = Self.longestSilence * (abs(estimate.skew.value - last.skew.value) * 1e-6)
        let bound = estimate.errorBound
        let boundChange = (bound - last.errorBound(at: now)).magnitude
        return moved + turned <= bound * Self.share && boundChange <= bound * 0.25
    }
}
