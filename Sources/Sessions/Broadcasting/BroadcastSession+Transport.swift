import AudioCore
import ClockSync
import Programmes
import WireProtocol

/// Cutting, resuming and placing what sounds.
///
/// A command takes effect at one instant for all, ``commandLead`` after it was given, so that every listener knows of
/// it in time. Whatever it asks for, the sound goes on until the new song can be played, for at most
/// ``BroadcastLimits/openingTime``.
extension BroadcastSession {
    /// Whether somebody asked for silence.
    var isSilenced: Bool { programme.transport != .playing }

    /// The song that is heard, or is being jumped to.
    var present: BroadcastTrack { opening.target ?? timeline.present }

    /// How far into its song the present sound is.
    func elapsed(_ now: HostTime) -> TimeSpan {
        let track = present
        let position = max(track.firstFrame, track.position(now))
        return TimeSpan(seconds: Double(position.index) / (track.song.framesPerSecond ?? 48_000))
    }

    /// Does what a command means for the sound.
    /// - Returns: when it takes effect; nil if that is known once a song is open.
    mutating func perform(_ effect: ProgrammeEffect, _ now: HostTime) -> SessionTime? {
        defer { actions.append(.changed) }
        switch effect {
        case .none: return ClockMapping.identity.session(at: now)
        case .pause: return pause(now)
        case .stop: return stop(now)
        case .resume: return resume(now)
        case .rejoin:
            guard let item = programme.current else { return ClockMapping.identity.session(at: now) }
            jump(to: item, now)
        case .seek(to: let span):
            let track = present
            guard let item = track.item else { return ClockMapping.identity.session(at: now) }
            jump(to: item, songsBefore: track.songsBefore, from: FramePosition(track.song.frames(in: span)), now)
        case .play(let item): jump(to: item, now)
        }
        return nil
    }

    // MARK: Silence

    private mutating func pause(_ now: HostTime) -> SessionTime {
        if case .following = opening { abandonOpening() }
        guard isPlaying else { return ClockMapping.identity.session(at: now) }
        let effect = cut(now)
        // A live source would go on to send what nobody wants to hear later.
        if present.isLive { actions.append(.closeSource(present.epoch)) }
        return effect
    }

    private mutating func stop(_ now: HostTime) -> SessionTime {
        abandonOpening()
        // What was to sound before will not.
        finishPending(ClockMapping.identity.session(at: now), now)
        guard isPlaying else {
            if timeline.heard.item != nil { actions.append(.closeSource(timeline.heard.epoch)) }
            becomeIdle()
            return ClockMapping.identity.session(at: now)
        }
        let effect = cut(now)
        actions.append(.closeSource(timeline.last.epoch))
        closeParked(behind: timeline.last.epoch)
        return effect
    }

    private mutating func resume(_ now: HostTime) -> SessionTime? {
        let track = timeline.last
        guard isPlaying, let frame = track.cutFrame, let rate = track.song.framesPerSecond else {
            return ClockMapping.identity.session(at: now)
        }
        guard opening.target == nil else { return nil }
        // What a sound card still holds must be gone before the same frames sound again.
        let soonest = notBeforeTheLog(effectInstant(now))
        let session = max(soonest, track.cutInstant.map { $0 + BroadcastLimits.shortestPause } ?? soonest)
        timeline.place(by: Anchor(epoch: track.epoch, frame: frame, session: session, framesPerSecond: rate))
        return session
    }

    /// Ends the sound of all listeners at one frame.
    private mutating func cut(_ now: HostTime) -> SessionTime {
        let effect = timeline.cutInstant(notBefore: effectInstant(now))
        if timeline.last.cutFrame != nil, timeline.coming.isEmpty { return effect }
        drop(timeline.cut(at: effect))
        return effect
    }

    /// When a command that is given now takes effect.
    private func effectInstant(_ now: HostTime) -> SessionTime {
        ClockMapping.identity.session(at: now) + commandLead
    }

