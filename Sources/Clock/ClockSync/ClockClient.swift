import AudioCore

/// The listener's half of the clock exchange: decides when to ask and what to believe, and estimates session time.
///
/// Pure: events in, actions out, `now` an argument. The owner's loop is
///
///     if let request = client.poll(now:) { send request.bytes; client.didSend(sequence, at: transmit stamp) }
///     wait for client.wait(now:) or, unless mayRepliesWait, until a datagram arrives
///     for each datagram: client.receive(bytes, at: receive stamp)      // .updated: take client.takeNews()
///
/// It asks in a burst at the start, then less and less often, down to a few times a second (25 and more while little is
/// known), and less often where the broadcaster has many listeners and says so; and in another burst when an exchange
/// contradicts the estimate. It only accepts a reply to a pending request, with the right key, tag and cookie, once and
/// in order. A value type; not thread-safe.
public struct ClockClient: Sendable {
    /// A datagram to send now.
    public struct Request: Sendable {
        public var sequence: UInt32
        public var bytes: [UInt8]
    }

    /// The outcome for a datagram.
    public enum Reception: Hashable, Sendable {
        /// An exchange was completed. There is a new ``ClockClient/estimate`` once there are enough; where several
        /// requests go at once, after the last of them.
        case updated
        /// Not a reply under this key.
        case unauthenticated
        /// A duplicate, a replay, overtaken by a later one, or too late.
        case outOfOrder
        /// Its timestamps contradict each other.
        case implausible
    }

    public struct Statistics: Hashable, Sendable {
        public var sent = 0
        public var completed = 0
        public var lost = 0
        public var ignored = 0
    }

    private struct Pending {
        var sequence: UInt32
        var cookie: UInt64
        var transmit: HostTime
    }

    private let key: ClockKey
    private var schedule: ExchangeSchedule
    private var estimator: ClockEstimator
    private var generator: SplitMix64
    private var pending: [Pending] = []
    private var sequence: UInt32 = 0
    private var lastAccepted: UInt32 = 0
    private var deadband = EstimateDeadband()
    public private(set) var statistics = Statistics()

    /// When to call ``poll(now:)`` next; nil: at once.
    public var nextDeadline: HostTime? { schedule.nextDeadline }

    /// How long to wait until then, at most: where the clock is set back, it does not stop the exchange.
    public func wait(now: HostTime) -> TimeSpan {
        min(max(.zero, (nextDeadline ?? now) - now), schedule.gap)
    }

    /// Whether replies may wait in the socket, where the kernel has stamped them, until ``nextDeadline``: nobody waits
    /// for what they tell. Read them before the next ``poll(now:)``.
    public var mayRepliesWait: Bool { schedule.isUnhurried }

    /// The newest estimate; nil until a few exchanges are complete.
    public var estimate: ClockEstimate? { estimator.estimate }

    /// - Parameters:
    ///   - key: the key from the connection's greeting.
    ///   - prior: the skew remembered from the last meeting.
    ///   - seed: seeds the cookies. Random outside simulations.
    ///   - isPathSymmetric: false where one direction may queue for long, as when a song shares the connection.
    public init(key: ClockKey, prior: SkewPrior = .unknown, seed: UInt64, isPathSymmetric: Bool = true) {
        self.key = key
        schedule = ExchangeSchedule(isPathShared: !isPathSymmetric)
        estimator = ClockEstimator(prior: prior, isSymmetric: isPathSymmetric)
        generator = SplitMix64(seed: seed)
    }

    /// Returns the request that is due at `now`, if any.
    public mutating func poll(now: HostTime) -> Request? {
        guard schedule.isDue(now: now, waiting: waiting(now: now), generator: &generator) else { return nil }
        expire(now: now)
        sequence &+= 1
        let cookie = generator.next()
        pending.append(Pending(sequence: sequence, cookie: cookie, transmit: now))
        statistics.sent += 1
        let datagram = ClockDatagram(
            kind: .request, keyIdentifier: key.identifier, sequence: sequence, cookie: cookie)
        return Request(sequence: sequence, bytes: datagram.encoded(under: key))
    }

