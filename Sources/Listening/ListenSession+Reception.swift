import AudioCore
import ClockSync
import Peering
import Playout
import WireProtocol

/// What the chosen broadcaster says, and what becomes of it.
extension ListenSession {
    mutating func hear(_ event: PeerEvent, from id: ConnectionID, _ now: HostTime) {
        switch event {
        case .message(let message): hear(message, from: id, now)
        case .property(let property): hear(property)
        case .packets(let descriptions, let data):
            guard reception?.hasBegun == true, let position = reception?.nextPackets else { return }
            reception?.nextPackets = nil
            let end = descriptions.reduce(position) { $0 + Int64($1.frameCount) }
            let received = reception?.received ?? end
            reception?.received = max(received, end)
            if !isStale(end, now) { actions.append(.enqueue(position, descriptions, data)) }
        }
    }

    /// Whether frames before `end` were due so long ago that not even a decoder needs them. They come out of a network
    /// that was slow for a while, and would fill the queue before those that can still be heard.
    private func isStale(_ end: FramePosition, _ now: HostTime) -> Bool {
        guard let anchor = reception?.anchor, let clock else { return false }
        return now - clock.mapping.host(at: anchor.session(of: end)) > ListenLimits.staleTime
    }

    private mutating func hear(_ message: ControlMessage, from id: ConnectionID, _ now: HostTime) {
        switch message {
        case .welcome(let welcome): beginClock(id, welcome, now)
        case .clock(let datagram): hearClock(datagram, now)
        case .streamBegins(let epoch): beginStream(epoch)
        case .entry(let mark): enter(mark)
        case .packetsFollow(let epoch, let position):
            let isCurrent = epoch == reception?.epoch
            reception?.nextPackets = isCurrent ? position : nil
        case .anchor(let anchor):
            guard anchor.epoch == reception?.epoch else { return }
            reception?.anchor = anchor
            placeTimeline()
            warnOfCutBeginning(anchor, now)
        case .streamEnds(let epoch, let end):
            guard epoch == reception?.epoch else { return }
            reception?.end = end
            if let reception { actions.append(.finish(at: end, reception.queueEpoch)) }
        case .broadcastEnd(let end): broadcastEnded(end, id, now)
        case .greeting, .refusal, .keepAlive, .report, .roster: break
        }
    }

    /// A new epoch voids the older one. The same epoch again is a connection that was replaced: nothing changes.
    private mutating func beginStream(_ epoch: Epoch) {
        guard let reception, reception.epoch.map({ $0 < epoch }) ?? true else { return }
        var fresh = Reception(broadcaster: reception.broadcaster, joined: reception.joined)
        fresh.epoch = epoch
        lastQueueEpoch = lastQueueEpoch.next
        fresh.queueEpoch = lastQueueEpoch
        self.reception = fresh
    }

    private mutating func hear(_ property: AudioStreamProperty) {
        guard let summary = reception?.summary else { return }
        // Of a stream that has begun only texts change: a station tells what it plays now.
        if summary.isReady {
            guard case .info(let key, let text) = property, summary.info[key] != text else { return }
        }
        reception?.summary.note(property)
        if summary.isReady || property == .readyToProducePackets { actions.append(.advertise) }
    }

    /// Where the sound begins. After a loss or a reconnection the queue finds the gap, or none, by the packets'
    /// positions.
    private mutating func enter(_ mark: EntryMark) {
        guard let reception, mark.epoch == reception.epoch, reception.summary.isReady else { return }
        self.reception?.lostPacketCount &+= mark.lostPacketCount
        self.reception?.untoldLossCount &+= mark.lostPacketCount
        tellGap(before: mark.frame, reception)
        guard !reception.hasBegun else {
            actions.append(.reenter(at: mark.frame, reception.queueEpoch))
            return
        }
        self.reception?.hasBegun = true
        self.reception?.entry = mark.frame
        self.reception?.received = mark.frame
        actions.append(.begin(reception.queueEpoch, reception.summary, firstFrame: mark.frame))
        placeTimeline()
    }

    /// Tells the queue which frame is due when, as well as it is known now.
    mutating func placeTimeline() {
        guard let reception, reception.hasBegun, let anchor = reception.anchor, let clock else { return }
        var timeline = anchor.seen(through: clock.mapping)
        timeline.epoch = reception.queueEpoch
        timeline.host += configuration.offset
        actions.append(.setTimeline(timeline))
    }

    /// A listener that is to sound earlier than the broadcaster decides on the start misses the beginning.
    private mutating func warnOfCutBeginning(_ anchor: Anchor, _ now: HostTime) {
        guard let clock, anchor.frame == .zero, configuration.offset < .zero, reception?.entry == .zero else { return }
        let due = clock.mapping.host(at: anchor.session)
        let missed = now - (due + configuration.offset)
        guard due > now, missed > .zero else { return }
        let text =
            "an offset of \(Int64(saturating: configuration.offset.microseconds)) us is more than the broadcast's "
            + "start delay: the beginning is not heard here (start with: tutti broadcast --start-delay "
            + "\(Int64(saturating: (-configuration.offset).milliseconds) + 250))"
        sayOnce(.warning, text, .start)
    }

