import AudioCore
import Peering
import WireProtocol

/// Those who look on: they are told about once a second how the listeners are, and take no part.
extension BroadcastSession {
    mutating func admitObserver(_ id: ConnectionID, _ now: HostTime) {
        guard connections.links.count(where: \.isObserver) < BroadcastLimits.observerCount else {
            refuse(id, Refusal(.busy, "too many look on already"), now)
            return
        }
        connections.accept(id)
        connections[id]?.isObserver = true
        let name = connections[id]?.connection.name ?? ""
        actions.append(.notice(.detail, "\(name) looks on (tutti check)"))
    }

    /// Sends the roster to whom it is due. One whose socket does not take the last one is not sent the next.
    mutating func tellObservers(_ now: HostTime) {
        let due = connections.links.filter { link in
            guard link.isObserver, link.bytesInFlight == 0 else { return false }
            return link.lastRoster.map { now - $0 >= BroadcastLimits.rosterInterval } ?? true
        }
        guard !due.isEmpty else { return }
        let message = WireEncoder.roster(roster(now))
        for link in due {
            link.lastRoster = now
            send(message, to: link, now)
        }
    }

    private func roster(_ now: HostTime) -> Roster {
        let state: Roster.State = !isPlaying ? .waiting : end == nil ? .playing : .finishing
        let entries = connections.links.compactMap { link -> Roster.Entry? in
            guard link.isMember, let greeting = link.connection.greeting else { return nil }
            return Roster.Entry(instance: greeting.instance, name: greeting.name, report: link.report)
        }
        let present = Set(entries.map(\.instance))
        let gone = departures.filter { $0.isRecent(now) && !present.contains($0.entry.instance) }.map(\.entry)
        return Roster(state: state, title: summary.info[.title] ?? "", entries: entries + gone)
    }

    /// A listener that took leave, or had heard all, is shown as finished for a while: one that merely is no longer
    /// there has vanished.
    mutating func noteDeparture(of link: ListenerLink, _ now: HostTime) {
        guard link.isMember, let greeting = link.connection.greeting, var report = link.report else { return }
        report.state = .finished
        departures.removeAll { $0.entry.instance == greeting.instance || !$0.isRecent(now) }
        if departures.count >= BroadcastLimits.departureCount { departures.removeFirst() }
        let entry = Roster.Entry(instance: greeting.instance, name: greeting.name, report: report)
        departures.append(Departure(entry: entry, time: now))
    }
}

/// A listener that is gone and had said so.
struct Departure {
    var entry: Roster.Entry
    var time: HostTime

    func isRecent(_ now: HostTime) -> Bool { now - time < BroadcastLimits.departureTime }
}
