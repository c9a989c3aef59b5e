import AudioCore
import WireProtocol

/// Listeners that took leave, or had heard all, and are gone: shown as finished for ``BroadcastLimits/departureTime`` to
/// those who look on. One that merely is no longer there has vanished.
///
/// Holds ``BroadcastLimits/departureCount``; of more the oldest are forgotten.
struct Departures {
    private var departures: [(entry: Roster.Entry, time: HostTime)] = []

    /// A listener went, of which `report` was the last word.
    mutating func note(_ greeting: Greeting, _ report: ListenerReport, now: HostTime) {
        departures.removeAll { $0.entry.instance == greeting.instance || !Self.isRecent($0.time, now) }
        if departures.count >= BroadcastLimits.departureCount { departures.removeFirst() }
        var report = report
        report.state = .finished
        departures.append((Roster.Entry(instance: greeting.instance, name: greeting.name, report: report), now))
    }

    /// Those that went a moment ago and are not back.
    func recent(besides present: Set<UInt64>, now: HostTime) -> [Roster.Entry] {
        departures.filter { Self.isRecent($0.time, now) && !present.contains($0.entry.instance) }.map(\.entry)
    }

    private static func isRecent(_ time: HostTime, _ now: HostTime) -> Bool {
        now - time < BroadcastLimits.departureTime
    }
}
