import AudioCore
import ClockSync
import NIOCore
import Peering
import WireProtocol

/// How listeners sound: their own settings, and the volume of the group.
extension BroadcastSession {
    /// Passes an operation on to the listeners that it concerns. The group's volume scales those of all listeners, so
    /// that their ratios stay.
    /// - Returns: the listeners that will say that they are set so, and what there is to tell who asked.
    mutating func set(
        _ operation: ListenerOperation, of target: ListenerTarget, by command: Command, from origin: CommandOrigin,
        _ now: HostTime
    ) throws(CommandRefusal) -> (awaited: [ConnectionID: PendingSetting.Word], text: String) {
        guard operation.isInRange else { throw .outOfRange }
        if case .volume(let change) = operation, target == .all {
            let former = groupVolume
            groupVolume.apply(change)
            return (sendGroupVolume(now), Self.remark(on: change, from: former, to: groupVolume))
        }
        let message = WireEncoder.command(command)
        var awaited: [ConnectionID: PendingSetting.Word] = [:]
        let targets = try listeners(target)
        for link in targets { try authorize(operation, of: link, from: origin) }
        for link in targets {
            send(message, to: link, now)
            if let settings = link.settings, settings.applying(operation) != settings { awaited[link.id] = .settings }
        }
        return (awaited, "")
    }

    /// Sends all listeners the group's volume.
    /// - Returns: those that will say that they play by it.
    private mutating func sendGroupVolume(_ now: HostTime) -> [ConnectionID: PendingSetting.Word] {
        let message = WireEncoder.groupVolume(groupVolume)
        var awaited: [ConnectionID: PendingSetting.Word] = [:]
        for link in connections.links where link.isMember {
            send(message, to: link, now)
            let count = link.noteGroupVolumeSent()
            if link.confirmsGroupVolume { awaited[link.id] = .groupVolume(count: count) }
        }
        return awaited
    }

    /// Sends a listener that joins the group's volume.
    mutating func sendGroupVolume(to link: ListenerLink, _ now: HostTime) {
        send(WireEncoder.groupVolume(groupVolume), to: link, now)
        _ = link.noteGroupVolumeSent()
    }

    /// Returns what a step of the group's volume did beyond its words, or did not.
    private static func remark(
        on change: VolumeChange, from former: VolumeSetting, to present: VolumeSetting
    ) -> String {
        guard case .step(let step) = change, step != 0 else { return "" }
        if former.isMuted { return "the group is not muted any more: its volume is \(present.level)" }
        return former == present ? "the volume of the group is \(present.level) as it was" : ""
    }

    /// Answers commands whose listeners have all said that they are set so, have gone, or took too long.
    mutating func finishSettings(_ now: HostTime) {
        guard !pendingSettings.isEmpty else { return }
        let pending = pendingSettings
        pendingSettings = []
        for var setting in pending {
            setting.awaited = setting.awaited.filter { connections[$0.key] != nil }
            if setting.awaited.isEmpty || now >= setting.deadline {
                finish(setting, now)
            } else {
                pendingSettings.append(setting)
            }
        }
    }

    /// Answers a command to listeners, and names those that have not said that they are set so.
    mutating func finish(_ setting: PendingSetting, _ now: HostTime) {
        var pending = setting.pending
        let silent = setting.awaited.keys.compactMap { connections[$0]?.connection.name }.sorted()
        if !silent.isEmpty {
            pending.add("no word from \(Self.list(silent)) yet: see 'tutti status'")
        }
        // A ramp, and what the sound card holds.
        finish(pending, ClockMapping.identity.session(at: now) + BroadcastLimits.deviceLead, now)
    }

    /// Returns the first of these names, as many as an outcome has room for.
    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(BroadcastLimits.silentNameCount).joined(separator: ", ")
        let further = names.count - BroadcastLimits.silentNameCount
        return further > 0 ? "\(shown) and \(further) more" : shown
    }

    /// - Throws: ``CommandRefusal/noSuchListener(nearest:)``, or ``CommandRefusal/listenerRecords``
    private func listeners(_ target: ListenerTarget) throws(CommandRefusal) -> [ListenerLink] {
        let loudspeakers = connections.links.filter { $0.settings != nil }
        guard case .named(let name) = target else { return loudspeakers }
        var named = loudspeakers.filter { $0.connection.name == name }
        // The broadcaster's own loudspeakers go by its name, too.
        let own = loudspeakers.filter { isOwn($0) }
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

    /// Tells all listeners what plays next and in which order, if that changed.
    mutating func tellNext(_ now: HostTime) {
        if modes != toldModes {
            toldModes = modes
            tellListeners(WireEncoder.modes(modes), now)
        }
        let title = nextTitle
        guard title != toldNextTitle else { return }
        toldNextTitle = title
        tellListeners(WireEncoder.nextTitle(title), now)
    }

    /// Asks all listeners to report more rarely once they are many, and leaves it at that: who left may come back.
    mutating func askForFewerReports(_ now: HostTime) {
        guard isCrowded, toldReportInterval == nil else { return }
        let interval = BroadcastLimits.crowdedReportInterval
        toldReportInterval = interval
        tellListeners(WireEncoder.reportInterval(interval), now)
    }

    private mutating func tellListeners(_ message: ByteBuffer, _ now: HostTime) {
        for link in connections.links where link.isMember { send(message, to: link, now) }
    }

    /// Tells a listener that joins what the others were told.
    mutating func tellNext(_ link: ListenerLink, _ now: HostTime) {
        if toldModes != PlayModes() { send(WireEncoder.modes(toldModes), to: link, now) }
        if let toldNextTitle { send(WireEncoder.nextTitle(toldNextTitle), to: link, now) }
        if let toldReportInterval { send(WireEncoder.reportInterval(toldReportInterval), to: link, now) }
    }

    /// Takes note of how a listener is set.
    mutating func note(_ settings: ListenerSettings, of id: ConnectionID, _ now: HostTime) {
        guard let link = connections[id], link.isMember else { return }
        link.note(settings)
        release(id, now) { if case .settings = $0 { true } else { false } }
    }

    /// Takes note that a listener plays by the group's volume that it was sent next.
    mutating func noteGroupVolume(of id: ConnectionID, _ now: HostTime) {
        guard let link = connections[id], link.isMember else { return }
        let confirmed = link.noteGroupVolumeConfirmed()
        release(id, now) { if case .groupVolume(let count) = $0 { count <= confirmed } else { false } }
    }

    /// Waits no longer for a listener that has said this.
    private mutating func release(_ id: ConnectionID, _ now: HostTime, where isSaid: (PendingSetting.Word) -> Bool) {
        var isAnyDone = false
        for index in pendingSettings.indices {
            guard let word = pendingSettings[index].awaited[id], isSaid(word) else { continue }
            pendingSettings[index].awaited[id] = nil
            if pendingSettings[index].awaited.isEmpty { isAnyDone = true }
        }
        // Of many listeners each says so: the commands are gone through once all have.
        if isAnyDone { finishSettings(now) }
    }
}

extension ListenerSettings {
    /// How a listener is set that does this.
    fileprivate func applying(_ operation: ListenerOperation) -> ListenerSettings {
        var settings = self
        switch operation {
        case .volume(let change): settings.volume.apply(change)
        case .offset(let offset): settings.offset = offset
        case .role(let role): settings.role = role
        }
        return settings
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
