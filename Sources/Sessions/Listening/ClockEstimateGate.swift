import AudioCore
import ClockSync

/// Judges whether a new clock exchange knows enough for a sound to be placed by it.
///
/// A few exchanges give the offset to microseconds, but not the skew. A sound that was placed exactly then drifts by
/// the skew's error until that is known better and the pitch has followed, which may change only slowly. On a quiet
/// wire the wait is some 90 ms, and a simulated joiner is then 0.4 us off at most in its first half second (1.7 us in
/// the worst hundredth); where threads wake late it is up to 280 ms, for 1.0 us. On a slow path (radio) the first
/// estimate after the patience has run out is used.
struct ClockEstimateGate {
    /// Four standard deviations of the skew. Before the start is decided a quarter of a second remains to learn more; a
    /// listener that joins late sounds at once, so its bound is tighter.
    static let skewBound = PartsPerMillion(50)
    static let joiningSkewBound = PartsPerMillion(28)
    static let streamSkewBound = PartsPerMillion(56)
    /// How long the bound must hold, unless it is half as large (as with a remembered rate). The first estimate within
    /// the bound tends to promise too much. Of 1,000 simulated joiners the worst was 54 us off at first without the
    /// hold and 24 us with it, and they sounded 35 ms later.
    static let skewHold = TimeSpan.milliseconds(50)
    static let skewPatience = TimeSpan.seconds(1)
    /// With the song's first frame this near, a listener that has waited for a while uses the estimate it has, so that
    /// it does not miss that frame.
    static let startNotice = TimeSpan.milliseconds(100)
    static let startPatience = TimeSpan.milliseconds(500)
    /// Shorter, because asking over the connection begins half a second later and the song does not wait that long.
    static let streamStartPatience = TimeSpan.milliseconds(250)
    /// Over the broadcast's own connection exchanges are few and delays long. Correcting an initial error of more than
    /// half a millisecond is audible, so the offset is waited for as well, and longer.
    static let streamErrorBound = TimeSpan.microseconds(150)
    static let streamPatience = TimeSpan.seconds(2)

    private let isOverStream: Bool
    private var begun: HostTime?
    /// Since when the skew has been within its bound.
    private var rateKnownSince: HostTime?
    private var isOver = false

    /// - Parameter isOverStream: whether the exchange runs over the broadcast's connection, not over UDP.
    init(isOverStream: Bool = false) { self.isOverStream = isOverStream }

    /// Returns whether this estimate, and all that follow, may be used.
    /// - Parameter untilStart: time until the song's first frame is due; negative when the song is under way, nil while
    ///   the start is not decided.
    mutating func passes(_ estimate: ClockEstimate, untilStart: TimeSpan? = nil, now: HostTime) -> Bool {
        let begun = begun ?? now
        self.begun = begun
        let waited = now - begun
        let skewBound =
            isOverStream ? Self.streamSkewBound : untilStart == nil ? Self.skewBound : Self.joiningSkewBound
        rateKnownSince = estimate.skewBound <= skewBound ? rateKnownSince ?? now : nil
        let isRateHeld = rateKnownSince.map { isOverStream || now - $0 >= Self.skewHold } ?? false
        let startPatience = isOverStream ? Self.streamStartPatience : Self.startPatience
        let isStartNear = untilStart.map { .zero...Self.startNotice ~= $0 } ?? false
        let isRateKnown =
            isRateHeld || estimate.skewBound.value <= skewBound.value / 2
            || waited >= (isStartNear ? startPatience : Self.skewPatience)
        let isOffsetKnown =
            !isOverStream || estimate.errorBound <= Self.streamErrorBound || waited >= Self.streamPatience
        isOver = isOver || isRateKnown && isOffsetKnown
        return isOver
    }
}

extension Anchor {
    /// Returns the time until the song's first frame is due; negative when the song is under way.
    func timeUntilStart(_ clock: ClockEstimate, _ now: HostTime) -> TimeSpan {
        session - clock.mapping.session(at: now)
    }
}
