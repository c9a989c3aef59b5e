import AudioCore
import ClockSync
import Peering
import WireProtocol

/// One broadcast of one song: events in, actions out.
///
///     opening ──properties──▶ waiting ──enough listeners are ready──▶ playing ──last frame heard──▶ over
///
/// A listener is greeted and, once the song is known to be one it can play, welcomed with the clock's key. It is sent
/// the stream's properties and first packets at once, so that it is ready before the start is decided. The decision
/// makes the anchor: frame 0 leaves every loudspeaker one start delay later. Packets are sent up to the horizon ahead,
/// and each message is encoded once: a listener has only a cursor into the shared log and a bounded number of bytes in
/// flight. Listeners without a decoder for the song share a second log, of linear PCM (``TranscodedSong``).
///
/// Owns no socket, thread or clock: `now` is the broadcaster's host time, which by definition is session time. The
/// simulation runs this very code.
public struct BroadcastSession {
    enum Phase: Equatable {
        case opening
        case waiting(since: HostTime)
        case playing(NumberedAnchor)
        case over
    }

    private(set) var phase = Phase.opening
    var configuration: BroadcastConfiguration
    var connections: ConnectionTable<ListenerLink>
    /// The song, and how its timeline follows its source.
    private(set) var song: BroadcastSong
    private(set) var follower: SourceFollower
    private var titles = TitleSchedule()
    var pcm = SharedPCM()
    var startDecision = StartDecision()
    /// Instances announced as joined. A replaced connection is not announced again.
    var announced: Set<UInt64> = []
    var departures = Departures()
    private var noticeLimiter = NoticeLimiter<BroadcastNotice.Kind, BroadcastNotice>()
    /// Connections refused so far. A duplicate connection to one process does not count: the other one goes on.
    public internal(set) var refusedCount = 0
    var actions: [BroadcastAction] = []

    public init(configuration: BroadcastConfiguration) {
        self.configuration = configuration
        connections = ConnectionTable(
            instance: configuration.greeting.instance, peers: .listener,
            allowed: AllowList(configuration.allowedNames), capacity: BroadcastLimits.connectionCount,
            candidates: BroadcastLimits.candidates)
        song = BroadcastSong(
            epoch: Epoch(1), fallbackTitle: configuration.fallbackTitle, loudness: configuration.loudness)
        follower = SourceFollower(configuration)
    }

    /// Handles one event.
    /// - Returns: the actions to perform, in order.
    public mutating func handle(_ event: BroadcastEvent, now: HostTime) -> [BroadcastAction] {
        guard phase != .over else { return [] }
        var isOfOneConnection = event.isOfOneConnection
        switch event {
        case .contact(let contact): learn(contact, now)
        case .contactLost(let key): unlearn(key, now)
        case .renamed(let name): configuration.greeting.name = name
        case .opened(let id, let direction, let address, let dial, let key):
            // Before the song plays, any event may cause its start.
            isOfOneConnection = isPlaying
            opened(id, direction, address: address, dial: dial, key: key, now)
        case .dialFailed(let dial, let failure): dialFailed(dial, failure, now)
        case .received(let id, let bytes): attend(to: id, now) { $0.receive(id, bytes, now) }
        case .wrote(let id, let byteCount):
            attend(to: id, now) { $0.connections[id]?.noteWritten(byteCount, now) }
        case .closed(let id):
            isOfOneConnection = isPlaying && connections[id]?.isStranger ?? true
            drop(id, nil, now)
        case .source(let event): read(event, now)
        case .transcoded(let reply): take(reply, now)
        case .tick: break
        case .stop: finish(.stopped, now)
        }
        if !isOfOneConnection { advance(now) }
        defer { actions = [] }
        return actions
    }

    /// Handles one connection's event and what follows for that connection. Each of many listeners is heard a few times
    /// a second, so the others are looked at only if the event changed this one's standing in the broadcast.
    private mutating func attend(to id: ConnectionID, _ now: HostTime, _ handle: (inout Self) -> Void) {
        guard let link = connections[id] else { return }
        let standing = link.standing
        handle(&self)
        guard phase != .over else { return }
        admit(link, now)
        guard connections[id] === link, link.standing == standing else { return advance(now) }
        feed(link, feedingPlan(now), now)
    }

    /// Does what follows from the present state and time, whatever the event was.
    private mutating func advance(_ now: HostTime) {
        guard phase != .over else { return }
        superviseConnections(now)
        for link in connections.links { admit(link, now) }
        for dial in connections.dialer.dueDials(now) { actions.append(.dial(dial)) }
        decideStart(now)
        watchSource(now)
        for title in titles.take(upTo: position(now)) { retitle(title, now) }
        readAhead(now)
        if let moved = follower.repace(song, by: anchor, now: now) { play(by: moved) }
        transcodeAhead(now)
        let plan = feedingPlan(now)
        for link in connections.links { feed(link, plan, now) }
        tellObservers(now)
        decideEnd(now)
    }

    // MARK: The song

    private mutating func read(_ event: SourceEvent, _ now: HostTime) {
        switch event {
        case .notice(let level, let text): notify(.source(level, text))
        case .title(let title): titles.note(title, from: song.log.end)
        case .clock(let clock):
            guard let anchor = follower.note(clock, song.epoch), isPlaying else { return }
            play(by: anchor)
        case .read(let properties, let packets, let data):
            let wasReady = song.isReady
            for problem in song.read(properties, packets, data) { notify(.songDamaged(problem)) }
            if song.isReady, !wasReady { actions.append(.advertise) }
            if phase == .opening, song.isPlayable { phase = .waiting(since: now) }
        case .ended: endSong(failure: nil, now)
        case .failed(let text): endSong(failure: text, now)
        }
    }

