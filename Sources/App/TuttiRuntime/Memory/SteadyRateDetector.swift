import AudioCore

/// Watches a measured rate, and returns it once it has been steady for long enough to be stored.
///
/// Steady means: sure for ``sureTime`` without a break, and moved by no more than ``steadiness`` in the second half, so
/// that an estimate that still settles is not stored. After that the rate is returned from time to time, because
/// crystals wander with temperature.
struct SteadyRateDetector {
    static let sureTime = TimeSpan.seconds(20)
    static let steadiness = PartsPerMillion(2)
    static let interval = TimeSpan.seconds(300)

    private var sureSince: HostTime?
    /// When the second half began, and the range of the rate since.
    private var half: (begun: HostTime, range: ClosedRange<Double>)?
    private var kept: HostTime?

    /// - Returns: the rate, if it is to be stored now.
    mutating func note(_ rate: PartsPerMillion, isSure: Bool, now: HostTime) -> PartsPerMillion? {
        guard isSure, rate.value.isFinite else {
            sureSince = nil
            half = nil
            return nil
        }
        let since = sureSince ?? now
        sureSince = since
        guard now - since >= Self.sureTime * 0.5 else { return nil }
        let range = half.map { min($0.range.lowerBound, rate.value)...max($0.range.upperBound, rate.value) }
        half = (half?.begun ?? now, range ?? rate.value...rate.value)
        guard let half, now - half.begun >= Self.sureTime * 0.5 else { return nil }
        defer { self.half = (now, rate.value...rate.value) }
        guard half.range.upperBound - half.range.lowerBound <= Self.steadiness.value,
            kept.map({ now - $0 >= Self.interval }) ?? true
        else { return nil }
        kept = now
        return rate
    }
}
