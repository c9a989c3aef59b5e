import AudioCore
import HostSystem

/// A way to show events; used by the display's thread alone.
protocol EventDisplay: Sendable {
    /// The shortest time between two calls of `show`; zero shows at once.
    var interval: TimeSpan { get }
    /// Shows a batch of events.
    /// - Returns: false if nobody can see it any more.
    mutating func show(_ batch: EventMailbox.Batch, now: HostTime) -> Bool
    /// Shows how the session ended.
    mutating func finish(_ result: SessionResult, exitCode: Int32)
}
