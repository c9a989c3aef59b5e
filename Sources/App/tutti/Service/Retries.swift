import AudioCore
import TuttiRuntime

/// When a session that could not begin is tried again, and what is said of it: a cause once, however often it is found.
struct Retries {
    private static let first = TimeSpan.seconds(1)
    private static let longest = TimeSpan.seconds(10)

    private var cause: RuntimeFailure?
    private var span = first
    private var lastFailure: HostTime?

    /// Whether the last try failed.
    var isWaiting: Bool { cause != nil }

    /// Notes a failure.
    /// - Parameter tell: called if it is another one than the last.
    /// - Returns: how long to wait before the next try.
    mutating func note(_ failure: RuntimeFailure, _ now: HostTime, tell: () -> Void) -> TimeSpan {
        // A session that ran for a while failed for a new reason, even if it is the same.
        let isNew = failure != cause || lastFailure.map { now - $0 > Self.longest + Self.longest } ?? true
        (cause, lastFailure) = (failure, now)
        if isNew {
            tell()
            span = Self.first
        }
        defer { span = min(Self.longest, span + span) }
        return span
    }
}

extension RuntimeFailure {
    /// Whether another try may go better: a port that becomes free, a device or a peer that comes. A mistake of the
    /// user, a key that others may use, or a bug do not pass by themselves.
    var mayPass: Bool {
        switch kind {
        case .unavailable, .unknownPeer, .lost, .temporary, .cannotCreate: true
        case .general, .usage, .unusableInput, .missingInput, .incompatible, .notAllowed: false
        }
    }
}