    /// How long a command needs to reach every listener and to be heard there.
    var commandLead: TimeSpan {
        let longest = connections.links.map(\.commandTime).max() ?? .zero
        return min(BroadcastLimits.longestCommandLead, BroadcastLimits.deviceLead + longest)
    }

    /// How long a song that is jumped to needs. What the sound cards hold and do not give back is heard before it.
    private var jumpDelay: TimeSpan {
        let held = connections.links.map(\.irrevocable).max() ?? .zero
        return max(commandLead, min(BroadcastLimits.longestCommandLead, BroadcastLimits.jumpDelay + held))
    }

    private func soonestJump(_ now: HostTime) -> SessionTime {
        notBeforeTheLog(ClockMapping.identity.session(at: now) + jumpDelay)
    }

    /// Returns when sound can begin that is possible from `instant` on: those who asked for silence before were told
    /// until when it lasts at least.
    private func notBeforeTheLog(_ instant: SessionTime) -> SessionTime {
        max(instant, log.lastEffect ?? instant)
    }

    /// Whether a song begins before another could take its place.
    func isDueSoon(_ track: BroadcastTrack, _ now: HostTime) -> Bool {
        track.start.map { $0 < soonestJump(now) } ?? false
    }

    // MARK: Jumps

    private mutating func jump(
        to item: ItemID, songsBefore: Int = 0, from frame: FramePosition = .zero, _ now: HostTime
    ) {
        abandonOpening()
        switch phase {
        case .playing: parkComing(item, now)
        // Nothing of it was heard.
        case .opening, .waiting: drop([timeline.heard])
        case .idle: if timeline.heard.item != nil { actions.append(.closeSource(timeline.heard.epoch)) }
        case .over: break
        }
        let track = open(
            item, songsBefore > 0 ? .sought : .commanded, songsBefore: songsBefore, from: frame)
        if isPlaying {
            opening = .jumping(track, since: now)
        } else {
            begin(with: track)
            if track.isUnplayable { passOver(track, now) }
        }
    }

    /// Begins with the programme's first item.
    mutating func beginProgramme(_ now: HostTime) {
        guard case .idle = phase, programme.transport == .playing, let item = programme.current else { return }
        begin(with: open(item))
    }

    private mutating func open(
        _ item: ItemID, _ origin: BroadcastTrack.Origin = .commanded, songsBefore: Int = 0,
        from frame: FramePosition = .zero
    ) -> BroadcastTrack {
        if songsBefore == 0, frame == .zero, let track = takeUp(item, origin) { return track }
        lastEpoch = lastEpoch.next
        if let location = programme.location(of: item) {
            actions.append(
                .openSource(
                    SourceRequest(
                        epoch: lastEpoch, origin: .location(location), songsBefore: songsBefore, firstFrame: frame)))
        }
        return BroadcastTrack(
            lastEpoch, configuration, item: item, title: programme.item(item)?.title ?? "untitled", origin: origin,
            songsBefore: songsBefore, from: frame)
    }

    /// Opens the next song of the source that `track` came from.
    /// - Parameter origin: how it comes to stand where it stands, if not behind `track`.
    mutating func openNextSong(
        of track: BroadcastTrack, origin: BroadcastTrack.Origin? = nil
    ) -> BroadcastTrack {
        let origin = origin ?? .sameSource(as: track.epoch)
        if let next = takeUpNextSong(of: track, origin) { return next }
        lastEpoch = lastEpoch.next
        furtherSongCount += 1
        actions.append(.openSource(SourceRequest(epoch: lastEpoch, origin: .sameSource(as: track.epoch))))
        let title = track.item.flatMap { programme.item($0)?.title } ?? "untitled"
        return BroadcastTrack(
            lastEpoch, configuration, item: track.item, title: title, origin: origin,
            songsBefore: track.songsBefore + 1)
    }

    private mutating func abandonOpening() {
        guard let track = opening.track else { return }
        opening = .none
        drop([track])
    }

    // MARK: What follows