    private mutating func endSong(failure: String?, _ now: HostTime) {
        song.finish(failure: failure)
        if let failure, song.log.endIndex > 0 { notify(.sourceFailed(failure)) }
        guard song.isPlayable else { return finish(.unplayable(failure), now) }
        switch song.shortfall {
        case .truncated(let problem): notify(.songTruncated(problem))
        case .cutOff(let seconds, let whole, let problem): notify(.songCutOff(seconds: seconds, of: whole, problem))
        case nil: break
        }
    }

    /// Reads the song to a little beyond the horizon.
    private mutating func readAhead(_ now: HostTime) {
        let playing = position(now)
        let wanted = playing + song.frames(in: configuration.horizon + .seconds(1))
        if song.keep(from: playing, upTo: wanted) { actions.append(.readSource) }
    }

    private mutating func watchSource(_ now: HostTime) {
        guard let anchor else { return }
        for finding in follower.watch(song, by: anchor, now: now) {
            switch finding {
            case .fellSilent: notify(.songFellSilent)
            case .goesOn(let moved, let silence):
                play(by: moved)
                notify(.songGoesOn(silence: silence))
            }
        }
    }

    /// Shows another title from now on. Listeners are sent the stream's properties again under the same epoch, and use
    /// only the texts.
    private mutating func retitle(_ title: String, _ now: HostTime) {
        guard song.retitle(title) else { return }
        pcm.retitle(song)
        actions.append(.advertise)
        let plan = feedingPlan(now)
        for link in connections.links where link.isAnnounced {
            guard let form = link.form, let message = plan.part(form)?.form.streamMessage else { continue }
            send(message, to: link, now)
        }
    }

    // MARK: Beginning and end

    /// Puts an anchor in force: the first one, or another for the same song.
    mutating func play(by anchor: Anchor) {
        if case .playing(let former) = phase {
            phase = .playing(NumberedAnchor(anchor, after: former))
        } else {
            phase = .playing(NumberedAnchor(anchor))
            actions.append(.advertise)
        }
    }

    /// Tells all peers how the broadcast ended, and closes.
    mutating func finish(_ outcome: BroadcastOutcome, _ now: HostTime) {
        let message = WireEncoder.broadcastEnd(outcome.farewell)
        for link in connections.links {
            if link.isMember || link.isObserver { send(message, to: link, now) }
            actions.append(.close(link.id))
        }
        phase = .over
        actions.append(.finished(outcome))
    }

    // MARK: Feeding

    func feedingPlan(_ now: HostTime) -> FeedingPlan {
        let anchor: NumberedAnchor? = if case .playing(let anchor) = phase { anchor } else { nil }
        return FeedingPlan(
            song, pcm: pcm.form(of: song), position: position(now), anchor: anchor, heldFrame: follower.heldFrame,
            horizon: configuration.horizon)
    }

    /// Sends a listener everything that is due and fits its socket.
    private mutating func feed(_ link: ListenerLink, _ plan: FeedingPlan, _ now: HostTime) {
        guard let portion = link.next(plan, now: now) else { return }
        for message in portion.messages { send(message, to: link, now) }
        if let count = portion.droppedPacketCount {
            notify(.dropped(link.connection.name, packetCount: count), from: link, now)
        }
    }

    // MARK: Notices

    mutating func notify(_ notice: BroadcastNotice) { actions.append(.notice(notice)) }

    /// Reports what a peer did, limited in rate.
    mutating func notify(_ notice: BroadcastNotice, from link: ListenerLink, _ now: HostTime) {
        if noticeLimiter.isDue(notice.kind, from: link.connection.address, now: now) { notify(notice) }
    }

    /// Reports only once what every further try would cause again.
    /// - Parameter address: of the peer that causes it; empty if none does.
    mutating func notifyOnce(_ notice: BroadcastNotice, from address: String) {
        if noticeLimiter.isNew(notice, notice.kind, from: address) { notify(notice) }
    }

    // MARK: Time

    /// Returns the frame that is due now; frame 0 before the start. While the source has stalled this is the missing
    /// frame, until it is heard.
    func position(_ now: HostTime) -> FramePosition {
        guard let anchor else { return .zero }
        return follower.position(by: anchor, at: ClockMapping.identity.session(at: now))
    }

    /// Within this time the session wants its next event; nil once it is over. While a song plays, anything due sooner
    /// follows from what listeners send.
    public var tickInterval: TimeSpan? {
        switch phase {
        case .over: nil
        case .playing: follower.isLive ? BroadcastLimits.tick : BroadcastLimits.playingTick
        case .opening, .waiting: BroadcastLimits.tick
        }
    }
}

/// For display.
extension BroadcastSession {
    /// What is known of the song.
    public var summary: AudioStreamSummary { song.summary }

    /// The frame after the last audible one, once the song was read to its end.
    public var end: FramePosition? { song.end }

    /// Whether the start was decided.
    public var isPlaying: Bool { anchor != nil }

    /// The anchor in force; nil before the start was decided, and after the end.
    public var anchor: Anchor? { if case .playing(let anchor) = phase { anchor.anchor } else { nil } }

    /// Returns the frame that is due now, within the song.
    public func playPosition(_ now: HostTime) -> FramePosition {
        min(max(position(now), .zero), end ?? FramePosition(.max))
    }

    /// The listeners that are fed, longest connected first.
    public var listeners: [ListenerView] {
        connections.links.filter(\.isMember).map {
            ListenerView(name: $0.connection.name, report: $0.report, isSentPCM: $0.isSentPCM)
        }
    }

    /// How many listeners could start now, and how many are wanted.
    public var readiness: (ready: Int, wanted: Int) {
        (connections.links.count(where: \.isReady), wantedListenerCount)
    }
}
