import AudioCore

// When to ask
//
// A joiner needs an estimate before it can place its first frame: a burst of 16 requests, 6 ms apart, gives one within
// 100 ms. From then on knowledge grows with the time span that the exchanges cover, so the gap between two requests may
// grow in proportion to the time since the burst, to a steady quarter of a second. The music often begins half a second
// after the burst, and what is wrong of the skew by then is heard as drift: the gap grows by 2 % only. While the bound
// is large there is more to win: by 0.5 % then, to an eighth of a second. Steady gaps are varied by a tenth, so that a
// periodic disturbance does not hit every exchange.

/// Decides when the next request is due.
struct ExchangeSchedule: Sendable {
    static let burstCount = 16
    static let burstInterval = TimeSpan.milliseconds(6)
    static let quietInterval = TimeSpan.milliseconds(250)
    static let jitteryInterval = TimeSpan.milliseconds(125)
    /// A bound above this is worth asking more often for.
    static let jitteryBound = TimeSpan.microseconds(20)
    static let quietGrowth = 0.02
    static let jitteryGrowth = 0.005
    /// A deadline further away than this was set before the clock was put back.
    static let longestWait = TimeSpan.seconds(1)

    private(set) var nextDeadline: HostTime?
    private var burstRemaining = Self.burstCount
    private var burstStart: HostTime?
    private var isJittery = true

    /// Whether a request is due; if so the next one is scheduled.
    mutating func isDue(now: HostTime, generator: inout SplitMix64) -> Bool {
        if let nextDeadline, now < nextDeadline, nextDeadline - now < Self.longestWait { return false }
        if burstStart == nil { burstStart = now }
        burstRemaining = max(0, burstRemaining - 1)
        nextDeadline = now + interval(now: now, generator: &generator)
        return true
    }

    /// Takes the estimator's advice on an exchange.
    mutating func note(
        _ advice: ClockEstimator.Advice, bound: TimeSpan?, now: HostTime, generator: inout SplitMix64
    ) {
        isJittery = (bound ?? .seconds(1)) > Self.jitteryBound
        if advice == .askMore, burstRemaining == 0 { burst(now: now, generator: &generator) }
    }

    /// Begins a burst; the first request is due at once.
    mutating func burst(now: HostTime, generator: inout SplitMix64) {
        burstRemaining = Self.burstCount
        burstStart = now
        nextDeadline = now
    }

    private func interval(now: HostTime, generator: inout SplitMix64) -> TimeSpan {
        guard burstRemaining == 0, let burstStart else { return Self.burstInterval }
        let grown = (now - burstStart).magnitude * (isJittery ? Self.jitteryGrowth : Self.quietGrowth)
        let steady = isJittery ? Self.jitteryInterval : Self.quietInterval
        let interval = min(max(grown, Self.burstInterval), steady)
        return interval * Double.random(in: 0.9...1.1, using: &generator)
    }
}
