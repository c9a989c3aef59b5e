import AudioCore
import AudioQueueServices
import ClockSync
import HostSystem
import Listening
import NIOCore
import Peering
import Playout
import WireProtocol

/// Runs a listener's session: passes it one event at a time, and performs its actions in order; ticks; lets the last
/// fade be heard before it reports the end.
///
/// The shell and the simulation share this type; only the ``ListenTransport``, the ``ListenOutlet`` and the
/// ``ListenEnvironment`` differ. Owns no thread and reads no clock of its own. Confined to its owner's event loop.
public final class ListenExecutor {
    private enum State {
        /// If a fade is due, sound was told to fade out, and was not heard to have done so.
        case running(isFadeDue: Bool)
        /// The session is over, but its last sound is not.
        case fading(ListenOutcome)
        case over
    }

    /// The next tick while it plays.
    private enum PlayingTick {
        case due(HostTime)
        /// Earlier than it was due, with a part of the song.
        case brought
    }

    public private(set) var session: ListenSession
    /// Whether something else takes the frames in place of the sound device.
    public private(set) var isDeviceAway = false
    /// Without transport and environment events have no effect.
    public weak var transport: (any ListenTransport)?
    public weak var environment: (any ListenEnvironment)?
    private let outlet: any ListenOutlet
    private let events = EventSequencer<ListenEvent>()
    private var sleepDetector = SleepDetector()
    private var state = State.running(isFadeDue: false)
    private let playingTick: TimeSpan
    /// Nil while ticks are close, and once it comes earlier than it was due, for a report.
    private var nextPlayingTick: PlayingTick?

    /// Between ticks while the session waits for something.
    private static let tick = TimeSpan.milliseconds(20)
    /// Between ticks while it plays; short enough for the reports.
    private static let longestPlayingTick = ListenLimits.reportInterval + .milliseconds(10)
    /// How much later a tick may come than the last part of the song, so that the next part brings it along. A listener
    /// that holds enough is sent a part every 500 to 600 ms.
    private static let partPatience = TimeSpan.milliseconds(620)
    /// Longest wait for a fade. A device that cannot take back what was written plays on for the length of its buffer.
    private static let longestFade = TimeSpan.milliseconds(300)

    /// - Parameter playingTick: between ticks while it plays; no longer than the reports allow.
    public init(
        configuration: ListenConfiguration, outlet: any ListenOutlet, playingTick: TimeSpan, now: HostTime
    ) {
        session = ListenSession(configuration: configuration, now: now)
        self.outlet = outlet
        self.playingTick = min(playingTick, Self.longestPlayingTick)
    }

    /// Begins to tick.
    public func start() { environment?.startTimer(.zero) }

    /// Handles the end of the time that the executor asked for.
    /// - Returns: the playout state that the session was given; nil if it is over.
    @discardableResult
    public func timerDidFire() -> PlayoutSnapshot? {
        switch state {
        case .running: return onTick()
        case .fading(let outcome): finish(outcome)
        case .over: break
        }
        return nil
    }

    /// Handles an event. May be called from within an action.
    ///
    /// If this machine slept, the session is told so first.
    public func handle(_ event: ListenEvent) {
        if let environment, let span = sleepDetector.note(environment.sleepReading) {
            pass(.machineDidSleep(for: span))
        }
        if let estimate = transport?.takeEstimate() { pass(.clock(estimate)) }
        pass(event)
        if case .received = event { tickEarly() }
        tickForReport()
    }

    /// Ticks in the same wake as what came, if a tick is due soon: one wake of the thread instead of two.
    private func tickEarly() {
        guard case .running = state, let environment, case .due(let due) = nextPlayingTick,
            due - environment.now <= playingTick * 0.5
        else { return }
        nextPlayingTick = .brought
        environment.startTimer(.zero)
    }

    /// Ticks when a report is due that the broadcaster waits for. With the next tick it would come so late that a
    /// window of a tenth of a second carries no more song than is played.
    private func tickForReport() {
        guard case .running = state, let environment, case .due(let tick) = nextPlayingTick,
            let report = session.awaitedReport, report < tick
        else { return }
        nextPlayingTick = nil
        environment.startTimer(max(.zero, report - environment.now))
    }

    /// Handles an event of the outlet's queue.
    public func heard(_ event: TimelineQueueEvent) {
        switch event {
        case .playout(.started(let epoch, _, _, _)): handle(.heardStart(epoch))
        case .playout(.finished(let epoch)): handle(.heardEnd(epoch))
        case .playout(.stopped): noteSilence()
        case .device(.vanished): isDeviceAway = true
        case .device(.returned): isDeviceAway = false
        case .playout, .device, .cannotDecode, .decodingFailed: break
        }
        // Something went wrong, or something ends.
        if case .running = state { environment?.startTimer(.zero) }
    }

