import AudioCore

/// The wait before the next attempt: doubles each time, up to a limit.
struct Backoff {
    let first: TimeSpan
    let limit: TimeSpan
    private var wait: TimeSpan

    init(first: TimeSpan, limit: TimeSpan) {
        self.first = first
        self.limit = limit
        wait = first
    }

    mutating func next() -> TimeSpan {
        defer { wait = min(limit, wait + wait) }
        return wait
    }

    mutating func reset() { wait = first }
}
