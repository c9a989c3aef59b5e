import AudioCore
import Peering
import Playout
import WireProtocol

/// Handling the messages of the chosen broadcaster.
extension ListenSession {
    mutating func hear(_ event: PeerEvent, from id: ConnectionID, _ now: HostTime) {
        switch event {
        case .message(let message): hear(message, from: id, now)
        case .property(let property): change { $0.timeline.note(property) }
        case .packets(let descriptions, let data):
            guard let frames = change({ $0.timeline.take(descriptions) }) ?? nil,
                let epoch = reception?.timeline.newest, isWanted(frames, of: epoch, now)
            else { return }
            actions.append(.enqueue(frames.lowerBound, descriptions, data, epoch.queueEpoch))
        }
    }

    private mutating func hear(_ message: ControlMessage, from id: ConnectionID, _ now: HostTime) {
        switch message {
        case .welcome(let welcome): beginClock(id, welcome, now)
        case .clock(let datagram): receiveClockReply(datagram, now)
        case .streamBegins(let epoch): beginStream(epoch)
        case .entry(let mark): enter(mark, now)
        case .packetsFollow(let epoch, let position):
            change { $0.timeline.expectPackets(of: epoch, at: position) }
        case .anchor(let anchor): place(anchor, now)
        case .cut(let epoch, let frame): cut(epoch, at: frame)
        case .streamEnds(let epoch, let end): endStream(epoch, at: end, now)
        case .broadcastEnd(let end): broadcastEnded(end, id, now)
        case .nextTitle(let title): change { $0.nextTitle = title }
        case .modes(let modes): change { $0.modes = modes }
        case .reportInterval(let interval): change { $0.report(every: interval) }
        case .command, .groupVolume, .outcome, .programmeState, .programmeChange, .queuePage, .songCredit, .finding:
            control(message, from: id, now)
        case .greeting, .refusal, .keepAlive, .household, .pairing, .report, .roster, .settings, .follow, .unfollow,
            .queuePageRequest, .songOffer, .songBytes, .lookup:
            break
        }
    }

    // MARK: The stream

    /// Begins an epoch, which stands behind the others. The same epoch again means a replaced connection: nothing
    /// changes.
    private mutating func beginStream(_ epoch: Epoch) {
        let queueEpoch = lastQueueEpoch.next
        if change({ $0.timeline.append(epoch, queueEpoch: queueEpoch) }) == true { lastQueueEpoch = queueEpoch }
    }

    private mutating func enter(_ mark: EntryMark, _ now: HostTime) {
        guard let entry = change({ $0.timeline.enter(mark) }) ?? nil else { return }
        // The audio queue holds a few epochs only; a file keeps whatever was not cut.
        let forgotten = change { $0.timeline.takeForgotten() } ?? []
        let unheard = change { $0.timeline.dropUnheard() } ?? []
        for epoch in (isRecorder ? [] : forgotten) + unheard { drop(epoch) }
        guard let reception, let epoch = reception.timeline.newest else { return }
        if let gap = disconnection.goOn(at: mark.frame, of: mark.epoch), let rate = epoch.rate {
            tell(.songLost(TimeSpan(seconds: Double(gap) / rate), broadcaster: reception.broadcaster.name))
        }
        switch entry {
        case .goesOn: actions.append(.reenter(at: mark.frame, epoch.queueEpoch))
        case .begins:
            let rate = epoch.rate ?? Limits.sampleRateRange.upperBound
            pace?.begin(epoch.queueEpoch, at: mark.frame, rate: rate, now: now)
            actions.append(
                reception.timeline.newestFollows
                    ? .append(epoch.queueEpoch, epoch.summary, firstFrame: mark.frame)
                    : .begin(epoch.queueEpoch, epoch.summary, firstFrame: mark.frame))
            placeTimeline()
        }
    }

    /// Returns whether frames are neither too late to be heard nor too early to be recorded.
    private mutating func isWanted(_ frames: Range<FramePosition>, of epoch: ReceivedEpoch, _ now: HostTime) -> Bool {
        guard isRecorder else { return !isStale(frames.upperBound, now) }
        guard pace?.takes(frames, of: epoch.queueEpoch, now: now) == false, let name = broadcasterName else {
            return true
        }
        tellOnce(.tooFarAhead(broadcaster: name))
        return false
    }

    /// Returns whether frames before `end` were due so long ago that not even a decoder needs them. A network that was
    /// slow for a while delivers such frames; they would fill the queue before those that can still be heard.
    private func isStale(_ end: FramePosition, _ now: HostTime) -> Bool {
        guard let epoch = reception?.timeline.newest, epoch.cut == nil, let anchor = epoch.anchor,
            let clock = clock.estimate
        else { return false }
        return now - clock.mapping.host(at: anchor.session(of: end)) > ListenLimits.staleTime
    }

    private mutating func endStream(_ id: Epoch, at end: FramePosition, _ now: HostTime) {
        guard let epoch = change({ $0.timeline.change(id) { $0.end(at: end) } }) ?? nil else { return }
        // A recording is filled with silence up to its end.
        if isRecorder, !isWanted(end..<end, of: epoch, now) { return }
        actions.append(.finish(at: end, epoch.queueEpoch))
    }