    /// Opens the song after the last one once that was read to its end, and places what was opened.
    mutating func openNext(_ now: HostTime) {
        dropUnwanted(now)
        if case .none = opening, isPlaying, !isSilenced, timeline.last.anchor != nil,
            timeline.comingCount < BroadcastLimits.comingCount, let end = timeline.last.sourceEnd
        {
            switch end {
            case .anotherSong: opening = .following(openNextSong(of: timeline.last))
            case .nothing: if let item = following { opening = .following(open(item, .follows)) }
            }
        }
        switch opening {
        case .none: break
        case .following(let track) where track.isUnplayable: passOver(track, now)
        case .jumping(let track, _) where track.isUnplayable: passOver(track, now)
        case .following(let track):
            guard canBegin(track) else { return }
            opening = .none
            timeline.append(track)
            placeSoonest(now)
        case .jumping(let track, let since):
            if canBegin(track) {
                opening = .none
                completeJump(to: track, now)
            } else if now - since > BroadcastLimits.openingTime, timeline.heard.anchor != nil {
                _ = cut(now)
            }
        }
    }

    /// The item after the last one on the timeline; nil if there is none, or it would be the second after the one that
    /// is heard.
    private var following: ItemID? {
        timeline.coming.contains { $0.origin == .follows && !$0.isVoid } ? nil : programme.following
    }

    /// Drops what follows the song that is heard, or the target of a jump, if the programme goes on with something else
    /// by now.
    private mutating func dropUnwanted(_ now: HostTime) {
        closeUnwantedParked()
        if case .following(let track) = opening, track.origin == .follows, track.item != programme.following {
            abandonOpening()
        }
        guard let next = timeline.next, next.item != programme.following else { return }
        // Of one in which a command cut the sound the beginning is heard, and of one that is due too soon for another
        // to take its place, unless it left the queue meanwhile.
        let isKept = next.cutFrame != nil || isDueSoon(next, now)
        if isKept, let item = next.item, programme.location(of: item) != nil { return }
        let dropped = timeline.void(from: next.epoch)
        if case .following(let track) = opening, dropped.contains(where: { track.origin == .sameSource(as: $0.epoch) })
        {
            abandonOpening()
        }
        drop(dropped)
    }

    private func canBegin(_ track: BroadcastTrack) -> Bool {
        track.song.isPlayable && track.song.hasLead(BroadcastLimits.jumpLead, from: track.firstFrame)
    }

    /// Leaves out a song that cannot be played.
    mutating func passOver(_ track: BroadcastTrack, _ now: HostTime) {
        let reason = track.song.failure ?? "it has no audio"
        let isFirst = !isPlaying
        let isOpening = opening.track?.epoch == track.epoch
        let isTarget = opening.target?.epoch == track.epoch
        if isOpening { opening = .none }
        if case .anotherSong? = track.sourceEnd {
            notify(.songPassedOver(track.epoch, reason))
            // The next one stands where this one stood, and its source goes on.
            let next = openNextSong(of: track, origin: track.origin)
            actions.append(.closeSource(track.epoch))
            if isFirst {
                begin(with: next)
            } else {
                opening = isTarget ? .jumping(next, since: now) : .following(next)
            }
            return
        }
        actions.append(.closeSource(track.epoch))
        if case .sameSource(let former) = track.origin, !isFirst, !isTarget {
            notify(.songPassedOver(track.epoch, reason))
            _ = timeline.with(former) { $0.endSource() }
            return
        }
        guard let item = track.item else { return }
        let effect = programme.fail(item)
        note(item: item, now)
        if isFirst, effect == .stop, !configuration.staysIdle { return finish(.unplayable(track.song.failure), now) }
        notify(.songPassedOver(track.epoch, reason))
        if isOpening, goBack(now) { return }
        _ = perform(effect, now)
        if opening.target == nil, isPlaying || phase == .idle { finishPending(nil, now) }
    }