    /// Notes that the outlet was closed: nothing is reported any more.
    public func close() { state = .over }

    private func onTick() -> PlayoutSnapshot {
        var playout = outlet.playout
        if isDeviceAway { playout.markInaudible() }
        let span = playout.state == .playing ? spanOfPlayingTick : nil
        nextPlayingTick = span.flatMap { span in environment.map { .due($0.now + span) } }
        environment?.startTimer(span ?? Self.tick)
        handle(.playout(playout))
        return playout
    }

    private var spanOfPlayingTick: TimeSpan {
        if case .brought = nextPlayingTick, playingTick == Self.longestPlayingTick { return Self.partPatience }
        return playingTick
    }

    private func pass(_ event: ListenEvent) {
        events.pass(event) { event in
            guard let environment, let transport else { return }
            for action in session.handle(event, now: environment.now) { perform(action, transport, environment) }
        }
    }

    private func perform(
        _ action: ListenAction, _ transport: any ListenTransport, _ environment: any ListenEnvironment
    ) {
        switch action {
        case .dial(let dial): transport.dial(dial)
        case .send(let id, let bytes): transport.send(bytes, to: id)
        case .close(let id): transport.close(id)
        case .abort(let id): transport.abort(id)
        case .startClock(let id, let port, let key, let peer, let prior):
            transport.startClock(id, port: port, key: key, peer: peer, prior: prior)
        case .stopClock: transport.stopClock()
        case .restartClock: transport.restartClock()
        case .sendClock(let id, let request):
            let bytes = WireEncoder.clock(request.bytes)
            let transmit = environment.now
            transport.send(bytes, to: id)
            handle(.sentClock(sequence: request.sequence, at: transmit))
        case .begin(let epoch, let summary, let firstFrame): outlet.begin(epoch, summary, firstFrame: firstFrame)
        case .append(let epoch, let summary, let firstFrame): outlet.append(epoch, summary, firstFrame: firstFrame)
        case .enqueue(let position, let descriptions, let data, let epoch):
            outlet.enqueue(descriptions, data: data.readableBytesSpan, at: position, epoch: epoch)
        case .cut(let frame, let epoch): outlet.cut(at: frame, epoch: epoch)
        case .resume(let epoch): outlet.resume(epoch)
        case .drop(let epoch): outlet.drop(epoch)
        case .reenter(let frame, let epoch): outlet.reenter(at: frame, epoch: epoch)
        case .setTimeline(let timeline): outlet.setTimeline(timeline)
        case .finish(let end, let epoch): outlet.finish(at: end, epoch: epoch)
        case .hold(let fade): outlet.hold(fade: fade)
        case .silence(let fade): silence(fade)
        case .broadcasterChanged: transport.broadcasterDidChange()
        case .household(let id, let document): transport.didReceive(household: document, from: id)
        case .lookUp(let id, let lookup): transport.lookUp(lookup, for: id)
        case .met(let peer): transport.didMeet(peer)
        case .watchPins: transport.watchPins()
        case .set(let operation): environment.set(operation)
        case .setGroupVolume(let volume): environment.setGroupVolume(volume)
        case .answer(let message): environment.listenerDidHear(message)
        case .notice(let notice): environment.listenerDidTell(notice)
        case .finished(let outcome): end(outcome, environment)
        }
    }

    /// The playout's state is that of the newest rendered frame: after the stop it may already be silent, while the
    /// fade still lies in the device.
    private func silence(_ fade: TimeSpan) {
        if case .running(isFadeDue: false) = state { state = .running(isFadeDue: isSounding) }
        outlet.stop(fade: fade)
    }

    private var isSounding: Bool {
        let playing = outlet.playout.state
        return playing == .playing || playing == .starved
    }

    private func noteSilence() {
        switch state {
        case .running: state = .running(isFadeDue: false)
        case .fading(let outcome): finish(outcome)
        case .over: break
        }
    }

    /// Lets the fade be heard before the end is reported.
    private func end(_ outcome: ListenOutcome, _ environment: any ListenEnvironment) {
        guard case .running(let isFadeDue) = state else { return }
        state = .fading(outcome)
        environment.startTimer(isFadeDue || isSounding ? Self.longestFade : .zero)
    }

    private func finish(_ outcome: ListenOutcome) {
        state = .over
        environment?.listenerDidFinish(outcome)
    }
}

extension PlayoutSnapshot {
    /// Corrects a state that would only be true of a loudspeaker.
    fileprivate mutating func markInaudible() {
        if state == .playing { state = .waiting }
        timelineError = nil
        modelBound = nil
    }
}
