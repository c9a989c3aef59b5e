import AudioCore
import Glibc
import HostSystem
import Synchronization
import TuttiRuntime

/// What signals ask of a service, between the thread of the signals and the one that runs the sessions.
///
/// Any thread may call it.
final class ServiceControl<Served: ServedCommand>: Sendable {
    /// A session's turn: what it runs, and what ends it.
    struct Turn {
        let command: Served
        let interruption: Interruption
    }

    fileprivate struct State {
        /// What runs, or ran last.
        var current: Turn
        /// What takes its place; nil for nothing else.
        var next: Served?
        var reading = Reading.none
    }

    /// Whether the configuration is being read.
    fileprivate enum Reading {
        case none, once
        /// Somebody has asked meanwhile: what comes of it may be old by then.
        case again
    }

    private let state: Mutex<State>
    private let end = Interruption()
    private let wake: WakeSignal

    init(_ first: Served) throws(RuntimeFailure) {
        state = Mutex(State(current: Turn(command: first, interruption: Interruption())))
        do throws(DescriptorError) { wake = try WakeSignal() } catch {
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

    /// Has the configuration read anew, on a thread of its own: a disk may hang, and nobody waits for it here. One
    /// reading goes on at a time; whoever asks meanwhile is answered by another one behind it, once for all of them.
    /// - Parameter tell: learns what came of it, on that thread.
    func requestReload(_ tell: @escaping @Sendable (ServiceNotice) -> Void) {
        let isFirst = state.withLock { state in
            defer { state.reading = state.reading == .none ? .once : .again }
            return state.reading == .none
        }
        guard isFirst else { return }
        do throws(HostThreadError) {
            _ = try HostThread(name: "tutti reload") { self.reloadUntilNobodyAsks(tell) }
        } catch {
            state.withLock { $0.reading = .none }
            tell(.notReloaded(UsageError("it cannot be read: \(RuntimeFailure(.general, .noThread).sentence)")))
        }
    }

    private func reloadUntilNobodyAsks(_ tell: (ServiceNotice) -> Void) {
        var isAskedAgain = true
        while isAskedAgain {
            if let notice = reload(now: .now()) { tell(notice) }
            isAskedAgain = state.withLock { state in
                defer { state.reading = state.reading == .again ? .once : .none }
                return state.reading == .again
            }
        }
    }

    /// Reads the configuration anew. If it says something else, the session ends, and another one begins with that. Not
    /// for two threads at a time.
    /// - Returns: nil if somebody has asked for another reading meanwhile: then nothing comes of this one.
    func reload(now: HostTime) -> ServiceNotice? {
        let latest = state.withLock { $0.next ?? $0.current.command }
        let outcome = Result { () throws(UsageError) in try latest.reloaded() }
        let (notice, interruption) = state.withLock { $0.take(outcome, insteadOf: latest) }
        if let interruption {
            interruption.raise(SIGHUP, now: now)
            wake.signal()
        }
        return notice
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

extension ServiceControl.State {
    /// Takes what a reading of the configuration gives.
    ///
    /// In one step: the turn that takes the command must not be the one that is ended for it.
    /// - Returns: what to tell, and what ends the session; both nil if it counts for nothing.
    fileprivate mutating func take(
        _ outcome: Result<Served, UsageError>, insteadOf latest: Served
    ) -> (ServiceNotice?, Interruption?) {
        guard reading != .again else { return (nil, nil) }
        switch outcome {
        case .success(let command) where command.arguments == latest.arguments: return (.unchanged, nil)
        case .success(let command):
            next = command
            return (.changed, current.interruption)
        case .failure(let error): return (.notReloaded(error), nil)
        }
    }
}