    /// Places an epoch on the clock, which resumes it if it was cut.
    private mutating func place(_ anchor: Anchor, _ now: HostTime) {
        var wasCut = false
        let placed = change {
            $0.timeline.change(anchor.epoch) { epoch in
                wasCut = epoch.cut != nil
                epoch.place(anchor)
            }
        }
        guard let epoch = placed ?? nil else { return }
        if wasCut, epoch.hasBegun {
            pace?.resume(epoch.queueEpoch)
            actions.append(.resume(epoch.queueEpoch))
        }
        placeTimeline()
        warnOfCutBeginning(anchor, now)
    }

    /// Ends the sound before this frame, for now, and drops what stands behind this epoch.
    private mutating func cut(_ id: Epoch, at frame: FramePosition) {
        guard let result = change({ $0.timeline.cut(id, at: frame) }) ?? nil else { return }
        if result.cut.hasBegun {
            pace?.cut(result.cut.queueEpoch, at: frame)
            actions.append(.cut(at: frame, result.cut.queueEpoch))
        }
        for epoch in result.void { drop(epoch) }
    }

    private mutating func drop(_ queueEpoch: Epoch) {
        pace?.drop(queueEpoch)
        actions.append(.drop(queueEpoch))
    }

    /// Tells the queue which frame is due when, by the latest estimate.
    mutating func placeTimeline() {
        guard let reception, let clock = clock.estimate else { return }
        for epoch in reception.timeline.placed {
            guard let anchor = epoch.anchor else { continue }
            var timeline = anchor.hostTimeline(through: clock.mapping)
            timeline.epoch = epoch.queueEpoch
            timeline.host += configuration.offset
            actions.append(.setTimeline(timeline))
        }
    }

    /// Shifts this listener. What sounds fades out, and in where it is due by the new offset: slewing would take
    /// minutes.
    mutating func setOffset(_ offset: TimeSpan) {
        guard offset != configuration.offset else { return }
        configuration.offset = offset
        guard clock.estimate != nil, reception?.timeline.placed.isEmpty == false else { return }
        actions.append(.hold(fade: ListenLimits.stopFade))
        placeTimeline()
    }

    /// Warns if an offset makes this listener miss the beginning: it would have to sound before the start is decided.
    private mutating func warnOfCutBeginning(_ anchor: Anchor, _ now: HostTime) {
        guard let clock = clock.estimate, anchor.frame == .zero, configuration.offset < .zero,
            reception?.timeline.newest?.entry == .zero
        else { return }
        let due = clock.mapping.host(at: anchor.session)
        let missed = now - (due + configuration.offset)
        if due > now, missed > .zero { tellOnce(.offsetTooEarly(configuration.offset)) }
    }

    // MARK: The end

    private mutating func broadcastEnded(_ end: BroadcastEnd, _ id: ConnectionID, _ now: HostTime) {
        guard let name = broadcasterName else { return }
        switch end.kind {
        case .completed: tell(.ended(name))
        case .stopped: tell(.stopped(name))
        case .failed: tell(.failed(name, reason: end.text))
        }
        // Those at this machine who follow the programme have seen its end, too.
        actions.append(.answer(.broadcastEnd(end)))
        close(id, pause: .seconds(1), now)
        endClock()
        change { $0.end(end, now: now) }
        if end.kind == .stopped { endReception(now) }
    }

    /// Goes back to waiting, or finishes.
    mutating func endReception(_ now: HostTime) {
        guard let reception else { return }
        actions.append(.silence(fade: ListenLimits.stopFade))
        clock.forget()
        hasToldWaiting = true
        phase = .idle(since: now)
        if configuration.once {
            phase = .over
            for id in connections.ids { actions.append(.close(id)) }
            actions.append(.finished(reception.outcome))
            return
        }
        tell(.waitingForNext)
        actions.append(.broadcasterChanged)
        reviewDialing()
        if connections.ids.contains(where: { connections[$0]?.isWelcome == true }) {
            phase = .choosing(deadline: now + ListenLimits.choiceTime)
        }
    }

    // MARK: Reports and notices

    /// Takes the renderer's state; the user may have changed the sound card.
    mutating func notePlayout(_ snapshot: PlayoutSnapshot) {
        defer { playout = snapshot }
        guard playout.impossibleRate == nil, let rate = snapshot.impossibleRate else { return }
        let percent = Int64(saturating: (rate.value.magnitude / 1e4).rounded())
        tellOnce(.cardRateImpossible(percent: percent, isSlow: rate.value < 0))
    }

    /// Tells the user how many packets did not come, and why.
    mutating func tellDroppedPackets(_ now: HostTime) {
        guard let name = broadcasterName, let count = change({ $0.timeline.losses.takeUntold(now: now) }) ?? nil else {
            return
        }
        tell(.packetsDropped(count, broadcaster: name))
    }

    /// Sends the broadcaster a report if one is due.
    mutating func report(to id: ConnectionID, _ now: HostTime) {
        tellMissingClock(now)
        guard let report = currentReport(now), change({ $0.isDue(report, now: now) }) == true else { return }
        send(WireEncoder.report(report), to: id, now)
    }
}
