import AudioCore
import ClockSync

/// How long requests may gather in a socket before they are answered.
///
/// So long that a wake-up is shared by many, and so short that they are few beside what a socket holds (some 270 small
/// datagrams in the 212,992 bytes of `net.core.rmem_default`): of 2,000 listeners that ask four times a second 400 would
/// come in the longest time.
struct RequestGathering {
    /// Between these no other time is tried.
    static let counts = 32..<64
    static let shortest = TimeSpan.milliseconds(1)

    private(set) var span = ClockLimits.gatheringTime

    /// So many requests came meanwhile.
    mutating func note(count: Int) {
        if count >= Self.counts.upperBound {
            span = max(span * 0.5, Self.shortest)
        } else if count < Self.counts.lowerBound {
            span = min(span * 2, ClockLimits.gatheringTime)
        }
    }
}
