import AudioCore
import AudioQueue
import ClockSync
import HostSystem
import Listening
import NIOCore
import Peering
import Playout
import WireProtocol

/// What a listen driver needs of its surroundings: a network, or the broadcaster in the same process.
protocol ListenTransport: AnyObject {
    func dial(_ dial: Dialer.Dial)
    func send(_ bytes: ByteBuffer, to id: ConnectionID)
    func close(_ id: ConnectionID)
    func abort(_ id: ConnectionID)
    func startClock(_ id: ConnectionID, port: UInt16, key: ClockKey, peer: UUIDBytes, prior: SkewPrior?)
    func stopClock()
    func restartClock()
    /// The advertised state changed: what is playing and from whom.
    func advertise(playing: String?)
}

/// Performs what a listen session decides, and brings it what happens: the session's hands.
///
/// Confined to its event loop; the audio queue's own events are brought there.
final class ListenDriver {
    /// Makes the outlet, with the handler that brings its events to the driver.
    typealias OutletMaker = (@escaping @Sendable (ListenOutletEvent) -> Void) throws(RuntimeFailure) ->
        any ListenOutlet
    /// Makes an audio queue in the same way.
    typealias QueueMaker = (@escaping @Sendable (AudioQueueEvent) -> Void) throws(RuntimeFailure) -> AudioQueue

    let loop: any EventLoop
    private var session: ListenSession
    private let events = EventSequencer<ListenEvent>()
    private var sleepDetector = SleepDetector()
    private let outlet: any ListenOutlet
    private let recollection: Recollection
    private weak var transport: (any ListenTransport)?
    private let name: String
    private let emit: @Sendable (RuntimeEvent) -> Void
    private let done: EventLoopPromise<ListenOutcome>
    private var ticker: Scheduled<Void>?
    private var nextStatus = HostTime(nanoseconds: 0)
    /// Something else takes the frames in the sound device's stead.
    private var isDeviceAway = false
    private var isClosed = false
    /// How it ended, while the fade is still heard.
    private var pendingOutcome: ListenOutcome?

    /// Between ticks of the session while something is awaited. While all goes well, often enough for the reports.
    private static let tick = TimeAmount.milliseconds(20)
    private static let longestCalmTick = ListenLimits.reportInterval + .milliseconds(10)
    private let calmTick: TimeAmount
    /// How often the status is shown, but for other states, which are shown at once.
    private let statusSpacing: TimeSpan
    private var shownState: ListenerStatus.State?
    private static let longestFade = TimeAmount.milliseconds(300)

    /// - Parameters:
    ///   - offset: what the user asked for; nil takes the one that is remembered for the device.
    ///   - statusInterval: how often `emit` is given the status.
    ///   - emit: notices and status for people.
    init(
        loop: any EventLoop, configuration: ListenConfiguration, transport: any ListenTransport,
        makeOutlet: OutletMaker, offset: TimeSpan?, recollection: Recollection, statusInterval: TimeSpan,
        emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) throws(RuntimeFailure) {
        self.loop = loop
        self.transport = transport
        self.emit = emit
        name = configuration.greeting.name
        // A timer is late, never early.
        statusSpacing = statusInterval - .milliseconds(5)
        calmTick = .nanoseconds(min(statusInterval, Self.longestCalmTick).nanoseconds)
        self.recollection = recollection
        let relay = OutletEventRelay(loop: loop)
        outlet = try makeOutlet { relay.pass($0) }
        var configuration = configuration
        if let device = outlet.device {
            recollection.use(device)
            configuration.offset = recollection.offset(asked: offset, on: device)
        }
        session = ListenSession(configuration: configuration, now: .now())
        done = loop.makePromise()
        relay.driver = self
    }

    /// How it ended; fails with a ``RuntimeFailure`` where the sound device is lost.
    var outcome: EventLoopFuture<ListenOutcome> { done.futureResult }

    /// Begins to tick.
    func start() {
        scheduleTick(in: .zero)
    }

    private func scheduleTick(in delay: TimeAmount) {
        ticker?.cancel()
        ticker = loop.scheduleTask(in: delay) { [weak self] in self?.onTick() }
    }

    /// Brings the session what happened; before it that this machine slept, if it did.
    func handle(_ event: ListenEvent) {
        if let span = sleepDetector.note(.now()) { pass(.machineDidSleep(for: span)) }
        pass(event)
    }

    private func pass(_ event: ListenEvent) {
        events.pass(event) { event in
            for action in session.handle(event, now: .now()) { perform(action) }
        }
    }

    func setVolume(_ gain: Float) { outlet.setVolume(gain) }

    /// Ends the sound at once. The driver is of no use afterwards.
    func close() {
        isClosed = true
        ticker?.cancel()
        outlet.close()
        // A driver that is closed early has an outcome as well.
        done.succeed(.stopped)
    }

    private func onTick() {
        var playout = outlet.playout
        if isDeviceAway { playout.noteNobodyHears() }
        scheduleTick(in: playout.state == .playing ? calmTick : Self.tick)
        handle(.playout(playout))
        if !isDeviceAway { recollection.note(playout, now: .now()) }
        let now = HostTime.now()
        let status = status
        guard now >= nextStatus || status.state != shownState else { return }
        nextStatus = now + statusSpacing
        shownState = status.state
        emit(.listening(status, song: song, broadcaster: session.broadcasterName))
    }

