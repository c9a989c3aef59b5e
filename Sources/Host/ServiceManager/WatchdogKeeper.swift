import AudioCore

// A sign of life that a thread of its own gives would say nothing of the thread that matters. So the thread that
// matters is asked first, and only its answer is passed on: in half of the manager's interval, as
// sd_watchdog_enabled(3) recommends. What has not answered for a quarter of the interval is asked again, since the loop
// that was asked may have ended, and another begun.

/// Decides when a service is asked whether it is alive, and when the manager is told that it is. Pure.
public struct WatchdogKeeper: Sendable {
    private let interval: TimeSpan
    private var nextQuestion: HostTime

    /// - Parameters:
    ///   - interval: after which the manager starts the service anew; positive.
    ///   - now: when the manager began to wait.
    public init(interval: TimeSpan, now: HostTime) {
        self.interval = interval
        nextQuestion = now
    }

    /// Looks at the clock.
    /// - Returns: whether to ask now.
    public mutating func isQuestionDue(_ now: HostTime) -> Bool {
        guard now >= nextQuestion else { return false }
        nextQuestion = now + interval * 0.25
        return true
    }

    /// Takes an answer, of which the manager is to be told at once.
    public mutating func answered(_ now: HostTime) { nextQuestion = now + interval * 0.5 }

    /// How long there is nothing to do.
    public func wait(_ now: HostTime) -> TimeSpan { max(.zero, nextQuestion - now) }
}
