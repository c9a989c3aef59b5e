import AudioCore
import AudioQueueServices
import HostSystem
import Listening
import NIOCore
import Playout
import SecureChannel
import SessionExecution
import WireProtocol

/// A listener of this machine: its executor on an event loop, its outlet, its memory, and its display.
///
/// Confined to that event loop; the outlet's own events are brought there.
final class ListenDriver {
    /// Makes the outlet, with the handler that brings its events to the driver.
    typealias OutletMaker = (@escaping @Sendable (ListenOutletEvent) -> Void) throws(RuntimeFailure) ->
        any MachineOutlet
    /// Makes an audio queue in the same way.
    typealias QueueMaker = (@escaping @Sendable (TimelineQueueEvent) -> Void) throws(RuntimeFailure) -> TimelineQueue

    let loop: any EventLoop
    private let executor: ListenExecutor
    private let outlet: any MachineOutlet
    private let rateStore: ClockRateStore
    private let name: String
    private let request: SettingsRequest
    /// Nil without any.
    private var limited: LimitedLoudspeakers?
    private let limit: VolumeLimit
    private let minuteOfDay: () -> MinuteOfDay
    private var nextLimitReview = HostTime(nanoseconds: 0)
    /// What the loudspeakers' volume is scaled by.
    private var groupVolume = VolumeSetting()
    /// Takes what the broadcaster answers to those who asked at this machine.
    var onAnswer: (ControlMessage) -> Void = { _ in }
    private var device: OutputDeviceDescription?
    /// How devices were told to play that another one took the place of, by their identities.
    private var former: [String: LoudspeakerSettings] = [:]
    private let emit: @Sendable (RuntimeEvent) -> Void
    private let done: EventLoopPromise<ListenOutcome>
    private let timer: LoopTimer
    /// Of the first broadcast that is heard; nil once that was told.
    private var startTimeline: StartTimeline? = StartTimeline()
    private var nextStatus = HostTime(nanoseconds: 0)
    /// Between two displays of the status; a changed state is shown at once.
    private let statusSpacing: TimeSpan
    private var shownState: ListenerStatus.State?

    /// Between looks at the wall clock, which may be set at any time.
    private static let limitReviewInterval = TimeSpan.seconds(1)

    /// - Parameters:
    ///   - settings: how the loudspeakers are to play, also those of another device that takes the place of the first;
    ///     one that comes back plays as it did.
    ///   - limit: the highest volume, whatever the settings and commands.
    ///   - minuteOfDay: reads the wall clock.
    ///   - statusInterval: how often `emit` is given the status.
    ///   - emit: takes notices and status for the user.
    init(
        loop: any EventLoop, configuration: ListenConfiguration, transport: any ListenTransport,
        makeOutlet: OutletMaker, settings: SettingsRequest, limit: VolumeLimit = .none,
        minuteOfDay: @escaping () -> MinuteOfDay = WallClock.minuteOfDay, rateStore: ClockRateStore,
        statusInterval: TimeSpan, emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) throws(RuntimeFailure) {
        self.loop = loop
        self.emit = emit
        name = configuration.greeting.name
        // A timer is late, never early.
        statusSpacing = statusInterval - .milliseconds(5)
        self.rateStore = rateStore
        request = settings
        self.limit = limit
        self.minuteOfDay = minuteOfDay
        timer = try LoopTimer(on: loop)
        let relay = OutletEventRelay(loop: loop)
        outlet = try makeOutlet { relay.pass($0) }
        startTimeline?.note(.device)
        var configuration = configuration
        device = outlet.device
        if let device {
            rateStore.use(device)
            let limited = LimitedLoudspeakers(
                settings.settings(of: device, rateStore), highest: limit.highest,
                ceiling: limit.ceiling(at: minuteOfDay()))
            configuration.offset = limited.inForce.offset
            outlet.apply(limited.inForce, group: groupVolume)
            self.limited = limited
        }
        executor = ListenExecutor(
            configuration: configuration, outlet: outlet, playingTick: statusInterval, now: .now())
        done = loop.makePromise()
        relay.driver = self
        executor.transport = transport
        executor.environment = self
        timer.onEnd = { [weak self] in self?.timerDidFire() }
        timer.readiness.cascadeFailure(to: done)
    }

