import AudioCore

// When to ask
//
// A joiner needs an estimate before it can place its first frame: a burst of 16 requests, 6 ms apart, gives one within
// 100 ms. After that, knowledge grows with the time span of the exchanges, so the gap between two requests may grow in
// proportion to the time since the burst, up to a steady quarter of a second. The music often begins half a second
// after the burst, and the error of the skew at that time is heard as drift: so the gap grows by 2 % only. While the
// bound is large there is more to gain: the gap then grows by 0.5 %, up to an eighth of a second. Steady gaps vary by a
// tenth, so that a periodic disturbance does not hit every exchange.
//
// On a wired path, recognised by its round trip, gaps start at 2 ms and grow by 1 % in the first second: the rate,
// which takes longest to learn, is known well enough 100 ms sooner, and twice as well after a second. Over radio,
// requests would only queue behind each other.

/// Decides when the next request is due.
struct ExchangeSchedule: Sendable {
    static let burstCount = 16
    static let burstInterval = TimeSpan.milliseconds(6)
    static let nearBurstInterval = TimeSpan.milliseconds(2)
    static let nearGrowth = 0.01
    static let nearAge = TimeSpan.seconds(1)
    /// A path whose lowest round trip is below this is wired.
    static let nearRoundTrip = TimeSpan.milliseconds(1)
    static let quietInterval = TimeSpan.milliseconds(250)
    static let jitteryInterval = TimeSpan.milliseconds(125)
    /// A bound above this is worth more frequent requests.
    static let jitteryBound = TimeSpan.microseconds(20)
    static let quietGrowth = 0.02
    static let jitteryGrowth = 0.005
    /// A deadline further away was set before the clock was set back.
    static let longestWait = TimeSpan.seconds(1)

    private(set) var nextDeadline: HostTime?
    private var burstRemaining = Self.burstCount
    private var burstStart: HostTime?
    private var isJittery = true
    private var isNear = false

    /// Returns whether a request is due, and if so schedules the next one.
    mutating func isDue(now: HostTime, generator: inout SplitMix64) -> Bool {
        if let nextDeadline, now < nextDeadline, nextDeadline - now < Self.longestWait { return false }
        if burstStart == nil { burstStart = now }
        burstRemaining = max(0, burstRemaining - 1)
        nextDeadline = now + interval(now: now, generator: &generator)
        return true
    }

    /// Applies the estimator's advice after an exchange.
    /// - Parameter estimate: nil while there is none.
    mutating func note(
        _ advice: ClockEstimator.Advice, _ estimate: ClockEstimate?, now: HostTime, generator: inout SplitMix64
    ) {
        isJittery = estimate.map { $0.errorBound > Self.jitteryBound } ?? true
        isNear = estimate.map { $0.roundTrip < Self.nearRoundTrip } ?? false
        if advice == .askMore, burstRemaining == 0 { burst(now: now, generator: &generator) }
    }

    /// Starts a burst; its first request is due at once.
    mutating func burst(now: HostTime, generator: inout SplitMix64) {
        burstRemaining = Self.burstCount
        burstStart = now
        nextDeadline = now
    }

    private func interval(now: HostTime, generator: inout SplitMix64) -> TimeSpan {
        let shortest = isNear ? Self.nearBurstInterval : Self.burstInterval
        guard burstRemaining == 0, let burstStart else { return shortest }
        let age = (now - burstStart).magnitude
        let quietGrowth = isNear && age < Self.nearAge ? Self.nearGrowth : Self.quietGrowth
        let steady = isJittery ? Self.jitteryInterval : Self.quietInterval
        let interval = min(max(age * (isJittery ? Self.jitteryGrowth : quietGrowth), shortest), steady)
        return interval * Double.random(in: 0.9...1.1, using: &generator)
    }
}
