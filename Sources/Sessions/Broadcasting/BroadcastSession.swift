import AudioCore
import ClockSync
import Peering
import Programmes
import SecureChannel
import WireProtocol

/// One broadcast of a programme, song after song on one timeline: events in, actions out.
///
///     idle ⇄ opening ──properties──▶ waiting ──enough listeners are ready──▶ playing ──last frame heard──▶ over
///
/// Once it plays it goes on to play: pauses and stops are cuts of what is heard.
///
/// A listener is greeted and, once the song is known to be one it can play, welcomed with the clock's key. It is sent
/// the stream's properties and first packets at once, so that it is ready before the start is decided. The decision
/// makes the anchor: frame 0 leaves every loudspeaker one start delay later. Packets are sent up to the horizon ahead,
/// and each message is encoded once: a listener has only a cursor into the shared log and a bounded number of bytes in
/// flight. Listeners without a decoder for the song share a second log, of linear PCM (``TranscodedSong``).
///
/// Each song is an epoch of the timeline (``BroadcastTimeline``). As soon as one was read to its end, the next one is
/// opened (``SourceOpening``), placed behind it, and sent: it begins where the other ends. Commands cut what is heard
/// at one frame for all, and place what they ask for (`BroadcastSession+Commands.swift`).
///
/// Owns no socket, thread or clock: `now` is the broadcaster's host time, which by definition is session time. The
/// simulation runs this very code.
public struct BroadcastSession {
    enum Phase: Equatable {
        /// There is nothing to play.
        case idle
        case opening
        case waiting(since: HostTime)
        case playing
        case over
    }

