import AudioCore
import NIOCore
import Observing

/// One check of a running broadcast: `tutti check` without its terminal.
public final class Checker: Sendable {
    private let options: CheckOptions
    private let identity: Identity

    public init(options: CheckOptions, identity: Identity) {
        self.options = options
        self.identity = identity
    }

    /// Observes for the requested time; blocks the calling thread.
    /// - Parameter handler: called for every notice, never on the calling thread.
    /// - Throws: why there was nothing to observe.
    public func run(_ handler: @escaping @Sendable (RuntimeEvent) -> Void) throws(RuntimeFailure) -> CheckResult {
        try RunControl().run { loop in
            CheckRunner(options: self.options, identity: self.identity, loop: loop, emit: handler).run()
        }
    }
}

/// The result of a check.
public struct CheckResult: Hashable, Sendable {
    public var broadcaster: String
    public var limit: TimeSpan
    /// The same where one of two listeners is a browser.
    public var browserLimit: TimeSpan
    /// Time from the first to the last roster.
    public var watched: TimeSpan
    /// The most listeners that played at once.
    public var listenerCount: Int
    /// What was out of step; nil if nothing was.
    public var objection: SyncFinding?
    /// The two that were farthest apart; nil if none were compared.
    public var worst: SyncFinding?
    /// The same of browsers; nil if there was none.
    public var worstOfBrowsers: SyncFinding?
    /// Whether the broadcast ended before the time was over.
    public var hasEnded: Bool

    public var isInStep: Bool { objection == nil }

    public init(
        broadcaster: String, limit: TimeSpan, browserLimit: TimeSpan = CheckOptions().browserLimit, watched: TimeSpan,
        listenerCount: Int, objection: SyncFinding?, worst: SyncFinding?, worstOfBrowsers: SyncFinding? = nil,
        hasEnded: Bool
    ) {
        self.broadcaster = broadcaster
        self.limit = limit
        self.browserLimit = browserLimit
        self.watched = watched
        self.listenerCount = listenerCount
        self.objection = objection
        self.worst = worst
        self.worstOfBrowsers = worstOfBrowsers
        self.hasEnded = hasEnded
    }
}
