import WireProtocol
import AudioCore
import ClockSync
import Glibc
import NIOCore
import NIOPosix
import Playout

/// The rates of clocks, and a device's offset, as one running listener takes them over from earlier runs and stores
/// them for later ones.
///
/// Reads its ``ListenerMemory`` once, when it is made. Writes are made on NIO's thread pool, one after the other: never
/// on the event loop, let alone on a real-time thread. A memory that cannot be written is one line of detail. Confined
/// to its event loop.
final class ClockRateStore {
    private let memory: (any ListenerMemory)?
    private let loop: any EventLoop
    private let emit: @Sendable (RuntimeEvent) -> Void
    private var records: [MemorySubject: MemoryRecord]
    private var lastWrite: EventLoopFuture<Void>
    private var hasComplained = false

    private var peer: MemorySubject?
    private var peerRateDetector = SteadyRateDetector()
    private var clockGeneration: UInt32?
    private var card: MemorySubject?
    private var cardRateDetector = SteadyRateDetector()
    /// Restarts and steps of the card so far: each makes its clock unsure again.
    private var cardTroubles = 0

    /// A clock whose rate is known no better is not handed down: four deviations, which is half of what the next
    /// listener takes the rate to have wandered meanwhile.
    private static let surePeer = PartsPerMillion(4)
    /// The same of a card's model; cards that fetch in bursts are known to some 100 us, and their rate well all the
    /// same.
    private static let sureCard = TimeSpan.microseconds(500)
    private static let offsetRange = TimeSpan.seconds(-1)...TimeSpan.seconds(1)

    init(
        memory: (any ListenerMemory)?, loop: any EventLoop, emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) {
        self.memory = memory
        self.loop = loop
        self.emit = emit
        records = memory?.load() ?? [:]
        lastWrite = loop.makeSucceededVoidFuture()
    }

    /// Ends when everything is written.
    func flush() -> EventLoopFuture<Void> { lastWrite }

    // MARK: The broadcaster's clock

    /// A clock exchange with this peer begins: how fast its clock ran the last time.
    func beginExchange(with uuid: UUIDBytes, now: Int64 = WallClock.seconds()) -> SkewPrior {
        let subject = MemorySubject.clock(uuid)
        peer = subject
        peerRateDetector = SteadyRateDetector()
        clockGeneration = nil
        guard let record = records[subject] else { return .unknown }
        tell(.clockRate(PartsPerMillion(record.value)))
        return SkewPrior(remembered: record, now: now)
    }

    func endExchange() { peer = nil }

    func note(_ estimate: ClockEstimate, now: HostTime) {
        guard let peer else { return }
        let isSame = clockGeneration == estimate.generation
        clockGeneration = estimate.generation
        let isSure = isSame && estimate.skewBound < Self.surePeer
        guard let rate = peerRateDetector.note(estimate.skew, isSure: isSure, now: now) else { return }
        keep(rate.value, of: peer)
    }

    // MARK: The sound card

    /// The rate that a card had the last time.
    func rateHint(_ device: OutputDeviceDescription) -> PartsPerMillion? {
        guard let subject = MemorySubject(cardOf: device), let record = records[subject] else { return nil }
        let rate = PartsPerMillion(record.value)
        tell(.cardRate(rate, device: device.name))
        return rate
    }

    /// This device plays from now on.
    func use(_ device: OutputDeviceDescription) {
        card = MemorySubject(cardOf: device)
        cardRateDetector = SteadyRateDetector()
    }

    func note(_ playout: PlayoutSnapshot, now: HostTime) {
        guard let card else { return }
        let troubles = playout.xrunCount + playout.deviceClockStepCount
        let isSame = troubles == cardTroubles
        cardTroubles = troubles
        let isSure = isSame && playout.modelBound.map { $0 < Self.sureCard } ?? false
        guard let rate = cardRateDetector.note(playout.dacRate, isSure: isSure, now: now) else { return }
        keep(rate.value, of: card)
    }

    // MARK: The offset

    /// The offset for a device: the one that was asked for, which is remembered, or else the one that was asked for
    /// before. Zero forgets.
    func offset(asked: TimeSpan?, on device: OutputDeviceDescription) -> TimeSpan {
        guard memory != nil, let identity = device.identity else { return asked ?? .zero }
        let subject = MemorySubject.offset(identity)
        let known = records[subject].map { TimeSpan(seconds: $0.value * 1e-6) }
            .flatMap { Self.offsetRange.contains($0) && $0 != .zero ? $0 : nil }
        if asked == .zero {
            guard records[subject] != nil else { return .zero }
            keep(nil, of: subject)
            tell(.offsetForgotten(device: device.name))
            return .zero
        }
        guard let offset = asked ?? known else { return .zero }
        // One that is used is written anew: what was not used for long is what goes.
        keep(offset.microseconds, of: subject)
        tell(.offset(offset, device: device.name))
        return offset
    }

    // MARK: Writing

    private func keep(_ value: Double?, of subject: MemorySubject) {
        guard let memory else { return }
        let record = value.map { MemoryRecord(value: $0, unixSeconds: WallClock.seconds()) }
        records[subject] = record
        lastWrite = lastWrite.flatMap { [loop] in
            NIOThreadPool.singleton.runIfActive(eventLoop: loop) { () -> MemoryFailure? in
                do throws(MemoryFailure) {
                    try memory.keep(record, of: subject)
                    return nil
                } catch {
                    return error
                }
            }
        }.map { failure in
            if let failure { self.complain(failure) }
        }.flatMapErrorThrowing { _ in }
    }

    private func complain(_ failure: MemoryFailure) {
        guard !hasComplained else { return }
        hasComplained = true
        tell(.notKept(failure))
    }

    private func tell(_ notice: MemoryNotice) { emit(.notice(.memory(notice))) }
}

// Confined to its event loop.
extension ClockRateStore: @unchecked Sendable {}

extension MemorySubject {
    /// Nil for outputs without a clock of their own, and where any card may be behind the name: a rate that is 40 ppm
    /// wrong costs a joiner some 100 us for seconds.
    fileprivate init?(cardOf device: OutputDeviceDescription) {
        guard device.hasKnownCard, let identity = device.identity else { return nil }
        self = .card("\(identity) at \(Int64(saturating: device.rate))")
    }
}

extension SkewPrior {
    /// What a record is worth now.
    ///
    /// Two crystals in rooms and boxes that warm up and cool down differ by a few ppm from one meeting to the next, an
    /// hour or a month later (AT cuts: below 1 ppm a degree); ageing adds some 3 ppm in a year to each. A machine that
    /// calibrates its counter anew whenever it boots may differ by more, and the estimator then drops what contradicts
    /// the exchanges.
    init(remembered record: MemoryRecord, now: Int64) {
        let years = Double(max(0, now &- record.unixSeconds)) / (365.25 * 86_400)
        let deviation = (2 * 2 + 4 * years * 4 * years).squareRoot()
        self.init(
            skew: PartsPerMillion(record.value),
            deviation: min(PartsPerMillion(deviation), SkewPrior.unknown.deviation))
    }
}
