import AudioCore

// When to ask
//
// A joiner needs an estimate before it can place its first frame: a burst of 16 requests, 6 ms apart, gives one within
// 100 ms. After that, knowledge grows with the time span of the exchanges, so the gap between two requests may grow in
// proportion to the time since the burst, up to a steady quarter of a second. The music often begins half a second
// after the burst, and the error of the skew at that time is heard as drift: so the gap grows by 2 % only. While the
// bound is large there is more to gain: the gap then grows by 0.5 %, up to an eighth of a second, and while the bound
// is very large only up to 40 ms: 25 requests and replies a second, each some 100 us of a radio's time, a half of 1 %.
//
// A broadcaster of many listeners names the least gap, as the master of IEEE 1588 does (2019, 9.5.11.2): then no
// listener's gaps stay shorter than that. On a wire they also grow by 5 % from the beginning: 80 requests in the first
// second instead of 250, and a 99th percentile of the error of 0.9 us then instead of 0.2. A radio's listener needs its
// first exchanges too much, and radios do not carry thousands.
//
// Steady gaps vary by a tenth, so that a periodic disturbance does not hit every exchange.
//
// On a wired path, recognised by its round trip, gaps start at 2 ms and grow by 1 % in the first second: the rate,
// which takes longest to learn, is known well enough 100 ms sooner, and twice as well after a second. Over radio,
// requests would only queue behind each other. And there a very large bound does not mean a radio but a busy machine,
// which more requests make busier: 1,000 listeners would keep a broadcaster in the state that makes them ask.

/// Decides when the next request is due.
struct ExchangeSchedule: Sendable {
    static let burstCount = 16
    static let burstInterval = TimeSpan.milliseconds(6)
    static let nearBurstInterval = TimeSpan.milliseconds(2)
    static let nearGrowth = 0.01
    static let nearAge = TimeSpan.seconds(1)
    static let nearGrowthAmongMany = 0.05
    /// A bound above this is worth more frequent requests,
    static let jitteryBound = TimeSpan.microseconds(20)
    /// and one above this as many as a radio carries without being disturbed.
    static let roughBound = TimeSpan.microseconds(60)
    /// A deadline further away was set before the clock was set back.
    static let longestWait = ClockLimits.longestInterval * 2

    /// How often exchanges are worth it.
    private enum Pace {
        case quiet, jittery, rough

        /// The gap between two requests, when the burst is long past.
        var steadyInterval: TimeSpan {
            switch self {
            case .quiet: ClockLimits.steadyInterval
            case .jittery: .milliseconds(125)
            case .rough: .milliseconds(40)
            }
        }

        /// How the gap grows with the time since the burst.
        var growth: Double { self == .quiet ? 0.02 : 0.005 }
    }

    private(set) var nextDeadline: HostTime?
    private var burstRemaining = Self.burstCount
    private var burstStart: HostTime?
    private var pace = Pace.jittery
    private var isNear = false
    /// What the broadcaster asks for; zero leaves it to this type.
    private var leastInterval = TimeSpan.zero
    private let isPathShared: Bool

    /// - Parameter isPathShared: whether a song shares the connection; more requests would only queue with it.
    init(isPathShared: Bool = false) { self.isPathShared = isPathShared }

    /// Returns whether a request is due, and if so schedules the next one.
    mutating func isDue(now: HostTime, generator: inout SplitMix64) -> Bool {
        if let nextDeadline, now < nextDeadline, nextDeadline - now < Self.longestWait { return false }
        if burstStart == nil { burstStart = now }
        burstRemaining = max(0, burstRemaining - 1)
        nextDeadline = now + interval(now: now, generator: &generator)
        return true
    }

    /// Applies the estimator's advice after an exchange.
    /// - Parameters:
    ///   - estimate: nil while there is none.
    ///   - interval: the least gap that the reply named; zero if none.
    mutating func note(
        _ advice: ClockEstimator.Advice, _ estimate: ClockEstimate?, interval: TimeSpan, now: HostTime,
        generator: inout SplitMix64
    ) {
        leastInterval = min(interval, ClockLimits.longestInterval)
        isNear = estimate.map { $0.roundTrip < ClockLimits.wiredRoundTrip } ?? false
        pace = pace(estimate?.errorBound)
        if advice == .askMore, burstRemaining == 0 { burst(now: now, generator: &generator) }
    }

    /// Starts a burst; its first request is due at once.
    mutating func burst(now: HostTime, generator: inout SplitMix64) {
        burstRemaining = Self.burstCount
        burstStart = now
        nextDeadline = now
    }

    private func pace(_ bound: TimeSpan?) -> Pace {
        guard let bound else { return .jittery }
        if bound > Self.roughBound, !isPathShared, !isNear { return .rough }
        return bound > Self.jitteryBound ? .jittery : .quiet
    }

    private func interval(now: HostTime, generator: inout SplitMix64) -> TimeSpan {
        let shortest = isNear ? Self.nearBurstInterval : Self.burstInterval
        guard burstRemaining == 0, let burstStart else { return shortest }
        let age = (now - burstStart).magnitude
        let interval = min(max(age * growth(age), shortest), max(pace.steadyInterval, leastInterval))
        return interval * Double.random(in: 0.9...1.1, using: &generator)
    }

    private func growth(_ age: TimeSpan) -> Double {
        if isNear, leastInterval > .zero { return Self.nearGrowthAmongMany }
        return isNear && pace == .quiet && age < Self.nearAge ? Self.nearGrowth : pace.growth
    }
}
