import AudioCore

// Estimates change with every exchange, but soon by less than they are known to. To take one may wake a thread, which
// computes the timeline anew for the next. So an estimate is handed on if it moved by a quarter of a deviation since
// the last one that was: in simulation the error's 99th percentile is then 0.1 to 3 % larger, on wires and over radio,
// and some 1.3 a second are left of 4 to 10. In the first ten seconds all are handed on.
//
// What is handed on may wait until something else wakes its taker, unless the clock moved by more than it was known to.

/// An estimate that tells its taker something.
public struct EstimateNews: Sendable {
    public var estimate: ClockEstimate
    /// Whether half a second later is soon enough, since it only refines the last one.
    public var mayWait: Bool
}

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

    /// Returns the estimate if it is to be handed on, and takes it as handed on.
    mutating func news(_ estimate: ClockEstimate) -> EstimateNews? {
        let now = estimate.mapping.host
        if last?.generation != estimate.generation { begun = now }
        guard let begun, let last, now - begun >= Self.youth else {
            last = estimate
            return EstimateNews(estimate: estimate, mayWait: false)
        }
        let moved = Self.move(from: last, to: estimate)
        guard !isLike(estimate, last, moved: moved) else { return nil }
        self.last = estimate
        return EstimateNews(estimate: estimate, mayWait: moved <= estimate.errorBound)
    }

    private func isLike(_ estimate: ClockEstimate, _ last: ClockEstimate, moved: TimeSpan) -> Bool {
        let now = estimate.mapping.host
        guard (now - last.mapping.host).magnitude < Self.longestSilence else { return false }
        let bound = estimate.errorBound
        let boundChange = (bound - last.errorBound(at: now)).magnitude
        return moved <= bound * Self.share && boundChange <= bound * 0.25
    }

    /// How far apart two estimates are, now or before the next one.
    private static func move(from last: ClockEstimate, to estimate: ClockEstimate) -> TimeSpan {
        let now = estimate.mapping.host
        let moved = (estimate.mapping.session(at: now) - last.mapping.session(at: now)).magnitude
        let turned = longestSilence * (abs(estimate.skew.value - last.skew.value) * 1e-6)
        return moved + turned
    }
}
