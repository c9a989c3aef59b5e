import AudioCore
import ClockSync
import Peering
import Programmes
import WireProtocol

/// Controllers, and all others who follow the programme: they are sent its state once, then each change.
extension BroadcastSession {
    mutating func admitController(_ link: ListenerLink, _ now: HostTime) {
        guard connections.links.count(where: \.isController) < BroadcastLimits.controllerCount else {
            refuse(link.id, Refusal(.busy, "there are too many controllers already"), now)
            return
        }
        connections.accept(link.id)
        connections.admit(link.id)
        link.admitAsController()
    }

    /// Sends the state, and from now on each change.
    mutating func follow(_ id: ConnectionID, _ now: HostTime) {
        guard let link = connections[id], !link.isStranger else { return }
        tellFollowers(now)
        if published.told == nil { published.begin(state(now)) }
        guard var state = published.told else { return }
        state.sent = ClockMapping.identity.session(at: now)
        link.follow()
        send(WireEncoder.programmeState(state), to: link, now)
    }

    /// Sends items of the queue.
    mutating func sendPage(_ request: QueuePageRequest, to id: ConnectionID, _ now: HostTime) {
        guard let link = connections[id], !link.isStranger else { return }
        // One that asks and does not read fills this machine's memory.
        guard link.takesAnswers else { return drop(id, .stalled, now) }
        tellFollowers(now)
        let page = programme.page(request, sequence: published.told?.sequence ?? 0)
        send(WireEncoder.queuePage(page), to: link, now)
    }

    /// Takes note of a change that the state does not show by itself.
    mutating func note(_ kind: ProgrammeChange.Kind, effect: SessionTime? = nil, _ now: HostTime) {
        published.note(kind, effect: effect ?? ClockMapping.identity.session(at: now))
    }

    /// Takes note of what became known of an item.
    mutating func note(item id: ItemID, _ now: HostTime) {
        guard published.told != nil, let item = programme.item(id) else { return }
        note(.item(item), now)
    }

    /// Tells followers what changed since they were told last.
    mutating func tellFollowers(_ now: HostTime) {
        guard published.told != nil else { return }
        let followers = connections.links.filter(\.isFollower)
        guard !followers.isEmpty else { return published.end() }
        noteDifferences(now)
        for change in published.takeChanges() {
            let message = WireEncoder.programmeChange(change)
            for link in followers { send(message, to: link, now) }
        }
    }

    private mutating func noteDifferences(_ now: HostTime) {
        guard let told = published.told else { return }
        let session = ClockMapping.identity.session(at: now)
        let status = transportStatus
        if !status.isLike(told.status, at: session) {
            note(.status(status), effect: status.position.map { max($0.session, session) }, now)
        }
        if programme.modes != told.modes { note(.modes(programme.modes), now) }
        if groupVolume != told.volume { note(.volume(groupVolume), now) }
        noteListeners(told.listeners, now)
    }

    private mutating func noteListeners(_ told: [ProgrammeListener], _ now: HostTime) {
        // Each of many listeners is looked at twice a second.
        var presentCount = 0
        for link in connections.links where link.isMember {
            presentCount += 1
            guard link.takeHasChanges(), let listener = link.listener else { continue }
            if published.listener(listener.instance)?.isLike(listener) != true {
                note(.listener(listener), now)
            }
        }
        guard told.count != presentCount || published.told?.listeners.count != presentCount else { return }
        let instances = Set(connections.links.lazy.filter(\.isMember).map(\.shownInstance))
        for listener in told where !instances.contains(listener.instance) {
            note(.listenerGone(instance: listener.instance), now)
        }
    }

    private func state(_ now: HostTime) -> ProgrammeState {
        ProgrammeState(
            sequence: 0, sent: ClockMapping.identity.session(at: now), status: transportStatus,
            modes: programme.modes, itemCount: programme.itemCount, volume: groupVolume,
            listeners: connections.links.compactMap(\.listener), page: page)
    }

    private var transportStatus: TransportStatus {
        TransportStatus(
            programme.transport, current: programme.current.flatMap(programme.item),
            next: programme.following.flatMap(programme.item), position: playbackPosition)
    }

    /// Where the current item is; nil while it is not known, or nothing sounded yet.
    private var playbackPosition: PlaybackPosition? {
        let track = present
        guard track.item == programme.current, let rate = track.song.framesPerSecond else { return nil }
        if let anchor = track.anchor {
            return PlaybackPosition(
                frame: anchor.frame, session: anchor.session, sampleRate: rate,
                framesPerSecond: anchor.framesPerSecond)
        }
        guard let frame = track.cutFrame, programme.transport == .paused else { return nil }
        return PlaybackPosition(
            frame: frame, session: track.cutInstant ?? SessionTime(nanoseconds: 0), sampleRate: rate,
            framesPerSecond: nil)
    }
}