    /// The outcome; fails with a ``RuntimeFailure`` if the sound device is lost.
    var outcome: EventLoopFuture<ListenOutcome> { done.futureResult }

    /// Begins to tick.
    func start() {
        executor.start()
        guard let limited else { return }
        executor.handle(.settings(ListenerSettings(limited.inForce)))
        if let notice = VolumeLimitNotice(limited.ceiling, after: nil) { emit(.notice(.volumeLimit(notice))) }
    }

    /// How the loudspeakers play; nil without any.
    var loudspeakers: LoudspeakerSettings? { limited?.inForce }

    /// Passes an event to the session.
    func handle(_ event: ListenEvent) {
        executor.handle(event)
        startTimeline?.note(event, executor.session)
    }

    /// Notes that something had been done on the way to the first sound.
    func noteStart(_ stage: StartTimeline.Stage) { startTimeline?.note(stage) }

    private func tellStart(firstSound: HostTime) {
        guard var told = startTimeline else { return }
        told.note(.sound, at: firstSound)
        startTimeline = nil
        emit(.notice(.start(told.sorted)))
    }

    /// The broadcaster that feeds this listener; nil while none does.
    var broadcaster: Greeting? { executor.session.broadcaster }

    /// The key that the broadcaster has proved to have; nil without one, and for this machine's own.
    var broadcasterKey: PeerKey? { executor.session.broadcasterKey }

    /// Changes how the loudspeakers play, if there are any.
    func perform(_ command: LoudspeakerCommand) {
        guard let device, let former = limited else { return }
        var next = former
        next.apply(command)
        guard next.wanted != former.wanted else {
            limited = next
            return
        }
        if next.wanted.offset != former.wanted.offset {
            _ = rateStore.offset(asked: next.wanted.offset, on: device)
        }
        rateStore.keep(next.remembered, on: device)
        play(by: next)
    }

    /// Has the loudspeakers play so from now on.
    private func play(by next: LimitedLoudspeakers) {
        let settings = next.inForce
        if settings.offset != loudspeakers?.offset { executor.handle(.setOffset(settings.offset)) }
        limited = next
        outlet.apply(settings, group: groupVolume)
        executor.handle(.settings(ListenerSettings(settings)))
        showStatus()
    }

    /// Looks at the wall clock: quiet hours may have begun or ended.
    func reviewLimit() {
        nextLimitReview = .now() + Self.limitReviewInterval
        guard !limit.quietHours.isEmpty, var next = limited else { return }
        let former = next.ceiling
        next.limit(to: limit.ceiling(at: minuteOfDay()))
        guard next.ceiling != former else { return }
        if let notice = VolumeLimitNotice(next.ceiling, after: former) { emit(.notice(.volumeLimit(notice))) }
        play(by: next)
    }

    /// Goes on with the device that is there again. Another one behind the same name plays by its own settings, unless
    /// the ones in force are to hold for any.
    private func use(_ device: OutputDeviceDescription) {
        let previous = self.device?.identity
        self.device = device
        rateStore.use(device)
        reviewLimit()
        guard let identity = device.identity, identity != previous, case .remembered = request, var next = limited
        else { return }
        if let previous { former[previous] = next.remembered }
        next.use(former[identity] ?? request.settings(of: device, rateStore))
        play(by: next)
    }

    /// Ends the sound at once. The driver must not be used afterwards.
    func close() {
        executor.close()
        timer.close()
        outlet.close()
        // Completes the outcome even if the driver is closed early.
        done.succeed(.stopped)
    }

