import AudioCore
import Broadcasting
import ClockSync
import HostSystem
import WireProtocol

/// Runs a broadcast's session: brings it what happens, one event at a time, and has done what it asks for, in its order.
///
/// The one place that knows how, for the shell and the simulation alike: what differs is the ``BroadcastEnvironment``.
/// Owns no thread and reads no clock of its own. Confined to its owner's event loop.
public final class BroadcastExecutor {
    public private(set) var session: BroadcastSession
    /// Without it events come to nothing.
    public weak var environment: (any BroadcastEnvironment)?
    private let events = EventSequencer<BroadcastEvent>()
    private var sleepDetector = SleepDetector()

    public init(configuration: BroadcastConfiguration) { session = BroadcastSession(configuration: configuration) }

    /// Begins to tick.
    public func start() { timerDidFire() }

    /// The time that the executor asked for has passed.
    public func timerDidFire() {
        tellOfSleep()
        handle(.tick)
        if let interval = session.tickInterval { environment?.startTimer(interval) }
    }

    /// Something happened. May be called from within an action.
    public func handle(_ event: BroadcastEvent) {
        events.pass(event) { event in
            guard let environment else { return }
            for action in session.handle(event, now: environment.now) { perform(action, in: environment) }
        }
    }

    /// The song's timeline stood still with this machine's clock, and listeners that missed it come back by themselves.
    private func tellOfSleep() {
        guard let environment, let span = sleepDetector.note(environment.sleepReading) else { return }
        environment.machineDidSleep(for: span)
    }

    private func perform(_ action: BroadcastAction, in environment: any BroadcastEnvironment) {
        switch action {
        case .dial(let dial): environment.dial(dial)
        case .send(let id, let bytes): environment.send(bytes, to: id)
        case .sendClock(let id, let reply):
            let transmit = ClockMapping.identity.session(at: environment.now)
            environment.send(WireEncoder.clock(reply.bytes(transmit: transmit)), to: id)
        case .close(let id): environment.close(id)
        case .addKey(let key): environment.addKey(key)
        case .removeKey(let key): environment.removeKey(key)
        case .readSource: environment.readSource()
        case .transcode(let request): environment.transcode(request)
        case .endTranscoding: environment.endTranscoding()
        case .advertise: environment.advertise()
        case .notice(let notice): environment.broadcastDidTell(notice)
        case .finished(let outcome): environment.broadcastDidFinish(outcome)
        }
    }
}