    private mutating func broadcastEnded(_ end: BroadcastEnd, _ id: ConnectionID, _ now: HostTime) {
        guard let name = reception?.broadcaster.name else { return }
        reception?.farewell = end
        switch end.kind {
        case .completed: actions.append(.notice(.info, "\(name): the broadcast ended"))
        case .stopped: actions.append(.notice(.info, "\(name): the broadcast was stopped"))
        case .failed: actions.append(.notice(.warning, "\(name): the broadcast failed: \(end.text)"))
        }
        close(id, pause: .seconds(1), now)
        endClock()
        phase = .draining(since: now)
        if end.kind == .stopped {
            actions.append(.silence(fade: ListenLimits.stopFade))
            endReception(now)
        }
    }

    /// Whether nothing that is held remains to be heard.
    func isPlayedOut(since left: HostTime, _ now: HostTime) -> Bool {
        guard let reception, !reception.heardEnd else { return true }
        if isRecorder { return !isOrphaned || now - left > ListenLimits.recorderPatience }
        guard now - left < ListenLimits.longestDrain else { return true }
        guard let last = reception.lastHeldInstant(clock) else {
            return woken == nil || !isOrphaned || now - left > ListenLimits.wakingPatience
        }
        return now > last + configuration.offset + ListenLimits.drainGrace
    }

    private var isOrphaned: Bool { if case .orphaned = phase { true } else { false } }

    /// Back to waiting, or done.
    mutating func endReception(_ now: HostTime) {
        guard let reception else { return }
        actions.append(.silence(fade: ListenLimits.stopFade))
        self.reception = nil
        clock = nil
        woken = nil
        hasToldPatience = true
        phase = .idle(since: now)
        if configuration.once {
            phase = .over
            for id in connections.ids { actions.append(.close(id)) }
            actions.append(.finished(outcome(reception)))
            return
        }
        actions.append(.notice(.info, "waiting for the next broadcast"))
        actions.append(.advertise)
        reviewDialing()
        if connections.ids.contains(where: { connections[$0]?.isWelcome == true }) {
            phase = .choosing(deadline: now + ListenLimits.choiceTime)
        }
    }

    private func outcome(_ reception: Reception) -> ListenOutcome {
        switch reception.farewell?.kind {
        case .completed, .stopped: .completed
        case .failed: .failed("\(reception.broadcaster.name) failed: \(reception.farewell?.text ?? "")")
        case nil: reception.heardEnd ? .completed : .failed("lost \(reception.broadcaster.name)")
        }
    }

    /// Without a clock nothing can be placed in time; the user may be able to do something about it.
    private mutating func missClock(_ reception: Reception, _ now: HostTime) {
        guard clock == nil, !isRecorder, !reception.hasMissedClock, now - reception.joined > ListenLimits.clockPatience
        else {
            return
        }
        self.reception?.hasMissedClock = true
        actions.append(
            .notice(
                .warning,
                "\(reception.broadcaster.name)'s clock does not answer: does a firewall stop UDP between the two machines?"
            ))
    }

    /// What the renderer says of itself; the user may have another sound card.
    mutating func notePlayout(_ snapshot: PlayoutSnapshot) {
        defer { playout = snapshot }
        guard playout.impossibleRate == nil, let rate = snapshot.impossibleRate else { return }
        let percent = String(Int64(saturating: (rate.value.magnitude / 1e4).rounded()))
        let direction = rate.value < 0 ? "slower" : "faster"
        sayOnce(
            .warning,
            "the sound card runs about \(percent) % \(direction) than it says: nothing is played on it, since it could "
                + "not be in step (tutti devices lists others)",
            .device)
    }

    /// The broadcaster is back, and goes on with a frame behind what had come of its song: tells how much that lacks.
    private mutating func tellGap(before frame: FramePosition, _ reception: Reception) {
        guard let brokenOff, brokenOff.instance == reception.broadcaster.instance else { return }
        self.brokenOff = nil
        guard brokenOff.epoch == reception.epoch, frame > brokenOff.received,
            let rate = reception.summary.format?.sampleRate, rate > 0
        else { return }
        let tenths = (Double(frame - brokenOff.received) / rate * 10).rounded(.up)
        actions.append(
            .notice(
                .warning,
                "\(tenths / 10) s of song are lost: \(reception.broadcaster.name) was not heard from for too long"))
    }

    /// Tells the user how much did not come, and why: at once, and then what there was of it every few seconds.
    mutating func tellLoss(_ now: HostTime) {
        guard let reception, reception.untoldLossCount > 0,
            reception.lossTold.map({ now - $0 >= ListenLimits.lossInterval }) ?? true
        else { return }
        let count = reception.untoldLossCount
        self.reception?.untoldLossCount = 0
        self.reception?.lossTold = now
        let packets = count == 1 ? "1 packet of song was" : "\(count) packets of song were"
        actions.append(
            .notice(
                .warning,
                "\(packets) dropped: the network from \(reception.broadcaster.name), or this machine, is too slow for it"
            ))
    }

    /// Tells the broadcaster how it goes: twice a second, when the state changes, and while it is sent a good deal at
    /// once, of which it sends more as it hears that it came.
    mutating func report(to id: ConnectionID, _ now: HostTime) {
        guard let reception else { return }
        missClock(reception, now)
        let report = isRecorder ? reception.recorderReport : reception.report(playout, clock: clock, now: now)
        let rate = reception.summary.format?.sampleRate ?? 48_000
        if let lastReport, lastReport.state == report.state, now - lastReport.sent < ListenLimits.reportInterval,
            TimeSpan(seconds: Double(report.received - lastReport.received) / rate) < ListenLimits.receiptOfNote
        {
            return
        }
        lastReport = (now, report.state, report.received)
        send(WireEncoder.report(report), to: id, now)
    }
}