    /// Improves the transmit time of a request: call it just before sending, then again with the kernel's stamp if any.
    public mutating func didSend(sequence: UInt32, at transmit: HostTime) {
        guard let index = pending.firstIndex(where: { $0.sequence == sequence }) else { return }
        pending[index].transmit = transmit
    }

    /// Takes a datagram that arrived at `receive`.
    public mutating func receive(_ bytes: [UInt8], at receive: HostTime) -> Reception {
        let reception = accept(bytes, at: receive)
        if reception != .updated { statistics.ignored += 1 }
        return reception
    }

    /// Returns the newest estimate if it tells more than the one that was taken last: at least once a second as long as
    /// exchanges are completed.
    public mutating func takeNews() -> EstimateNews? { estimate.flatMap { deadband.news($0) } }

    /// Forgets the offset and all pending requests after the machine slept, during which the host clock stood still.
    /// Keeps the rate, and asks in a burst. There is no estimate until a few exchanges are complete.
    public mutating func startAnew(now: HostTime) {
        statistics.lost += pending.count
        pending.removeAll()
        estimator.startAnew()
        schedule.burst(now: now, generator: &generator)
    }

    /// Starts a burst, when the owner has reason to distrust the estimate, such as a new network.
    public mutating func suspectChange(now: HostTime) {
        schedule.burst(now: now, generator: &generator)
    }

    private mutating func accept(_ bytes: [UInt8], at receive: HostTime) -> Reception {
        guard let reply = ClockDatagram(bytes, under: key), reply.kind == .reply else { return .unauthenticated }
        guard reply.sequence > lastAccepted, let index = pending.firstIndex(where: { $0.sequence == reply.sequence }),
            pending[index].cookie == reply.cookie
        else { return .outOfOrder }
        let exchange = Exchange(
            sequence: reply.sequence, t1: pending[index].transmit, t2: reply.receive, t3: reply.transmit, t4: receive)
        statistics.lost += index
        pending.removeFirst(index + 1)
        lastAccepted = reply.sequence
        guard Self.isPlausible(exchange) else { return .implausible }
        statistics.completed += 1
        if reply.previousSequence != 0 {
            estimator.revise(sequence: reply.previousSequence, transmit: reply.previousTransmit)
        }
        let isLast = pending.isEmpty || !schedule.goesInGroups
        let advice = estimator.add(exchange, estimatesNow: isLast)
        schedule.note(
            advice, estimator.estimate, roundTrip: exchange.roundTrip, interval: reply.interval, now: receive,
            generator: &generator)
        return .updated
    }

    /// For how long the oldest request has waited for its reply.
    private func waiting(now: HostTime) -> TimeSpan {
        guard let oldest = pending.first else { return .zero }
        return min(max(.zero, now - oldest.transmit), ClockLimits.replyTimeout)
    }

    private mutating func expire(now: HostTime) {
        let live = pending.firstIndex { now - $0.transmit <= ClockLimits.replyTimeout } ?? pending.count
        let surplus = max(live, pending.count - ClockLimits.pendingCount + 1)
        guard surplus > 0 else { return }
        statistics.lost += surplus
        pending.removeFirst(surplus)
    }

    /// No clock is outside this range: 2^61 ns are 73 years. Differences of times within it do not overflow.
    private static let sessionTimes: Range<Int64> = -(1 << 61)..<1 << 61

    private static func isPlausible(_ exchange: Exchange) -> Bool {
        guard sessionTimes.contains(exchange.t2.nanoseconds), sessionTimes.contains(exchange.t3.nanoseconds) else {
            return false
        }
        let held = exchange.t3 - exchange.t2
        let away = exchange.t4 - exchange.t1
        // The two were measured by clocks of different rates.
        return held >= .zero && held <= ClockLimits.replyTimeout && away > .zero
            && away <= ClockLimits.replyTimeout && exchange.roundTrip >= .zero - held * (EnvelopeFitter.steepest * 1e-9)
    }
}
