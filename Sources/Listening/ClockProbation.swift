import AudioCore
import ClockSync

/// Judges whether a clock exchange that has just begun is known well enough to place a sound by it.
///
/// The offset is known to microseconds after a few exchanges, the skew is not: d ppm of error make a sound that was
/// placed exactly drift away, and mending that at 10 ppm/s costs d^2 / 20 us. On a wired LAN the wait is some 100 ms.
/// Where it would be long (radio), the first estimate after the patience counts.
struct ClockProbation {
    /// Four deviations of the skew. A start that is still to be decided leaves a quarter of a second to learn more; who
    /// joins a song that is under way sounds at once. Of 2,000 simulated joiners the worst was 91 us off within the
    /// first second at 40 ppm; of 1,000 it was 33 us at 28, and they sounded 75 ms later; 24 us at 20, and 170 ms.
    static let skewBound = PartsPerMillion(50)
    static let joiningSkewBound = PartsPerMillion(26)
    static let streamSkewBound = PartsPerMillion(56)
    static let skewPatience = TimeSpan.seconds(1)
    /// Over the broadcast's own connection exchanges are few and their delays long. What is wrong at first by more than
    /// half a millisecond is heard when it is mended, so the offset is waited for as well, and longer.
    static let streamErrorBound = TimeSpan.microseconds(150)
    static let streamPatience = TimeSpan.seconds(2)

    private let isOverStream: Bool
    private var begun: HostTime?
    private var isOver = false

    /// - Parameter isOverStream: of an exchange over the broadcast's connection, not over UDP.
    init(isOverStream: Bool = false) { self.isOverStream = isOverStream }

    /// Whether this estimate, and all that follow, may be used.
    /// - Parameter isUnderWay: whether the song has its instant already.
    mutating func passes(_ estimate: ClockEstimate, isUnderWay: Bool = false, now: HostTime) -> Bool {
        let begun = begun ?? now
        self.begun = begun
        let waited = now - begun
        let skewBound =
            isOverStream ? Self.streamSkewBound : isUnderWay ? Self.joiningSkewBound : Self.skewBound
        let isRateKnown = estimate.skewBound <= skewBound || waited >= Self.skewPatience
        let isOffsetKnown =
            !isOverStream || estimate.errorBound <= Self.streamErrorBound || waited >= Self.streamPatience
        isOver = isOver || isRateKnown && isOffsetKnown
        return isOver
    }
}
