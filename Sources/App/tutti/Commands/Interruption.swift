import AudioCore
import Synchronization

/// A request to end, from whatever side it comes first. Kept until there is a session to stop.
final class Interruption: Sendable {
    /// The meaning of a signal.
    enum Meaning: Hashable, Sendable {
        /// The first signal: end cleanly.
        case stop
        /// The same request, delivered twice: `timeout` signals the process and its group, a closing terminal by way of
        /// the kernel and of the shell.
        case echo
        /// The user does not want to wait any longer.
        case exitAtOnce
    }

    /// A second signal that comes sooner is an echo.
    static let echoLimit = TimeSpan.milliseconds(300)

    private struct State {
        var signal: Int32?
        var raised: HostTime?
        var stop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The first signal raised.
    var signal: Int32? { state.withLock { $0.signal } }

    /// Requests the end, and returns what the caller has to do about it.
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

    /// Sets the action that stops the session; performs it at once if the end was already requested.
    func onRaise(_ stop: @escaping @Sendable () -> Void) {
        let isRaised = state.withLock { state in
            state.stop = stop
            return state.signal != nil
        }
        if isRaised { stop() }
    }
}
