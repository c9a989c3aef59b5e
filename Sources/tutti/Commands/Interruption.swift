import Synchronization

/// The one wish to end, whoever has it first: remembered until there is a session that can be stopped.
final class Interruption: Sendable {
    private struct State {
        var signal: Int32?
        var stop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The first signal raised.
    var signal: Int32? { state.withLock { $0.signal } }

    /// Asks for the end.
    /// - Returns: false where it was asked for before.
    @discardableResult
    func raise(_ signal: Int32) -> Bool {
        let (isFirst, stop) = state.withLock { state in
            guard state.signal == nil else { return (false, nil as (@Sendable () -> Void)?) }
            state.signal = signal
            return (true, state.stop)
        }
        stop?()
        return isFirst
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
