import AudioCore
import WireProtocol

/// Asking songs what they are called, one at a time and at a bounded rate: disks, processor, and the links of those who
/// are told of each answer have other things to do.
///
///     idle ──begin──▶ asked ──end──▶ idle
struct DescriptionRequests {
    private enum Phase: Equatable {
        case idle
        case asked(ItemID)
    }

    private var phase = Phase.idle
    /// When the next request would come at the rate that is allowed in the long run. In the past: the whole burst is
    /// free (the "theoretical arrival time" of the generic cell rate algorithm, ITU-T I.371 annex A).
    private var theoreticalArrival: HostTime?

    private static var interval: TimeSpan { .seconds(1) * (1 / Double(BroadcastLimits.descriptionsPerSecond)) }
    private static var burst: TimeSpan { interval * Double(BroadcastLimits.descriptionBurst - 1) }

    func mayBegin(_ now: HostTime) -> Bool {
        phase == .idle && (theoreticalArrival.map { $0 - now <= Self.burst } ?? true)
    }

    mutating func begin(_ item: ItemID, _ now: HostTime) {
        phase = .asked(item)
        theoreticalArrival = max(theoreticalArrival ?? now, now) + Self.interval
    }

    /// Takes an answer.
    /// - Returns: whether it was asked for.
    mutating func end(_ item: ItemID) -> Bool {
        guard phase == .asked(item) else { return false }
        phase = .idle
        return true
    }
}
