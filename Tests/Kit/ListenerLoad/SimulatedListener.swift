import AudioCore
import ClockSync
import Listening
import NIOCore
import WireProtocol

/// A listener's part of one connection: greets, asks the clock and reports as a real one does, and plays nothing.
///
/// Pure: bytes and `now` in, bytes out. The owner calls ``poll(now:)`` when ``nextDeadline`` has come, and after each
/// reception.
struct SimulatedListener {
    /// As `PeeringLimits` has it.
    private static let keepAliveInterval = TimeSpan.milliseconds(750)
    /// A real listener looks at its state so often until it plays.
    private static let tick = TimeSpan.milliseconds(20)
    /// Of the clock: from then on it is expected to be known as well as it will be.
    private static let settlingTime = TimeSpan.seconds(10)

    /// What is to be sent.
    struct Output {
        /// Over the connection.
        var message: ByteBuffer?
        var datagram: [UInt8]?
    }

    private(set) var check: ReceptionCheck
    private(set) var clock: (any LoadClock)?
    private let fitsClock: Bool
    private(set) var state = ListenerState.connecting
    private(set) var clockPort: UInt16?
    private var parser = WireParser()
    private var lastSent: HostTime
    private var reports = ReportSchedule()
    private var lastTurn: HostTime
    private var sequence: UInt32?
    private var clockBegan: HostTime?

    /// - Parameter fitsClock: whether it computes its clock as a real listener does.
    init(song: LoadSong, fitsClock: Bool, now: HostTime) {
        self.fitsClock = fitsClock
        check = ReceptionCheck(song: song)
        lastSent = now
        lastTurn = now
    }

    /// Whether the broadcaster took it.
    var isMember: Bool { clockPort != nil }
    var isOver: Bool { check.refusal != nil || check.farewell != nil }

    mutating func receive(_ bytes: RawSpan, now: HostTime) throws(WireError) {
        check.begin(at: now)
        try parser.parse(bytes, into: &check)
        if let interval = check.reportInterval { reports.interval = interval }
        guard let welcome = check.takeWelcome(), let key = ClockKey(bytes: welcome.clockKey) else { return }
        clockPort = welcome.clockPort
        clock = fitsClock ? FittedClock(key: key) : MidpointClock(key: key)
        clockBegan = now
        state = .preparing
    }

    mutating func receiveDatagram(_ bytes: [UInt8], now: HostTime) { clock?.receive(bytes, at: now) }

    /// The datagram that ``poll(now:)`` gave was handed to the socket then.
    mutating func didSendDatagram(at now: HostTime) {
        if let sequence { clock?.didSend(sequence: sequence, at: now) }
        sequence = nil
    }

    /// How far off the clock is that it plays by, and how far it says it may be; nil until it has settled, and unless
    /// it is a real listener's. The broadcaster's is this machine's own.
    func clockError(at now: HostTime) -> (error: TimeSpan, bound: TimeSpan)? {
        guard state == .playing, let clockBegan, now - clockBegan >= Self.settlingTime, let clock,
            fitsClock, let estimate = clock.estimate
        else { return nil }
        let truth = ClockMapping.identity.session(at: now)
        // Its stamps are made in this program, not in the kernel.
        return (estimate.mapping.session(at: now) - truth, estimate.withoutSymmetry.errorBound(at: now))
    }

    mutating func takeMargins(into sum: inout DeliveryMargins) { check.takeMargins(into: &sum) }
    mutating func noteLostConnection() { check.noteLostConnection() }

    var nextDeadline: HostTime {
        let keepAlive = lastSent + Self.keepAliveInterval
        guard isMember, let clock else { return keepAlive }
        let report = reports.nextDeadline ?? lastSent
        return min(report, clock.nextDeadline ?? lastSent, nextChange ?? report, keepAlive)
    }

    /// When the state will change, or may.
    private var nextChange: HostTime? {
        switch state {
        case .ready: check.anchor.flatMap { anchor in check.entry.map { host(anchor, $0) } } ?? nil
        case .playing: check.anchor.flatMap { anchor in check.end.map { host(anchor, $0) } } ?? nil
        case .preparing: lastTurn + Self.tick
        default: nil
        }
    }

    private func host(_ anchor: Anchor, _ frame: FramePosition) -> HostTime {
        ClockMapping.identity.host(at: anchor.session(of: frame))
    }

    /// What is due.
    mutating func poll(now: HostTime) -> Output {
        var output = Output()
        lastTurn = now
        if now - lastSent >= Self.keepAliveInterval {
            lastSent = now
            if check.greeting != nil { output.message = WireEncoder.keepAlive() }
        }
        guard isMember else { return output }
        if let request = clock?.poll(now: now) {
            sequence = request.sequence
            output.datagram = request.bytes
        }
        state = nextState(now)
        let report = report(now)
        if reports.isDue(report, rate: check.anchor?.framesPerSecond ?? 48_000, now: now) {
            lastSent = now
            output.message = WireEncoder.report(report)
        }
        return output
    }

    private func nextState(_ now: HostTime) -> ListenerState {
        guard check.entry != nil, check.received > .zero, clock?.estimate != nil else { return .preparing }
        guard let anchor = check.anchor, let entry = check.entry, now >= host(anchor, entry) else { return .ready }
        if let end = check.end, now >= host(anchor, end) { return .finished }
        return .playing
    }

    private func report(_ now: HostTime) -> ListenerReport {
        let due = check.anchor.map { $0.position(at: ClockMapping.identity.session(at: now)).frames } ?? 0
        let heard = max(due, Double((check.entry ?? .zero).index))
        let rate = check.anchor?.framesPerSecond ?? 48_000
        let buffered = TimeSpan(seconds: max(0, Double(check.received.index) - heard) / rate)
        var counters = ListenerCounters()
        counters.lostPackets = UInt32(clamping: check.figures.told)
        let timing = clock?.estimate.map { estimate in
            ListenerTiming(
                error: .zero, errorBound: estimate.errorBound(at: now), asymmetryLimit: estimate.asymmetryLimit,
                roundTrip: estimate.roundTrip, clockSkew: estimate.skew, deviceSkew: .zero, correction: .zero)
        }
        return ListenerReport(
            state: state, epoch: check.epoch ?? Epoch(0), received: check.received, buffered: buffered,
            counters: counters, timing: timing, lowWater: state == .playing ? buffered : nil)
    }
}
