import AudioCore

/// What connections may take that have not proved to be of use: candidates. Which proof that takes is the session's affair.
public struct CandidateLimits: Hashable, Sendable {
    /// How many there may be at once.
    public var count: Int
    /// One that has been there for longer goes before others of its group, where one must go.
    public var patience: TimeSpan
    /// Bytes that may be kept of what they said, of all together.
    public var byteCount: Int

    public init(count: Int, patience: TimeSpan, byteCount: Int) {
        self.count = count
        self.patience = patience
        self.byteCount = byteCount
    }
}
