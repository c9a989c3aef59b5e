import AudioCore
import Broadcasting
import ClockSync
import HostSystem
import WireProtocol

/// Runs a broadcast's session: passes it one event at a time, and performs its actions in order.
///
/// The shell and the simulation share this type; only the ``BroadcastEnvironment`` differs. Owns no thread and reads no
/// clock of its own. Confined to its owner's event loop.
public final class BroadcastExecutor {
    public private(set) var session: BroadcastSession
    /// Where actions are performed; without it events have no effect.
    public weak var environment: (any BroadcastEnvironment)?
    private let events = EventSequencer<BroadcastEvent>()
    private var sleepDetector = SleepDetector()

    public init(configuration: BroadcastConfiguration) { session = BroadcastSession(configuration: configuration) }

    /// Begins to tick.
    public func start() { timerDidFire() }

    /// Handles the end of the time that the executor asked for.
    public func timerDidFire() {
        tellOfSleep()
        handle(.tick)
        if let interval = session.tickInterval { environment?.startTimer(interval) }
    }

    /// Handles an event. May be called from within an action.
    public func handle(_ event: BroadcastEvent) {
        events.pass(event) { event in
            guard let environment else { return }
            for action in session.handle(event, now: environment.now) { perform(action, in: environment) }
        }
    }

    /// Reports a sleep. The song's timeline stopped with this machine's clock; listeners come back by themselves.
    private func tellOfSleep() {
        guard let environment, let span = sleepDetector.note(environment.sleepReading) else { return }
        environment.machineDidSleep(for: span)
    }

    private func perform(_ action: BroadcastAction, in environment: any BroadcastEnvironment) {
        switch action {
        case .dial(let dial): environment.dial(dial)
        case .send(let id, let bytes): environment.send(bytes, to: id)
        case .sendShared(let id, let messages): environment.send(messages, to: id)
        case .sendClock(let id, let reply):
            let transmit = ClockMapping.identity.session(at: environment.now)
            environment.send(WireEncoder.clock(reply.bytes(transmit: transmit)), to: id)
        case .close(let id): environment.close(id)
        case .addKey(let key): environment.addKey(key)
        case .removeKey(let key): environment.removeKey(key)
        case .openSource(let request): environment.openSource(request)
        case .readSource(let epoch): environment.readSource(epoch)
        case .closeSource(let epoch): environment.closeSource(epoch)
        case .transcode(let request): environment.transcode(request)
        case .endTranscoding: environment.endTranscoding()
        case .openSpool(let offer): environment.openSpool(offer)
        case .writeSpool(let bytes): environment.writeSpool(bytes)
        case .closeSpool(let id): environment.closeSpool(id)
        case .lookUp(let id, let lookup, let item): environment.lookUp(lookup, about: item, for: id)
        case .describe(let item, let location): environment.describe(item, at: location)
        case .household(let id, let document): environment.didReceive(household: document, from: id)
        case .met(let peer): environment.didMeet(peer)
        case .watchPins: environment.watchPins()
        case .answer(let outcome, let asker): environment.answer(outcome, to: asker)
        case .changed: environment.broadcastDidChange()
        case .notice(let notice): environment.broadcastDidTell(notice)
        case .finished(let outcome): environment.broadcastDidFinish(outcome)
        }
    }
}
