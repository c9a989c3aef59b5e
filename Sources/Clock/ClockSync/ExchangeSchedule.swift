import AudioCore

// When to ask
//
// A joiner needs an estimate before it can place its first frame: a burst of 16 requests, 6 ms apart, gives one within
// 100 ms. After that, knowledge grows with the time span of the exchanges, so the gap between two requests may grow in
// proportion to the time since the burst, up to a steady quarter of a second. The music often begins half a second
// after the burst, and the error of the skew at that time is heard as drift: so the gap grows by 2 % only. While the
// bound is large there is more to gain: the gap then grows by 0.5 %, up to an eighth of a second.
//
// While the bound is very large, the radio is rough: its delays have no sharp lower edge, and only the number of
// exchanges helps. In its first 20 s such a listener keeps gaps of 6 ms, which grow by 0.15 % to 15 ms; then they are
// 40 ms. A request and its reply take some 200 us of a radio's time: 3 % of it in the first four seconds, 1.3 % from
// the tenth to the twentieth, a half of 1 % from then on.
//
// A broadcaster names the least gap, as the master of IEEE 1588 does (2019, 9.5.11.2): what a wire carries, divided
// among its listeners. Where they are hundreds, no listener's gaps stay shorter than that. On a wire they also grow by
// 5 % from the beginning: 80 requests in the first second instead of 250, and a 99th percentile of the error of 0.9 us
// then instead of 0.2. A radio's listener needs its first exchanges too much, and radios do not carry thousands. But
// all listeners in a house may share one radio, which carries less than a wire: below 40 ms, a rough radio's gaps end
// at 2.5 times the named one. From the tenth second on, the shorter gaps of up to 15 listeners take 9 % of its time.
//
// After a burst about four requests wait for replies at most, however short the gaps would be: whoever answers or reads
// late is overloaded. And among many, gaps also grow by 5 % where a reply takes longer than 100 ms. Without either,
// 1,000 listeners in one process took a late reply for a radio's, asked for more than they could read, and stayed in
// that state for half a minute.
//
// Steady gaps vary by a tenth, so that a periodic disturbance does not hit every exchange.
//
// On a machine that rested a path is cold: caches hold other things, and processors may sleep. On a wire that is most
// of what a request takes, and not the same both ways. So where gaps are long, requests go in groups: the first only
// warms the path (chrony's presend does the same), and little remains that could differ for the others. Two go at once
// after 20 ms, four after 100; gaps then grow to half a second, since a wake costs a machine more than four requests.
// Among many listeners they go alone, since together these may not ask more often; and where the bound is large, since
// a busy machine is not cold.
//
// On a wired path, recognised by its first round trip, gaps start at 1 ms and grow by 1.4 % in the first second. The
// rate takes longest to learn, and the first sound waits for it: in simulation 41 ms less than with as many requests
// that begin 2 ms apart, and 37 to 48 where threads wake late. Among more than 16 listeners gaps start at up to 2 ms,
// since all may begin at once. Over radio, requests would only queue behind each other. And there a very large bound
// does not mean a radio but a busy machine, which more requests make busier: 1,000 listeners would keep a broadcaster
// in the state that makes them ask.

/// Decides when the next request is due.
struct ExchangeSchedule: Sendable {
    static let burstCount = 16
    static let burstInterval = TimeSpan.milliseconds(6)
    static let nearBurstInterval = TimeSpan.milliseconds(1)
    /// The same among many, and the share of the named gap that lies in between.
    static let longestNearBurstInterval = TimeSpan.milliseconds(2)
    static let nearBurstShare = 1.0 / 16
    static let nearGrowth = 0.014
    static let nearAge = TimeSpan.seconds(1)
    static let nearGrowthAmongMany = 0.05
    /// A bound above this is worth more frequent requests,
    static let jitteryBound = TimeSpan.microseconds(20)
    /// and one above this as many as a radio carries without being disturbed.
    static let roughBound = TimeSpan.microseconds(60)
    /// What a rough radio is asked while the listener is new.
    static let earlyRoughInterval = TimeSpan.milliseconds(15)
    static let earlyRoughGrowth = 0.0015
    static let earlyRoughAge = TimeSpan.seconds(20)
    /// How many times the named gap those leave that are asked more: their radio may be that of all listeners.
    static let radioShare = 2.5
    /// Requests that may await replies at once, after a burst.
    static let inFlightCount = 4.0
    /// Among many, whoever waits longer than this for a reply waits for a busy machine, not for a radio. Broadcasters
    /// let requests gather for half as long.
    static let overloadTime = ClockLimits.gatheringTime * 2

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

    /// Where gaps are at least this long, little changes from one exchange to the next.
    static let unhurriedGap = TimeSpan.milliseconds(100)

    /// After a gap of this length a path is cold.
    static let coldGap = TimeSpan.milliseconds(20)

