import AudioCore
import Peering
import Playout
import WireProtocol

/// Handling the messages of the chosen broadcaster.
extension ListenSession {
    mutating func hear(_ event: PeerEvent, from id: ConnectionID, _ now: HostTime) {
        switch event {
        case .message(let message): hear(message, from: id, now)
        case .property(let property):
            if change({ $0.epoch?.note(property) }) == true { actions.append(.advertise) }
        case .packets(let descriptions, let data):
            guard let frames = change({ $0.epoch?.take(descriptions) }) ?? nil, isWanted(frames.upperBound, now) else {
                return
            }
            actions.append(.enqueue(frames.lowerBound, descriptions, data))
        }
    }

    private mutating func hear(_ message: ControlMessage, from id: ConnectionID, _ now: HostTime) {
        switch message {
        case .welcome(let welcome): beginClock(id, welcome, now)
        case .clock(let datagram): receiveClockReply(datagram, now)
        case .streamBegins(let epoch): beginStream(epoch)
        case .entry(let mark): enter(mark, now)
        case .packetsFollow(let epoch, let position): change { $0.epoch?.expectPackets(of: epoch, at: position) }
        case .anchor(let anchor):
            guard change({ $0.epoch?.place(anchor) }) == true else { return }
            placeTimeline()
            warnOfCutBeginning(anchor, now)
        case .streamEnds(let epoch, let end): endStream(epoch, at: end, now)
        case .broadcastEnd(let end): broadcastEnded(end, id, now)
        case .greeting, .refusal, .keepAlive, .report, .roster: break
        }
    }

    // MARK: The stream

    /// Begins an epoch, which voids the older one. The same epoch again means a replaced connection: nothing changes.
    private mutating func beginStream(_ epoch: Epoch) {
        guard let reception, reception.epoch.map({ $0.id < epoch }) ?? true else { return }
        lastQueueEpoch = lastQueueEpoch.next
        let fresh = ReceivedEpoch(epoch, queueEpoch: lastQueueEpoch)
        change { $0.epoch = fresh }
    }

    private mutating func enter(_ mark: EntryMark, _ now: HostTime) {
        guard let entry = change({ $0.epoch?.enter(mark) }) ?? nil, let reception, let epoch = reception.epoch else {
            return
        }
        if let gap = disconnection.goOn(at: mark.frame, of: mark.epoch), let rate = epoch.rate {
            tell(.songLost(TimeSpan(seconds: Double(gap) / rate), broadcaster: reception.broadcaster.name))
        }
        switch entry {
        case .goesOn: actions.append(.reenter(at: mark.frame, epoch.queueEpoch))
        case .begins:
            pace?.begin(at: mark.frame, rate: epoch.rate ?? Limits.sampleRateRange.upperBound, now: now)
            actions.append(.begin(epoch.queueEpoch, epoch.summary, firstFrame: mark.frame))
            placeTimeline()
        }
    }

    /// Returns whether frames before `end` are neither too late to be heard nor too early to be recorded.
    private mutating func isWanted(_ end: FramePosition, _ now: HostTime) -> Bool {
        guard isRecorder else { return !isStale(end, now) }
        guard pace?.takes(upTo: end, now: now) == false, let name = broadcasterName else { return true }
        tellOnce(.tooFarAhead(broadcaster: name))
        return false
    }

    /// Returns whether frames before `end` were due so long ago that not even a decoder needs them. A network that was
    /// slow for a while delivers such frames; they would fill the queue before those that can still be heard.
    private func isStale(_ end: FramePosition, _ now: HostTime) -> Bool {
        guard let anchor = reception?.epoch?.anchor, let clock = clock.estimate else { return false }
        return now - clock.mapping.host(at: anchor.session(of: end)) > ListenLimits.staleTime
    }

    private mutating func endStream(_ id: Epoch, at end: FramePosition, _ now: HostTime) {
        guard change({ $0.epoch?.end(id, at: end) }) == true, let epoch = reception?.epoch else { return }
        // A recording is filled with silence up to its end.
        if isRecorder, !isWanted(end, now) { return }
        actions.append(.finish(at: end, epoch.queueEpoch))
    }

    /// Tells the queue which frame is due when, by the latest estimate.
    mutating func placeTimeline() {
        guard let epoch = reception?.epoch, epoch.hasBegun, let anchor = epoch.anchor, let clock = clock.estimate else {
            return
        }
        var timeline = anchor.hostTimeline(through: clock.mapping)
        timeline.epoch = epoch.queueEpoch
        timeline.host += configuration.offset
        actions.append(.setTimeline(timeline))
    }

    /// Shifts this listener. What sounds fades out, and in where it is due by the new offset: slewing would take
    /// minutes.
    mutating func setOffset(_ offset: TimeSpan) {
        guard offset != configuration.offset else { return }
        configuration.offset = offset
        guard let epoch = reception?.epoch, epoch.hasBegun, epoch.anchor != nil, clock.estimate != nil else { return }
        actions.append(.hold(fade: ListenLimits.stopFade))
        placeTimeline()
    }

    /// Warns if an offset makes this listener miss the beginning: it would have to sound before the start is decided.
    private mutating func warnOfCutBeginning(_ anchor: Anchor, _ now: HostTime) {
        guard let clock = clock.estimate, anchor.frame == .zero, configuration.offset < .zero,
            reception?.epoch?.entry == .zero
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
        actions.append(.advertise)
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
        guard let name = broadcasterName, let count = change({ $0.epoch?.losses.takeUntold(now: now) }) ?? nil else {
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
