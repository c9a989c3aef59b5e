import AudioCore
import WireProtocol

/// Listeners that left after they said so or had heard all, shown to observers as finished for
/// ``BroadcastLimits/departureTime``. Any other listener that is gone has vanished.
///
/// Holds ``BroadcastLimits/departureCount``; beyond that the oldest are forgotten.
struct Departures {
    private var departures: [(entry: Roster.Entry, time: HostTime)] = []

    /// Notes that a listener left, as it was shown last.
    mutating func note(_ entry: Roster.Entry, now: HostTime) {
        departures.removeAll { $0.entry.instance == entry.instance || !Self.isRecent($0.time, now) }
        if departures.count >= BroadcastLimits.departureCount { departures.removeFirst() }
        var entry = entry
        entry.report?.state = .finished
        departures.append((entry, now))
    }

    /// Returns the listeners that left recently and have not come back.
    func recent(besides present: Set<UInt64>, now: HostTime) -> [Roster.Entry] {
        departures.filter { Self.isRecent($0.time, now) && !present.contains($0.entry.instance) }.map(\.entry)
    }

    private static func isRecent(_ time: HostTime, _ now: HostTime) -> Bool {
        now - time < BroadcastLimits.departureTime
    }
}
