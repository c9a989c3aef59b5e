import AudioCore

/// So many a second, after so many at once: the generic cell rate algorithm (ITU-T I.371, annex A).
struct RateLimit {
    private let interval: TimeSpan
    private let tolerance: TimeSpan
    /// When the next one would come at the rate that is allowed in the long run. In the past: the whole burst is free.
    private var due: HostTime?

    init(perSecond: Int, burst: Int) {
        interval = TimeSpan.seconds(1) * (1 / Double(perSecond))
        tolerance = interval * Double(burst - 1)
    }

    /// Takes one, if it is allowed.
    mutating func take(_ now: HostTime) -> Bool {
        let expected = due.map { max($0, now) } ?? now
        guard expected - now <= tolerance else { return false }
        due = expected + interval
        return true
    }
}
