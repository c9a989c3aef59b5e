import AudioCore
import ClockSync
import Glibc
import Listening
import NIOCore
import Playout
import WireProtocol

/// Clock rates and a device's loudspeaker settings: one running listener takes them from earlier runs and stores them
/// for later ones.
///
/// Reads its ``ListenerMemory`` once, when it is made, and warns of what cannot be read. Writes never on the event
/// loop, let alone on a real-time thread. A failed write is reported as one line of detail. Confined to its event loop.
final class ClockRateStore {
    private let memory: (any ListenerMemory)?
    private let loop: any EventLoop
    private let emit: @Sendable (RuntimeEvent) -> Void
    private var records: [MemorySubject: MemoryRecord] = [:]
    private let work: WorkQueue
    private var hasComplained = false

    private var peer: MemorySubject?
    private var peerRateDetector = SteadyRateDetector()
    private var clockGeneration: UInt32?
    private var card: MemorySubject?
    private var cardRateDetector = SteadyRateDetector()
    /// Restarts and steps of the card so far; each makes its clock unsure again.
    private var cardTroubles = 0

    /// A clock's rate is stored only if it is known better than this: four standard deviations, which is half of the
    /// drift that the next listener allows for.
    private static let surePeer = PartsPerMillion(4)
    /// The same for a card's model. Cards that fetch in bursts are known to some 100 us, and yet their rate is known
    /// well.
    private static let sureCard = TimeSpan.microseconds(500)

    init(
        memory: (any ListenerMemory)?, loop: any EventLoop, emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) {
        self.memory = memory
        self.loop = loop
        self.emit = emit
        work = WorkQueue(loop: loop)
        load()
    }

    private func load() {
        guard let memory else { return }
        do throws(MemoryFailure) {
            let contents = try memory.load()
            records = contents.records
            if let damage = contents.damage { tell(.damaged(damage)) }
        } catch {
            tell(.unreadable(error))
        }
    }

    /// Completes when everything is written.
    func flush() -> EventLoopFuture<Void> { work.finish() }

    // MARK: The broadcaster's clock

    /// Begins a clock exchange with this peer, and returns the remembered rate of its clock.
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

    /// Returns the remembered rate of a card.
    func rateHint(_ device: OutputDeviceDescription) -> PartsPerMillion? {
        guard let subject = MemorySubject(cardOf: device), let record = records[subject] else { return nil }
        let rate = PartsPerMillion(record.value)
        tell(.cardRate(rate, device: device.name))
        return rate
    }

    /// Notes that this device plays from now on.
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

    /// Returns the offset for a device: the requested one, which is remembered, or else the remembered one. Zero
    /// forgets it.
    func offset(asked: TimeSpan?, on device: OutputDeviceDescription) -> TimeSpan {
        guard memory != nil, let identity = device.identity else { return asked ?? .zero }
        let subject = MemorySubject.offset(identity)
        let known = records[subject].map { TimeSpan(seconds: $0.value * 1e-6) }
            .flatMap { LoudspeakerSettings.offsetRange.contains($0) && $0 != .zero ? $0 : nil }
        if asked == .zero {
            guard records[subject] != nil else { return .zero }
            keep(nil, of: subject)
            tell(.offsetForgotten(device: device.name))
            return .zero
        }
        guard let offset = asked ?? known else { return .zero }
        // Written again when it is used, because the records that go are those unused for longest.
        keep(offset.microseconds, of: subject)
        tell(.offset(offset, device: device.name))
        return offset
    }

    // MARK: Volume and channel role

    /// Returns a device's settings as remembered, all but the offset.
    func settings(of device: OutputDeviceDescription) -> LoudspeakerSettings {
        var settings = LoudspeakerSettings()
        guard let identity = device.identity else { return settings }
        if let percent = used(.volume(identity)), Volume.range.contains(percent) {
            settings.volume = Volume(percent: percent)
        }
        settings.isMuted = used(.muted(identity)) == 1
        if let role = used(.role(identity)).flatMap({ ChannelRole(memoryCode: $0) }) { settings.role = role }
        if settings.volume != .full || settings.isMuted {
            tell(.volume(settings.volume, isMuted: settings.isMuted, device: device.name))
        }
        if settings.role != .stereo { tell(.role(settings.role, device: device.name)) }
        return settings
    }

    /// Remembers a device's settings, all but the offset; the default ones are forgotten.
    func keep(_ settings: LoudspeakerSettings, on device: OutputDeviceDescription) {
        guard let identity = device.identity else { return }
        keepChange(settings.volume == .full ? nil : settings.volume.percent, of: .volume(identity))
        keepChange(settings.isMuted ? 1 : nil, of: .muted(identity))
        keepChange(settings.role.memoryCode, of: .role(identity))
    }

    /// Returns a whole number that is remembered. Writes it again, because the records that go are those unused for
    /// longest.
    private func used(_ subject: MemorySubject) -> Int? {
        guard let value = records[subject]?.value, let number = Int(exactly: value) else { return nil }
        keep(value, of: subject)
        return number
    }

    private func keepChange(_ value: Int?, of subject: MemorySubject) {
        guard records[subject]?.value != value.map(Double.init) else { return }
        keep(value.map(Double.init), of: subject)
    }

    // MARK: Writing

    private func keep(_ value: Double?, of subject: MemorySubject) {
        guard let memory else { return }
        let record = value.map { MemoryRecord(value: $0, unixSeconds: WallClock.seconds()) }
        records[subject] = record
        work.perform { () throws(MemoryFailure) in
            try memory.keep(record, of: subject)
        } then: { result in
            switch result {
            case .success(let damage?): self.tell(.damaged(damage))
            case .success(nil): break
            case .failure(let failure): self.complain(failure)
            }
        }
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
    /// Nil for outputs without a clock of their own, and for names that may stand for any card: a rate that is 40 ppm
    /// wrong costs a joiner some 100 us for seconds.
    fileprivate init?(cardOf device: OutputDeviceDescription) {
        guard device.hasKnownCard, let identity = device.identity else { return nil }
        self = .card("\(identity) at \(Int64(saturating: device.rate))")
    }
}

extension ChannelRole {
    /// The number that ``MemorySubject/role(_:)`` stores; nil for stereo.
    fileprivate var memoryCode: Int? {
        switch self {
        case .stereo: nil
        case .left: -1
        case .right: -2
        case .mono: -3
        case .channel(let number): number
        }
    }

    fileprivate init?(memoryCode code: Int) {
        switch code {
        case -1: self = .left
        case -2: self = .right
        case -3: self = .mono
        case Limits.channelRange: self = .channel(code)
        default: return nil
        }
    }
}

extension SkewPrior {
    /// Turns a record into what it is worth now.
    ///
    /// Two crystals in rooms and boxes that warm up and cool down differ by a few ppm from one meeting to the next, an
    /// hour or a month later (AT cuts: below 1 ppm per degree); ageing adds some 3 ppm per year to each. A machine that
    /// calibrates its counter anew at every boot may differ by more; the estimator drops a prior that contradicts the
    /// exchanges.
    init(remembered record: MemoryRecord, now: Int64) {
        let years = Double(max(0, now &- record.unixSeconds)) / (365.25 * 86_400)
        let deviation = (2 * 2 + 4 * years * 4 * years).squareRoot()
        self.init(
            skew: PartsPerMillion(record.value),
            deviation: min(PartsPerMillion(deviation), SkewPrior.unknown.deviation))
    }
}
