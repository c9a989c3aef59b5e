import AudioCore
import Synchronization

/// The one wish to end, whoever has it first: remembered until there is a session that can be stopped.
final class Interruption: Sendable {
    /// What a signal means.
    enum Meaning: Hashable, Sendable {
        /// The first: end cleanly.
        case stop
        /// The same wish, delivered twice: `timeout` signals the process and its group, a closing terminal the kernel's
        /// and the shell's way.
        case echo
        /// Someone does not want to wait any longer.
        case exitAtOnce
    }

    /// A second signal that comes sooner is no second wish.
    static let echoLimit = TimeSpan.milliseconds(300)

    private struct State {
        var signal: Int32?
        var raised: HostTime?
        var stop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The first signal raised.
    var signal: Int32? { state.withLock { $0.signal } }

    /// Asks for the end, and says what the caller has to do about it.
    @discardableResult
    func raise(_ signal: Int32, now: HostTime) -> Meaning {
        let (meaning, stop) = state.withLock { state -> (Meaning, (@Sendable () -> Void)?) in
            if let raised = state.raised { return (now - raised < Self.echoLimit ? .echo : .exitAtOnce, nil) }
            state.signal = signal
            state.raised = now
            return (.stop, state.stop)
        }
        stop?()
        return meaning
    }

    /// Says how to end; done at once where that was asked for before.
    func onRaise(_ stop: @escaping @Sendable () -> Void) {
        let isRaised = state.withLock { state in
            state.stop = stop
            return state.signal != nil
        }
        if isRaised { stop() }
    }
}
