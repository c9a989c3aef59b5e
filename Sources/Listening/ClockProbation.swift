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
    /// Over the broadcast's own connection exchanges are few and their delays long. What is wrong at first by more than
    /// half a millisecond is heard when it is mended, so the wait may be longer.
    static let streamBound = TimeSpan.microseconds(150)
    static let streamPatience = TimeSpan.seconds(2)

    /// An estimate with a larger bound does not pass before this patience.
    private let errorBound: TimeSpan
    private let patience: TimeSpan
    private var begun: HostTime?
    private var isOver = false

    /// Of an exchange over UDP.
    init() {
        errorBound = .zero
        patience = .zero
    }

    private init(errorBound: TimeSpan, patience: TimeSpan) {
        self.errorBound = errorBound
        self.patience = patience
    }

    /// Of an exchange over the broadcast's connection.
    static var overStream: ClockProbation { ClockProbation(errorBound: streamBound, patience: streamPatience) }

    /// Whether this estimate, and all that follow, may be used.
    mutating func passes(_ estimate: ClockEstimate, now: HostTime) -> Bool {
        let begun = begun ?? now
        self.begun = begun
        let isRateKnown = estimate.skewBound <= Self.skewBound || now - begun >= Self.patience
        let isOffsetKnown = estimate.errorBound <= errorBound || now - begun >= patience
        isOver = isOver || isRateKnown && isOffsetKnown
        return isOver
    }
}
