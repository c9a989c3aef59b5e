import AudioCore
import Glibc
import HostSystem
import Synchronization
import TuttiRuntime

/// What signals ask of a service, between the thread of the signals and the one that runs the sessions.
///
/// Any thread may call it; one reloads at a time.
final class ServiceControl<Served: ServedCommand>: Sendable {
    /// A session's turn: what it runs, and what ends it.
    struct Turn {
        let command: Served
        let interruption: Interruption
    }

    private struct State {
        /// What runs, or ran last.
        var current: Turn
        /// What takes its place; nil for nothing else.
        var next: Served?
    }

    private let state: Mutex<State>
    private let end = Interruption()
    private let wake: WakeSignal

    init(_ first: Served) throws(RuntimeFailure) {
        state = Mutex(State(current: Turn(command: first, interruption: Interruption())))
        do throws(WakeSignalError) { wake = try WakeSignal() } catch {
            throw RuntimeFailure(.general, .noFileDescriptor)
        }
    }

    /// Whether the service was asked to end.
    var isEnding: Bool { end.signal != nil }

    /// Whether another command is to run than the last one.
    var hasChanged: Bool { state.withLock { $0.next != nil } }

    /// Returns what is to run now; nil if the service was asked to end.
    func nextTurn() -> Turn? {
        let turn = state.withLock { state in
            state.current = Turn(command: state.next ?? state.current.command, interruption: Interruption())
            state.next = nil
            return state.current
        }
        // Whoever asked before ended the turn before; who asks from now on ends this one.
        return isEnding ? nil : turn
    }

    /// Ends the service.
    func stop(_ signal: Int32, now: HostTime) -> Interruption.Meaning {
        let meaning = end.raise(signal, now: now)
        guard meaning == .stop else { return meaning }
        let interruption = state.withLock { $0.current.interruption }
        interruption.raise(signal, now: now)
        wake.signal()
        return meaning
    }

    /// Reads the configuration anew. If it says something else, the session ends, and another one begins with that.
    func reload(now: HostTime) -> ServiceNotice {
        let latest = state.withLock { $0.next ?? $0.current.command }
        do throws(UsageError) {
            let command = try latest.reloaded()
            guard command.arguments != latest.arguments else { return .unchanged }
            // In one step: the turn that takes the command must not be the one that is ended for it.
            let interruption = state.withLock { state in
                state.next = command
                return state.current.interruption
            }
            interruption.raise(SIGHUP, now: now)
            wake.signal()
            return .changed
        } catch {
            return .notReloaded(error)
        }
    }

    /// Waits until a signal asks for something, at most for a time.
    func wait(atMost span: TimeSpan) {
        let deadline = HostTime.now() + span
        while !isEnding, !hasChanged {
            let left = deadline - .now()
            guard left > .zero else { return }
            wake.wait(atMost: left)
        }
    }
}
