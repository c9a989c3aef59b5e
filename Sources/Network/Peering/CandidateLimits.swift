import AudioCore

/// Limits of candidates: connections that have not proved to be of use. The session decides what counts as proof.
public struct CandidateLimits: Hashable, Sendable {
    /// Candidates at once.
    public var count: Int
    /// When one must go, a candidate older than this goes before others of its group.
    public var patience: TimeSpan
    /// Bytes kept of what candidates sent, all together.
    public var byteCount: Int

    public init(count: Int, patience: TimeSpan, byteCount: Int) {
        self.count = count
        self.patience = patience
        self.byteCount = byteCount
    }
}