    /// Goes on with what is heard if somebody asked for a certain song that cannot be played; where nothing was heard,
    /// nothing is.
    /// - Returns: false if another song is to be played instead, as after `next`.
    private mutating func goBack(_ now: HostTime) -> Bool {
        guard pendingCommands.contains(where: \.namesItsTarget), let item = timeline.heard.item,
            programme.goBack(to: item, transportBeforeJump)
        else { return false }
        finishPending(nil, now)
        if !isSilenced { _ = resume(now) }
        return true
    }

    /// Puts the songs of a list in its place.
    mutating func replaceItem(of epoch: Epoch, with items: [NewItem], _ now: HostTime) {
        guard !parked.holds(epoch) else { return closeParked(epoch) }
        guard let track = trackHeld(epoch), let item = track.item else { return }
        let isOpening = opening.track?.epoch == epoch
        let isJump = opening.target?.epoch == epoch || !isPlaying
        if isOpening { opening = .none }
        actions.append(.closeSource(epoch))
        listCount += 1
        let position = programme.position(of: item)
        let count = programme.itemCount
        let effect = listCount > BroadcastLimits.listCount ? programme.fail(item) : programme.replace(item, with: items)
        if let position, programme.item(item) == nil {
            note(.queue(.removed(at: position), itemCount: count - 1), now)
            note(.queue(.inserted(at: position, count: items.count), itemCount: programme.itemCount), now)
        } else {
            note(item: item, now)
        }
        if isJump { _ = perform(effect, now) }
    }

    mutating func trackHeld(_ epoch: Epoch) -> BroadcastTrack? {
        if let track = opening.track, track.epoch == epoch { return track }
        if let track = parked.with(epoch, { $0 }) { return track }
        return timeline.tracks.first { $0.epoch == epoch }
    }

    /// Jumps to a song that can be played.
    private mutating func completeJump(to track: BroadcastTrack, _ now: HostTime) {
        if timeline.last.cutFrame == nil { _ = cut(now) }
        timeline.append(track)
        if isSilenced {
            drop(timeline.cut(at: timeline.cutInstant(notBefore: effectInstant(now))))
        } else {
            placeSoonest(now)
        }
        finishPending(timeline.last.start ?? ClockMapping.identity.session(at: now), now)
        actions.append(.changed)
    }

    /// Places the last song where it can begin soonest, if nothing placed it behind another, or if that is too soon for
    /// all to have it in time.
    private mutating func placeSoonest(_ now: HostTime) {
        let track = timeline.last
        if let anchor = track.follower.liveAnchor { return timeline.place(by: anchor) }
        let soonest = soonestJump(now)
        guard let rate = track.song.framesPerSecond, track.start.map({ $0 < soonest }) ?? true else { return }
        let cutInstant = timeline.coming.dropLast().last?.cutInstant ?? timeline.heard.cutInstant
        timeline.place(
            by: Anchor(
                epoch: track.epoch, frame: track.firstFrame, session: max(soonest, cutInstant ?? soonest),
                framesPerSecond: rate))
    }

    /// Moves to the next song once it is due. If it follows naturally, the programme moves there, too, unless a command
    /// has moved it elsewhere in the last moment.
    mutating func advanceTimeline(_ now: HostTime) {
        while let over = timeline.advance(to: ClockMapping.identity.session(at: now)) {
            actions.append(.closeSource(over))
            let heard = timeline.heard
            if let item = heard.item, heard.origin == .follows, opening.target == nil, !timeline.leadsElsewhere {
                programme.advance(to: item)
            }
            actions.append(.changed)
        }
    }

    // MARK: What becomes known

    mutating func noteOpened(_ epoch: Epoch, isLive: Bool, isSeekable: Bool, _ now: HostTime) {
        let item = change(epoch) { track in
            (track.isLive, track.isSeekable) = (isLive, isSeekable)
            return track.item
        }
        guard let item = item ?? nil else { return }
        programme.note(isLive: isLive, of: item)
        note(item: item, now)
    }
}