    private func timerDidFire() {
        guard let playout = executor.timerDidFire() else { return }
        startTimeline?.note(nil, executor.session)
        if !executor.isDeviceAway { rateStore.note(playout, now: .now()) }
        if HostTime.now() >= nextLimitReview { reviewLimit() }
        if HostTime.now() >= nextStatus || status.state != shownState { showStatus() }
    }

    func note(_ event: ListenOutletEvent) {
        switch event {
        case .queue(let event):
            executor.heard(event)
            show(event)
        case .recordedEnd(let epoch): executor.handle(.heardEnd(epoch))
        case .isComplete: executor.handle(.stop)
        case .failed(let failure): done.fail(failure)
        }
    }

    private func show(_ event: TimelineQueueEvent) {
        switch event {
        case .playout(.started(_, _, let host, _)): tellStart(firstSound: max(host, .now()))
        case .playout(.underrun) where executor.session.isFed:
            emit(.notice(.device(.packetsLate)))
        case .playout(.replaced(_, let cause, _, let error)):
            emit(.notice(.device(.placedAnew(cause, error: error))))
        case .playout(.xrun): emit(.notice(.device(.xrun(isPlacedAnew: true))))
        case .playout: break
        case .device(.notice(let text)): emit(.notice(.device(.remark(text))))
        case .device(.vanished(let error)): emit(.notice(.device(.vanished(error))))
        case .device(.returned(let device)):
            emit(.notice(.device(.returned(name: device.name))))
            use(device)
        case .device(.lost(let error)): done.fail(RuntimeFailure(.unavailable, .output(error)))
        case .cannotDecode(_, let error): emit(.notice(.song(.undecodable(error))))
        case .decodingFailed(_, let error): emit(.notice(.song(.decodingFailed(error))))
        }
    }

    // MARK: For display

    private func showStatus() {
        let status = status
        nextStatus = .now() + statusSpacing
        shownState = status.state
        emit(.listening(status, song: song, broadcaster: executor.session.broadcasterName))
    }

    private var status: ListenerStatus {
        var status =
            executor.session.currentReport(.now()).map { ListenerStatus(name: name, report: $0) }
            ?? ListenerStatus(name: name, state: .connecting, buffered: .zero, timing: nil)
        if let limited { (status.loudspeakers, status.ceiling) = (limited.inForce, limited.ceiling) }
        status.isRecorder = executor.session.isRecorder
        status.next = executor.session.nextTitle
        status.modes = executor.session.modes
        return status
    }

    private var song: SongStatus? {
        guard let summary = executor.session.summary, summary.isReady else { return nil }
        return SongStatus(summary, elapsed: executor.session.duePosition(.now()), end: nil)
    }
}

extension ListenDriver: ListenEnvironment {
    var now: HostTime { .now() }

    var sleepReading: SleepReading { .now() }

    func startTimer(_ span: TimeSpan) { timer.start(span) }

    func set(_ operation: ListenerOperation) {
        for command in LoudspeakerCommand.commands(for: operation) { perform(command) }
        // Whoever commanded waits for this, also where the limit leaves everything as it was.
        if let loudspeakers { executor.handle(.settings(ListenerSettings(loudspeakers))) }
    }

    func setGroupVolume(_ volume: VolumeSetting) {
        groupVolume = volume
        if let loudspeakers { outlet.apply(loudspeakers, group: volume) }
    }

    func listenerDidHear(_ answer: ControlMessage) { onAnswer(answer) }

    func listenerDidTell(_ notice: ListenNotice) {
        emit(.notice(.listening(notice)))
        // The clock on the wall went on.
        if case .slept = notice { reviewLimit() }
    }

    func listenerDidFinish(_ outcome: ListenOutcome) { done.succeed(outcome) }
}

// Confined to its event loop: the timer, the transport's callbacks and the relay all run there.
extension ListenDriver: @unchecked Sendable {}

extension ListenerStatus {
    init(name: String, report: ListenerReport) {
        self.init(
            name: name, state: report.state, buffered: report.buffered, lowWater: report.lowWater,
            timing: report.timing, counters: report.counters)
    }
}