    private(set) var nextDeadline: HostTime?
    /// The gap that ends at ``nextDeadline``, or before the group of which more is due then. A deadline further away
    /// than that was set before the clock was set back.
    private(set) var gap = TimeSpan.zero
    /// Requests of the present group that were not sent yet.
    private var groupRemaining = 0
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
    /// - Parameter waiting: for how long the oldest of the requests without a reply has waited.
    mutating func isDue(now: HostTime, waiting: TimeSpan, generator: inout SplitMix64) -> Bool {
        if let nextDeadline, now < nextDeadline, nextDeadline - now <= gap { return false }
        if burstStart == nil { burstStart = now }
        if groupRemaining == 0 { groupRemaining = groupCount }
        groupRemaining -= 1
        guard groupRemaining == 0 else {
            nextDeadline = now
            return true
        }
        burstRemaining = max(0, burstRemaining - 1)
        gap = interval(now: now, waiting: waiting, generator: &generator)
        nextDeadline = now + gap
        return true
    }

    /// Whether what the last request tells may wait until the next one is due.
    var isUnhurried: Bool { gap >= Self.unhurriedGap }

    /// Applies the estimator's advice after an exchange.
    /// - Parameters:
    ///   - estimate: nil while there is none.
    ///   - roundTrip: the exchange's own.
    ///   - interval: the least gap that the reply named; zero if none.
    mutating func note(
        _ advice: ClockEstimator.Advice, _ estimate: ClockEstimate?, roundTrip: TimeSpan, interval: TimeSpan,
        now: HostTime, generator: inout SplitMix64
    ) {
        leastInterval = min(interval, ClockLimits.longestInterval)
        isNear = (estimate?.roundTrip ?? roundTrip) < ClockLimits.wiredRoundTrip
        pace = pace(estimate?.errorBound)
        if advice == .askMore, burstRemaining == 0 { burst(now: now, generator: &generator) }
    }

    /// Starts a burst; its first request is due at once.
    mutating func burst(now: HostTime, generator: inout SplitMix64) {
        burstRemaining = Self.burstCount
        burstStart = now
        nextDeadline = now
        gap = .zero
        groupRemaining = 0
    }

    private func pace(_ bound: TimeSpan?) -> Pace {
        guard let bound else { return .jittery }
        if bound > Self.roughBound, !isPathShared, !isNear { return .rough }
        return bound > Self.jitteryBound ? .jittery : .quiet
    }

    private func interval(now: HostTime, waiting: TimeSpan, generator: inout SplitMix64) -> TimeSpan {
        let shortest = isNear ? nearBurstInterval : Self.burstInterval
        guard burstRemaining == 0, let burstStart else { return shortest }
        let age = (now - burstStart).magnitude
        let interval = min(max(age * growth(age, waiting), shortest), longest(age))
        return max(
            interval * Double.random(in: 0.9...1.1, using: &generator), waiting * (1 / Self.inFlightCount))
    }

    /// On a wire, the more listeners the longer: all may begin at once.
    private var nearBurstInterval: TimeSpan {
        min(max(Self.nearBurstInterval, leastInterval * Self.nearBurstShare), Self.longestNearBurstInterval)
    }

    private func growth(_ age: TimeSpan, _ waiting: TimeSpan) -> Double {
        if isAmongMany, isNear || waiting > Self.overloadTime { return Self.nearGrowthAmongMany }
        if isNear, pace == .quiet, age < Self.nearAge { return Self.nearGrowth }
        if isEarlyOnRough(age), earlyInterval == Self.earlyRoughInterval { return Self.earlyRoughGrowth }
        return pace.growth
    }

    /// The gap at which growth ends.
    private func longest(_ age: TimeSpan) -> TimeSpan {
        if isAmongMany { return max(pace.steadyInterval, leastInterval) }
        if goesInGroups { return ClockLimits.groupInterval }
        return isEarlyOnRough(age) ? min(earlyInterval, pace.steadyInterval) : pace.steadyInterval
    }

    /// Whether requests go in groups once gaps are long enough that the path is cold: it is a quiet wire, and there are
    /// few enough listeners that each may ask twice as often.
    var goesInGroups: Bool {
        isNear && pace == .quiet && leastInterval * 2 <= ClockLimits.steadyInterval
    }

    /// How many requests go at once after ``gap``.
    private var groupCount: Int {
        guard goesInGroups, gap >= Self.coldGap else { return 1 }
        return isUnhurried ? ClockLimits.groupCount : 2
    }

    /// Whether the named gap is longer than any that a listener leaves by itself.
    private var isAmongMany: Bool { leastInterval > ClockLimits.steadyInterval }

    private func isEarlyOnRough(_ age: TimeSpan) -> Bool { pace == .rough && age < Self.earlyRoughAge }

    private var earlyInterval: TimeSpan { max(Self.earlyRoughInterval, leastInterval * Self.radioShare) }
}