    private(set) var phase = Phase.idle
    var configuration: BroadcastConfiguration
    var connections: ConnectionTable<ListenerLink>
    var timeline: BroadcastTimeline
    /// The song that is being opened to follow, or to be jumped to.
    var opening = SourceOpening.none
    /// Songs that were opened and dropped unheard, and cannot be opened again.
    var parked = ParkedSongs()
    /// What was before the jump that is under way, or before the last one.
    var transportBeforeJump = TransportState.idle
    /// The queue, and the place in it.
    var programme: Programme
    /// The order of the commands.
    var log = CommandLog<CommandOrigin>()
    /// What those who follow the programme were told.
    var published = PublishedProgramme()
    /// Where the page for browsers is.
    private(set) var page: PageLocation?
    /// The volume that all listeners' own volumes are scaled by.
    var groupVolume = VolumeSetting()
    /// What listeners were told to play next.
    var toldNextTitle: String?
    /// What songs are asked before they play.
    var descriptions = DescriptionRequests()
    /// In which order listeners were told that items follow one another.
    var toldModes = PlayModes()
    /// How often listeners were asked to report; nil before they were.
    var toldReportInterval: TimeSpan?
    /// Songs that are being sent to the broadcaster.
    var uploads: [ConnectionID: SongUpload] = [:]
    /// Whether one connection's event changed what concerns all.
    var concernsAll = false
    /// Commands whose songs are being opened.
    var pendingCommands: [PendingCommand] = []
    /// Commands whose listeners are being set.
    var pendingSettings: [PendingSetting] = []
    /// Songs of the programme's sources beyond the first ones.
    var furtherSongCount = 0
    /// Items that turned out to be lists of songs.
    var listCount = 0
    /// The newest epoch.
    var lastEpoch = Epoch(0)
    var startDecision = StartDecision()
    /// Whether what names belong to has changed since all links were looked at.
    private var hasNewPins = false
    /// When all links were looked at last.
    private var looked: HostTime?
    /// What listeners were sent since then.
    private var sharedRuns = SharedRuns()
    /// When the first event came.
    private(set) var began: HostTime?
    /// Processes announced as joined. A replaced connection is not announced again.
    var announced: Set<PeerProcess> = []
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
        programme = configuration.programme
        timeline = BroadcastTimeline(BroadcastTrack(Epoch(0), configuration, item: nil, title: ""))
    }

    /// Handles one event.
    /// - Returns: the actions to perform, in order.
    public mutating func handle(_ event: BroadcastEvent, now: HostTime) -> [BroadcastAction] {
        guard phase != .over else { return [] }
        began = began ?? now
        var isContained = event.isContained
        switch event {
        case .contact(let contact): learn(contact, now)
        case .contactLost(let key): unlearn(key, now)
        case .renamed(let name): configuration.greeting.name = name
        case .opened(let id, let direction, let address, let dial, let key):
            // Before the song plays, any event may cause its start.
            isContained = isPlaying
            opened(id, direction, address: address, dial: dial, key: key, now)
        case .roundTrip(let id, let span): connections[id]?.noteRoundTrip(span)
        case .dialFailed(let dial, let failure): dialFailed(dial, failure, now)
        case .authenticated(let id, let key, let standing): authenticate(id, key, standing, now)
        case .standing(let id, let standing): note(standing, of: id, now)
        case .access(let access): follow(access, now)
        case .acceptance(let ofSongs): configuration.acceptsSongs = ofSongs
        case .pins(let pins):
            connections.pins = pins
            hasNewPins = true
        case .broken(let id, let error):
            if error.isEarlyEnd { isContained = isOfStranger(id) }
            broke(id, error, now)
        case .received(let id, let bytes): attend(to: id, now) { $0.receive(id, bytes, now) }
        case .wrote(let id, let byteCount):
            if connections[id]?.noteWritten(byteCount, now) == true { attend(to: id, now) { _ in } }
        case .closed(let id):
            isContained = isOfStranger(id)
            drop(id, nil, now)
        case .source(let epoch, let event): read(event, of: epoch, now)
        case .command(let command, let asker): perform(command, from: .own(asker), now)
        case .transcoded(let reply): take(reply, now)
        case .spool(let id, let event): note(event, of: id, now)
        case .found(let id, let finding): tell(finding, to: id, now)
        case .page(let location):
            page = location
            published.note(page: location)
        case .described(let item, let description): take(description, of: item, now)
        case .tick: break
        case .stop: finish(.stopped, now)
        }
        if !isContained { event.isOfOnePeer ? advanceSoon(now) : advance(now) }
        defer { actions = [] }
        return actions
    }

    /// Whether nothing follows for others from the end of this connection: before the song plays, any event may cause
    /// its start.
    private func isOfStranger(_ id: ConnectionID) -> Bool { isPlaying && connections[id]?.isStranger ?? true }

    /// Handles one connection's event and what follows for that connection. Each of many listeners is heard a few times
    /// a second, so the others are looked at only if the event changed this one's standing in the broadcast.
    private mutating func attend(to id: ConnectionID, _ now: HostTime, _ handle: (inout Self) -> Void) {
        guard let link = connections[id] else { return }
        let standing = link.standing
        handle(&self)
        guard phase != .over else { return }
        admit(link, now)
        guard !concernsAll else { return advance(now) }
        guard connections[id] === link, link.standing == standing else { return advanceSoon(now) }
        // What the others wait for, too, comes with the next tick.
        if link.isHeldBack { feed(link, feedingPlan(now), now) }
    }

    /// Does what follows for all, unless that was done a moment ago for many: then the next tick does it. Otherwise a
    /// thousand that come in a second would each have all others looked at.
    private mutating func advanceSoon(_ now: HostTime) {
        if isCrowded, let looked, now - looked < lookTime { return }
        advance(now)
    }

    /// Whether a look at all links takes long.
    var isCrowded: Bool { connections.links.count > BroadcastLimits.crowdCount }

    /// The least time between two looks at all links.
    private var lookTime: TimeSpan { BroadcastLimits.lookTime * Double(connections.links.count) }

    /// Does what follows from the present state and time, whatever the event was.
    private mutating func advance(_ now: HostTime) {
        guard phase != .over else { return }
        concernsAll = false
        looked = now
        if hasNewPins {
            hasNewPins = false
            refuseContradicted(now)
        }
        superviseConnections(now)
        finishSettings(now)
        beginProgramme(now)
        for link in connections.links { admit(link, now) }
        for dial in connections.dialer.dueDials(now) { actions.append(.dial(dial)) }
        advanceTimeline(now)
        decideStart(now)
        watchSource(now)
        for title in timeline.heard.titles.take(upTo: position(now)) { retitle(title, now) }
        giveUpSilentJump(now)
        openNext(now)
        readAhead(now)
        followPace(now)
        transcodeAhead(now)
        describeNext(now)
        let plan = feedingPlan(now)
        sharedRuns.forget()
        for link in connections.links { feed(link, plan, now) }
        tellObservers(now)
        tellNext(now)
        askForFewerReports(now)
        tellFollowers(now)
        decideEnd(now)
    }

    // MARK: The song

    /// The song that is heard, or will be first.
    var song: BroadcastSong { timeline.heard.song }

    /// Takes what the source of an epoch brings.
    private mutating func read(_ event: SourceEvent, of epoch: Epoch, _ now: HostTime) {
        let wasReady = song.isReady
        switch event {
        case .opened(let isLive, let isSeekable): noteOpened(epoch, isLive: isLive, isSeekable: isSeekable, now)
        case .notice(let level, let text): notify(.source(level, text))
        case .title(let title): _ = change(epoch) { $0.titles.note(title, from: $0.song.log.end) }
        case .clock(let clock): follow(clock, of: epoch)
        case .sought(let position): _ = change(epoch) { $0.song.begin(at: position) }
        case .read(let properties, let packets, let data):
            let problems = change(epoch) { $0.song.read(properties, packets, data) }
            for problem in problems ?? [] { notify(.songDamaged(problem)) }
            noteDescription(of: epoch, now)
        case .measured(let frameCount, let isFollowed):
            _ = change(epoch) { $0.song.note(measuredFrameCount: frameCount, isFollowed: isFollowed) }
            noteDescription(of: epoch, now)
        case .list(let items): replaceItem(of: epoch, with: items, now)
        case .ended(let end): endSong(epoch, end, failure: nil, now)
        case .failed(let text, let end): endSong(epoch, end, failure: text, now)
        }
        if song.isReady, !wasReady { actions.append(.changed) }
        if phase == .opening, song.isPlayable { phase = .waiting(since: now) }
    }

    /// Changes an epoch, which may still be opened, or be parked; nil if it is not held any more.
    mutating func change<Result>(_ epoch: Epoch, _ body: (inout BroadcastTrack) -> Result) -> Result? {
        if parked.holds(epoch) { return parked.with(epoch, body) }
        return opening.track?.epoch == epoch ? opening.change(body) : timeline.with(epoch, body)
    }

    private mutating func follow(_ clock: SourceClock, of epoch: Epoch) {
        guard let anchor = change(epoch, { $0.follower.note(clock, epoch) }) ?? nil, isPlaying, !isSilenced,
            timeline.heard.epoch == epoch, timeline.heard.cutFrame == nil
        else { return }
        timeline.place(by: anchor)
    }

    private mutating func endSong(_ epoch: Epoch, _ sourceEnd: SourceEnd, failure: String?, _ now: HostTime) {
        let ended = change(epoch) { track in
            track.end(sourceEnd, failure: failure)
            return track
        }
        guard let ended else { return }
        if isPastTheEnd(ended) { return passEnd(of: ended, now) }
        guard ended.song.isPlayable else {
            // What is wrong with a song that waits is told once it is its turn.
            if !parked.holds(epoch) { passOver(ended, now) }
            return
        }
        noteDescription(of: epoch, now)
        if let failure { notify(.sourceFailed(failure)) }
        switch ended.song.shortfall {
        case .truncated(let problem): notify(.songTruncated(problem))
        case .cutOff(let seconds, let whole, let problem): notify(.songCutOff(seconds: seconds, of: whole, problem))
        case nil: break
        }
    }

    /// Gives up a jump to a song whose source gives nothing from its beginning, such as a FIFO that nobody writes to.
    private mutating func giveUpSilentJump(_ now: HostTime) {
        guard case .jumping(let track, let since) = opening, track.song.log.endIndex == 0, track.songsBefore == 0,
            track.firstFrame == .zero, now - since > BroadcastLimits.jumpPatience
        else { return }
        let name = track.item.flatMap { programme.item($0)?.title } ?? "the song"
        let failure = "'\(name)' gave nothing for \(Int(BroadcastLimits.jumpPatience.seconds)) s"
        endSong(track.epoch, .nothing, failure: failure, now)
    }

    /// Reads every song to a little beyond the horizon.
    private mutating func readAhead(_ now: HostTime) {
        let lead = configuration.horizon + .seconds(1)
        for epoch in timeline.tracks.filter({ !$0.isVoid }).map(\.epoch) {
            let isWanted = timeline.with(epoch) { track in
                let playing = track.position(now)
                return track.song.keep(from: playing, upTo: playing + track.song.frames(in: lead))
            }
            if isWanted == true { actions.append(.readSource(epoch)) }
        }
        if let epoch = opening.wantsMore(within: lead) { actions.append(.readSource(epoch)) }
    }

    private mutating func watchSource(_ now: HostTime) {
        guard let anchor else { return }
        for finding in timeline.heard.follower.watch(song, by: anchor, now: now) {
            switch finding {
            case .fellSilent: notify(.songFellSilent)
            case .goesOn(let moved, let silence):
                timeline.place(by: moved)
                notify(.songGoesOn(silence: silence))
            }
        }
    }

    private mutating func followPace(_ now: HostTime) {
        if let moved = timeline.heard.follower.repace(song, by: anchor, now: now) { timeline.place(by: moved) }
    }

    /// Shows another title from now on. Listeners are sent the stream's properties again under the same epoch, and use
    /// only the texts.
    private mutating func retitle(_ title: String, _ now: HostTime) {
        guard timeline.heard.song.retitle(title) else { return }
        timeline.heard.pcm.retitle(song)
        actions.append(.changed)
        guard let track = feedingPlan(now).tracks.first else { return }
        for link in connections.links where link.isAnnounced(track.epoch) {
            guard let form = link.form(for: track.codec), let message = track.part(form)?.form.streamMessage else {
                continue
            }
            send(message, to: link, now)
        }
    }

    // MARK: Beginning and end

    /// Begins to play by this anchor.
    mutating func play(by anchor: Anchor, _ now: HostTime) {
        beginPlaying()
        timeline.place(by: anchor)
        finishPending(anchor.session, now)
        actions.append(.changed)
    }

    mutating func beginPlaying() { phase = .playing }

    /// Puts another song in the place of the first one, of which nobody heard anything.
    mutating func begin(with track: BroadcastTrack) {
        timeline = BroadcastTimeline(track)
        phase = .opening
    }

    mutating func becomeIdle() { phase = .idle }

    /// Tells all peers how the broadcast ended, and closes.
    mutating func finish(_ outcome: BroadcastOutcome, _ now: HostTime) {
        let message = WireEncoder.broadcastEnd(outcome.farewell)
        for link in connections.links {
            if !link.isStranger { send(message, to: link, now) }
            actions.append(.close(link.id))
        }
        phase = .over
        actions.append(.finished(outcome))
    }

    // MARK: Feeding

    func feedingPlan(_ now: HostTime) -> FeedingPlan {
        FeedingPlan(
            tracks: timeline.tracks.map { FeedingPlan.Track($0, now) }, horizon: configuration.horizon,
            isCrowded: isCrowded)
    }

    /// Sends a listener everything that is due and fits its socket.
    private mutating func feed(_ link: ListenerLink, _ plan: FeedingPlan, _ now: HostTime) {
        guard let portion = link.next(plan, now: now) else { return }
        for item in portion.items {
            switch item {
            case .message(let message): send(message, to: link, now)
            case .packets(let run): for piece in sharedRuns.pieces(of: run) { send(piece, to: link, now) }
            }
        }
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

    /// Returns the frame that is due now; the first one before the start. While the source has stalled this is the
    /// missing frame, until it is heard.
    func position(_ now: HostTime) -> FramePosition { timeline.heard.position(now) }

    /// Within this time the session wants its next event; nil once it is over. While a song plays, anything due sooner
    /// follows from what listeners send. Among very many it is longer, so that looking at all of them leaves time.
    public var tickInterval: TimeSpan? {
        let shortest: TimeSpan? =
            switch phase {
            case .over: nil
            case .playing where timeline.heard.follower.isLive: BroadcastLimits.tick
            case .playing: isCrowded ? BroadcastLimits.crowdedPlayingTick : BroadcastLimits.playingTick
            case .idle, .opening, .waiting: BroadcastLimits.tick
            }
        return shortest.map { max($0, lookTime) }
    }
}

extension BroadcastSession {
    /// The title of an item of the queue.
    package func title(of item: ItemID) -> String? { programme.item(item)?.title }

    /// The epoch that is heard, or was last; nil if nothing of it was due by now.
    package func heardEpoch(_ now: HostTime) -> Epoch? {
        let heard = timeline.heard
        return isPlaying && heard.hasBegun(by: ClockMapping.identity.session(at: now)) ? heard.epoch : nil
    }

    /// Where the epochs are placed that sound or will, in their order; for whoever judges by ear.
    package var placements: [(epoch: Epoch, item: ItemID?, anchor: Anchor?, end: FramePosition?)] {
        timeline.tracks.filter { !$0.isVoid }.map { ($0.epoch, $0.item, $0.lastAnchor, $0.cutFrame ?? $0.song.end) }
    }
}
