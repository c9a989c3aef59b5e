import AudioCore

/// Bytes given to a socket that it has not taken.
struct SendBacklog {
    private(set) var byteCount = 0
    /// When the socket last took something, or was empty.
    private var lastProgress: HostTime

    init(_ now: HostTime) { lastProgress = now }

    mutating func append(_ byteCount: Int, _ now: HostTime) {
        if self.byteCount == 0 { lastProgress = now }
        self.byteCount += byteCount
    }

    mutating func remove(_ byteCount: Int, _ now: HostTime) {
        self.byteCount -= byteCount
        lastProgress = now
    }

    /// Excludes a span in which this process did not run.
    mutating func discount(_ span: TimeSpan, _ now: HostTime) { lastProgress = min(now, lastProgress + span) }

    /// Returns whether the socket has taken nothing for ``BroadcastLimits/stalledTime``.
    func isStalled(_ now: HostTime) -> Bool {
        byteCount > 0 && now - lastProgress > BroadcastLimits.stalledTime
    }
}
