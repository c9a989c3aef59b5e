import AudioCore
import ClockSync

/// Judges whether a clock exchange that has just begun is known well enough to place a sound by it.
///
/// The offset is known to microseconds after a few exchanges, the skew is not: d ppm of error make a sound that was
/// placed exactly drift away, and mending that at 10 ppm/s costs d^2 / 20 us. On a wired LAN the wait is some 100 ms.
/// Where it would be long (radio), the first estimate after the patience counts.
struct ClockEstimateGate {
    /// Four deviations of the skew. A start that is still to be decided leaves a quarter of a second to learn more; who
    /// joins a song that is under way sounds at once.
    static let skewBound = PartsPerMillion(50)
    static let joiningSkewBound = PartsPerMillion(28)
    static let streamSkewBound = PartsPerMillion(56)
    /// For so long the bound must hold unless it is half as large, as where the rate is remembered: the first moment in
    /// which it is met is likely to be one in which it promises too much. Of 1,000 simulated joiners the worst was
    /// 54 us off at first without it, with it 24, and they sounded 35 ms later.
    static let skewHold = TimeSpan.milliseconds(50)
    static let skewPatience = TimeSpan.seconds(1)
    /// Who has been waiting for a while does not miss the song's first frame: the estimate that there is when the song
    /// is so near counts.
    static let startNotice = TimeSpan.milliseconds(100)
    static let startPatience = TimeSpan.milliseconds(500)
    /// Over the connection asking begins half a second later, and the song waits for nobody that long.
    static let streamStartPatience = TimeSpan.milliseconds(250)
    /// Over the broadcast's own connection exchanges are few and their delays long. What is wrong at first by more than
    /// half a millisecond is heard when it is mended, so the offset is waited for as well, and longer.
    static let streamErrorBound = TimeSpan.microseconds(150)
    static let streamPatience = TimeSpan.seconds(2)

    private let isOverStream: Bool
    private var begun: HostTime?
    /// Since when the skew's bound has been met.
    private var rateKnownSince: HostTime?
    private var isOver = false

    /// - Parameter isOverStream: of an exchange over the broadcast's connection, not over UDP.
    init(isOverStream: Bool = false) { self.isOverStream = isOverStream }

    /// Whether this estimate, and all that follow, may be used.
    /// - Parameter untilStart: how long it is until the song's first frame is due; negative when it is under way, nil
    ///   while that is not decided.
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
    /// How long it is until the song's first frame is due; negative when it is under way.
    func timeUntilStart(_ clock: ClockEstimate, _ now: HostTime) -> TimeSpan {
        session - clock.mapping.session(at: now)
    }
}
