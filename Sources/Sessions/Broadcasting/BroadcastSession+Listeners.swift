import AudioCore
import NIOCore
import Peering
import WireProtocol

/// How listeners sound: their own settings, and the volume of the group.
extension BroadcastSession {
    /// Passes an operation on to the listeners that it concerns. The group's volume scales those of all listeners, so
    /// that their ratios stay.
    mutating func set(
        _ operation: ListenerOperation, of target: ListenerTarget, by command: Command, _ now: HostTime
    ) throws(CommandRefusal) {
        guard operation.isInRange else { throw .outOfRange }
        if case .volume(let change) = operation, target == .all {
            groupVolume.apply(change)
            let message = WireEncoder.groupVolume(groupVolume)
            for link in connections.links where link.isMember { send(message, to: link, now) }
            return
        }
        let message = WireEncoder.command(command)
        for link in try listeners(target) { send(message, to: link, now) }
    }

    /// - Throws: ``CommandRefusal/noSuchListener(nearest:)``, or ``CommandRefusal/listenerRecords``
    private func listeners(_ target: ListenerTarget) throws(CommandRefusal) -> [ListenerLink] {
        let loudspeakers = connections.links.filter { $0.settings != nil }
        guard case .named(let name) = target else { return loudspeakers }
        var named = loudspeakers.filter { $0.connection.name == name }
        // The broadcaster's own loudspeakers go by its name, too.
        let own = loudspeakers.filter { $0.connection.greeting?.instance == configuration.ownListener }
        if named.isEmpty, name == configuration.greeting.name { named = own }
        // If nobody is called exactly so, case does not matter.
        let lowercased = name.lowercased()
        if named.isEmpty { named = loudspeakers.filter { $0.connection.name.lowercased() == lowercased } }
        if named.isEmpty, lowercased == configuration.greeting.name.lowercased() { named = own }
        if named.isEmpty, connections.links.contains(where: { $0.isMember && $0.connection.name == name }) {
            throw .listenerRecords
        }
        guard !named.isEmpty else {
            throw .noSuchListener(nearest: name.nearest(among: loudspeakers.map(\.connection.name)))
        }
        return named
    }

    /// Tells all listeners what plays next, if that changed.
    mutating func tellNext(_ now: HostTime) {
        let title = nextTitle
        guard title != toldNextTitle else { return }
        toldNextTitle = title
        let message = WireEncoder.nextTitle(title)
        for link in connections.links where link.isMember { send(message, to: link, now) }
    }

    /// Tells a listener that joins what the others were told.
    mutating func tellNext(_ link: ListenerLink, _ now: HostTime) {
        if let toldNextTitle { send(WireEncoder.nextTitle(toldNextTitle), to: link, now) }
    }

    /// Takes note of how a listener is set.
    mutating func note(_ settings: ListenerSettings, of id: ConnectionID) {
        guard let link = connections[id], link.isMember else { return }
        link.note(settings)
    }
}

extension ListenerOperation {
    /// Whether its numbers are among those that a listener can do.
    fileprivate var isInRange: Bool {
        switch self {
        case .volume(.level(let level)): Volume.range.contains(level)
        case .volume(.step(let step)): (-Volume.full.percent...Volume.full.percent).contains(step)
        case .volume: true
        case .offset(let offset): LoudspeakerSettings.offsetRange.contains(offset)
        case .role(.channel(let channel)): Limits.channelRange.contains(channel)
        case .role: true
        }
    }
}
