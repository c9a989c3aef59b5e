import AudioCore
import ClockSync

/// The time that requests may gather in a socket before they are answered.
///
/// Long enough that many share a wake-up, but short enough that they take little of what a socket holds (some 270 small
/// datagrams in the 212,992 bytes of `net.core.rmem_default`): 2,000 listeners that ask four times a second would send
/// 400 in the longest time.
struct RequestGathering {
    /// While the count of requests is in this range, the time stays the same.
    static let counts = 32..<64
    static let shortest = TimeSpan.milliseconds(1)

    private(set) var span = ClockLimits.gatheringTime

    /// Adapts the time to the number of requests that gathered.
    mutating func note(count: Int) {
        if count >= Self.counts.upperBound {
            span = max(span * 0.5, Self.shortest)
        } else if count < Self.counts.lowerBound {
            span = min(span * 2, ClockLimits.gatheringTime)
        }
    }
}
