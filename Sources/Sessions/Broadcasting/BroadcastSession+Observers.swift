import AudioCore
import Peering
import WireProtocol

/// Observers: they are sent the roster about once a second, and take no part.
extension BroadcastSession {
    mutating func admitObserver(_ link: ListenerLink, _ now: HostTime) {
        guard connections.links.count(where: \.isObserver) < BroadcastLimits.observerCount else {
            refuse(link.id, Refusal(.busy, "there are too many observers already"), now)
            return
        }
        connections.accept(link.id)
        connections.admit(link.id)
        link.admitAsObserver()
        // It may look at the path to the clock, too. Older releases do not tell it, and older observers pass it over.
        actions.append(.addKey(link.key))
        let welcome = Welcome(clockPort: configuration.clockPort, clockKey: link.key.bytes)
        send(WireEncoder.welcome(welcome), to: link, now)
        notify(.observed(by: link.connection.name), from: link, now)
    }

    /// Sends the roster to every observer that is due.
    mutating func tellObservers(_ now: HostTime) {
        let due = connections.links.filter { $0.isRosterDue(now) }
        guard !due.isEmpty else { return }
        let message = WireEncoder.roster(roster(now))
        for link in due {
            link.noteRoster(now)
            send(message, to: link, now)
        }
    }

    private func roster(_ now: HostTime) -> Roster {
        let state: Roster.State = !isPlaying ? .waiting : isFinishing ? .finishing : .playing
        let entries = connections.links.compactMap { link -> Roster.Entry? in
            guard link.isMember, let greeting = link.connection.greeting else { return nil }
            return Roster.Entry(
                instance: link.shownInstance, name: greeting.name, report: link.report,
                isBrowser: link.connection.isBrowser)
        }
        let gone = departures.recent(besides: Set(entries.map(\.instance)), now: now)
        return Roster(state: state, title: song.title ?? "", entries: entries + gone)
    }

    /// Notes that a listener left after it said so or had heard all.
    mutating func noteDeparture(of link: ListenerLink, _ now: HostTime) {
        guard link.isMember, let greeting = link.connection.greeting, let report = link.report else { return }
        let entry = Roster.Entry(
            instance: link.shownInstance, name: greeting.name, report: report, isBrowser: link.connection.isBrowser)
        departures.note(entry, now: now)
    }
}
