import AudioCore
import HostSystem

/// Shows events in one form or another; used by the display's thread alone.
protocol EventDisplay: Sendable {
    /// The shortest time from one showing to the next; zero shows at once.
    var interval: TimeSpan { get }
    /// - Returns: false when nobody can see it any more.
    mutating func show(_ batch: EventMailbox.Batch, now: HostTime) -> Bool
    /// The last of it.
    mutating func finish(_ result: SessionResult, exitCode: Int32)
}