    private func perform(_ action: ListenAction) {
        switch action {
        case .dial(let dial): transport?.dial(dial)
        case .send(let id, let bytes): transport?.send(bytes, to: id)
        case .close(let id): transport?.close(id)
        case .abort(let id): transport?.abort(id)
        case .startClock(let id, let port, let key, let peer, let prior):
            transport?.startClock(id, port: port, key: key, peer: peer, prior: prior)
        case .stopClock: transport?.stopClock()
        case .restartClock: transport?.restartClock()
        case .sendClock(let id, let request): sendClock(request, to: id)
        case .begin(let epoch, let summary, let firstFrame): outlet.begin(epoch, summary, firstFrame: firstFrame)
        case .enqueue(let position, let descriptions, let data): enqueue(position, descriptions, data)
        case .reenter(let frame, let epoch): outlet.reenter(at: frame, epoch: epoch)
        case .setTimeline(let timeline): outlet.setTimeline(timeline)
        case .finish(let end, let epoch): outlet.finish(at: end, epoch: epoch)
        case .hold(let fade): outlet.hold(fade: fade)
        case .silence(let fade): outlet.stop(fade: fade)
        case .advertise: transport?.advertise(playing: session.summary.map { $0.info[.title] ?? "untitled" })
        case .notice(let notice): emit(.notice(.listening(notice)))
        case .finished(let outcome): finish(outcome)
        }
    }

    private func sendClock(_ request: ClockClient.Request, to id: ConnectionID) {
        let bytes = WireEncoder.clock(request.bytes)
        let transmit = HostTime.now()
        transport?.send(bytes, to: id)
        handle(.sentClock(sequence: request.sequence, at: transmit))
    }

    private func enqueue(_ position: FramePosition, _ descriptions: [AudioPacketDescription], _ data: ByteBuffer) {
        guard let epoch = session.currentEpoch else { return }
        outlet.enqueue(descriptions, data: data.readableBytesSpan, at: position, epoch: epoch)
    }

    /// Lets the fade be heard before the end is told; a device that cannot rewind takes as long as its buffer.
    private func finish(_ outcome: ListenOutcome) {
        ticker?.cancel()
        pendingOutcome = outcome
        let state = outlet.playout.state
        let isSounding = state == .playing || state == .starved
        loop.scheduleTask(in: isSounding ? Self.longestFade : .zero) { self.done.succeed(outcome) }
    }

    func note(_ event: ListenOutletEvent) {
        switch event {
        case .queue(let event):
            heard(event)
            // All does not go well, or something ends.
            if pendingOutcome == nil, !isClosed { scheduleTick(in: .zero) }
        case .recordedEnd(let epoch): handle(.heardEnd(epoch))
        case .isComplete: handle(.stop)
        case .failed(let failure): done.fail(failure)
        }
    }

    private func heard(_ event: AudioQueueEvent) {
        switch event {
        case .playout(.finished(let epoch)): handle(.heardEnd(epoch))
        case .playout(.underrun) where session.isFed:
            emit(.notice(.device(.packetsLate)))
        case .playout(.replaced(_, let cause, _, let error)):
            emit(.notice(.device(.placedAnew(cause, error: error))))
        case .playout(.xrun): emit(.notice(.device(.xrun(isPlacedAnew: true))))
        case .playout(.stopped): if let pendingOutcome { done.succeed(pendingOutcome) }
        case .playout: break
        case .device(.notice(let text)): emit(.notice(.device(.remark(text))))
        case .device(.vanished(let error)):
            isDeviceAway = true
            emit(.notice(.device(.vanished(error))))
        case .device(.returned(let device)):
            isDeviceAway = false
            recollection.use(device)
            emit(.notice(.device(.returned(name: device.name))))
        case .device(.lost(let error)): done.fail(RuntimeFailure(.unavailable, "\(error)"))
        case .cannotDecode(_, let error): emit(.notice(.song(.undecodable(error))))
        case .decodingFailed(_, let error): emit(.notice(.song(.decodingFailed(error))))
        }
    }

    // MARK: For display

    private var status: ListenerStatus {
        guard let report = session.currentReport(.now()) else {
            return ListenerStatus(name: name, state: .connecting, buffered: .zero, timing: nil)
        }
        var status = ListenerStatus(name: name, report: report)
        status.isRecorder = session.isRecorder
        return status
    }

    private var song: SongStatus? {
        guard let summary = session.summary, summary.isReady else { return nil }
        return SongStatus(summary, elapsed: session.duePosition(.now()), end: nil)
    }
}

// Confined to its event loop: the ticker, the transport's callbacks and the relay all run there.
extension ListenDriver: @unchecked Sendable {}

extension PlayoutSnapshot {
    /// What is said of the sound is not true of a loudspeaker.
    fileprivate mutating func noteNobodyHears() {
        if state == .playing { state = .waiting }
        timelineError = nil
        modelBound = nil
    }
}

extension ListenerStatus {
    init(name: String, report: ListenerReport) {
        self.init(
            name: name, state: report.state, buffered: report.buffered, lowWater: report.lowWater,
            timing: report.timing, counters: report.counters)
    }
}
