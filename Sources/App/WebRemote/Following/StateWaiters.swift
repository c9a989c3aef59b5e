import AudioCore

/// Who waits for the broadcast's state: a page may be asked before it has that, for a moment after it opened.
final class StateWaiters {
    /// Those that wait at once; others are told at once that there is none.
    static let limit = 64
    static let patience = TimeSpan.seconds(2)

    private var waiting: [(deadline: HostTime, then: (Bool) -> Void)] = []

    /// - Parameter then: is told whether the state is there.
    func add(_ now: HostTime, _ then: @escaping (Bool) -> Void) {
        guard waiting.count < Self.limit else { return then(false) }
        waiting.append((now + Self.patience, then))
    }

    /// Tells all that the state is there, or that it will not come.
    func tell(_ isThere: Bool) {
        let all = waiting
        waiting = []
        for waiter in all { waiter.then(isThere) }
    }

    /// Gives up those that have waited long enough.
    func expire(_ now: HostTime) {
        // Oldest first.
        let late = waiting.prefix { now >= $0.deadline }
        waiting.removeFirst(late.count)
        for waiter in late { waiter.then(false) }
    }
}
