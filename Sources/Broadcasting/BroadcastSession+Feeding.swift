import AudioCore
import NIOCore
import Peering
import WireProtocol

/// What all listeners are fed by at one moment: found out once, however many there are.
struct FeedingPlan {
    /// What listeners of one form are fed by.
    struct Part {
        var form: SongForm
        /// Number of the message that is heard now, or will be first.
        var playing: Int
    }

    /// The frame that is due now.
    var position: FramePosition
    /// The song's own packets; nil before its format is known.
    var song: Part?
    /// The song as linear PCM; nil while nobody needs it.
    var pcm: Part?

    init(position: FramePosition, song: SongForm?, pcm: SongForm?) {
        self.position = position
        func part(_ form: SongForm) -> Part { Part(form: form, playing: form.log.index(of: max(position, .zero))) }
        self.song = song.map(part)
        self.pcm = pcm.map(part)
    }
}

/// What each listener is sent when.
extension BroadcastSession {
    func feedingPlan(_ now: HostTime) -> FeedingPlan {
        FeedingPlan(position: position(now), song: songForm, pcm: pcmForm)
    }

    /// Sends a listener all that is due and that its socket has room for.
    mutating func feed(_ link: ListenerLink, _ plan: FeedingPlan, _ now: HostTime) {
        guard link.isMember, let part = link.isSentPCM ? plan.pcm : plan.song else { return }
        if !link.hasStream {
            link.hasStream = true
            send(part.form.streamMessage, to: link, now)
        }
        if !link.hasEntry { enter(link, part, at: part.playing, now, lostPacketCount: 0) }
        guard link.hasEntry else { return }
        if !link.hasAnchor, case .playing(let anchor) = phase {
            link.hasAnchor = true
            send(WireEncoder.anchor(anchor), to: link, now)
        }
        if skipIfLate(link, part, plan.position, now) { sendPackets(link, part, plan.position, now) }
        sendEndIfDue(link, part.form, now)
    }

    /// Packets go out in batches: whoever has all up to the horizon is left in peace until it wants more, and then is
    /// sent several messages at once, up to a little beyond.
    private mutating func sendPackets(
        _ link: ListenerLink, _ part: FeedingPlan.Part, _ position: FramePosition, _ now: HostTime
    ) {
        let log = part.form.log
        guard log.holds(link.cursor) else { return }
        let isAwaitingTime = !isPlaying || link.isLearningClock(now)
        let lead =
            isAwaitingTime ? min(configuration.horizon, BroadcastLimits.leadBeforeStart) : configuration.horizon
        let wanted = position + frames(in: lead)
        guard log[link.cursor].position < wanted else { return }
        let batch = isAwaitingTime ? .zero : min(BroadcastLimits.batchTime, lead * 0.05)
        let unacknowledged = link.acknowledged + frames(in: BroadcastLimits.unacknowledgedTime)
        let horizon = min(wanted + frames(in: batch), unacknowledged)
        while log.holds(link.cursor), link.bytesInFlight < BroadcastLimits.bytesInFlight {
            let group = log[link.cursor]
            // By the timeline as it is, what comes now is late.
            if let stall, group.position >= stall.frame { break }
            guard group.position < horizon,
                link.cursor <= part.playing
                    || log.byteCount(part.playing..<link.cursor) < BroadcastLimits.bytesAhead
            else { break }
            link.cursor += 1
            link.nextPacket = group.packetOffset + group.packetCount
            link.sent = group.end
            send(group.message, to: link, now)
        }
    }

    /// Places a joiner, or one that fell behind: from the packets that its decoder needs before those of a message.
    private mutating func enter(
        _ link: ListenerLink, _ part: FeedingPlan.Part, at index: Int, _ now: HostTime, lostPacketCount: UInt32
    ) {
        let log = part.form.log
        guard index < log.endIndex else { return }
        let start = log.entry(before: index, prerollPacketCount: part.form.prerollPacketCount)
        link.cursor = start
        link.nextPacket = log.packetOffset(of: start)
        // PCM may begin in the middle of the song.
        let isBeginning = start == 0 && log[start].position <= .zero
        let frame = isBeginning ? .zero : max(log[index].position, .zero)
        link.enter(at: frame)
        let mark = EntryMark(epoch: log.epoch, frame: frame, lostPacketCount: lostPacketCount)
        send(WireEncoder.entry(mark), to: link, now)
    }

    /// A listener that is back holds what it had received, and says so with its first report: it is sent what follows.
    func passOver(_ report: ListenerReport, of link: ListenerLink, _ now: HostTime) {
        guard link.hasEntry, report.epoch == log.epoch, report.received > position(now),
            let form = link.isSentPCM ? pcmForm : songForm
        else { return }
        link.cursor = max(link.cursor, form.log.index(of: report.received))
        link.nextPacket = form.log.packetOffset(of: link.cursor)
    }

    /// A listener whose next packets are overdue, or that has only what was heard long ago, loses packets and goes on
    /// with those that can still reach it in time. Nothing overtakes what is on the way to it: which they are shows when
    /// that has come.
    /// - Returns: whether it may be sent packets.
    private mutating func skipIfLate(
        _ link: ListenerLink, _ part: FeedingPlan.Part, _ position: FramePosition, _ now: HostTime
    ) -> Bool {
        let log = part.form.log
        guard case .playing = phase, link.cursor < log.endIndex, link.bytesInFlight < BroadcastLimits.bytesInFlight
        else { return true }
        let isOverdue = link.cursor < log.startIndex || log[link.cursor].end <= position
        let isBehind = link.acknowledged + frames(in: BroadcastLimits.latenessOfNote) <= position
        guard isOverdue || isBehind else {
            link.hasBacklog = false
            return true
        }
        guard link.onTheWay <= frames(in: BroadcastLimits.backlogOfNote) else {
            link.hasBacklog = true
            return false
        }
        let next = reentry(of: link, part, position)
        guard next < log.endIndex else { return true }
        if next == link.cursor, log.hasGap(before: next) {
            // Nobody has what would be between.
            enter(link, part, at: next, now, lostPacketCount: 0)
            return true
        }
        let isPreroll = log.entry(before: next, prerollPacketCount: part.form.prerollPacketCount) <= link.cursor
        guard next > link.cursor, !isPreroll else { return true }
        // Some may be forgotten already.
        let lost = log.packetOffset(of: next) - link.nextPacket
        tellLoss(of: lost, link, now)
        enter(link, part, at: next, now, lostPacketCount: UInt32(clamping: lost))
        return true
    }

    /// Number of the message with which a listener goes on that fell behind: with what is due now, unless its link was
    /// slow to bring what was on the way. If it still is, most is heard of what is due long after.
    private func reentry(of link: ListenerLink, _ part: FeedingPlan.Part, _ position: FramePosition) -> Int {
        guard link.hasBacklog else { return part.playing }
        let isMended = link.pace > Double(frames(in: .seconds(1)))
        let lead = isMended ? BroadcastLimits.shortestReentry : BroadcastLimits.longestReentry
        let next = part.form.log.index(of: max(position, .zero) + frames(in: lead))
        return next < part.form.log.endIndex ? next : part.playing
    }

    private mutating func tellLoss(of packetCount: Int, _ link: ListenerLink, _ now: HostTime) {
        link.untoldLossCount += packetCount
        guard link.lossTold.map({ now - $0 >= BroadcastLimits.lossInterval }) ?? true else { return }
        let text = "\(link.connection.name) is too slow: \(link.untoldLossCount) packets dropped for it"
        actions.append(.notice(.warning, text))
        link.untoldLossCount = 0
        link.lossTold = now
    }

    private mutating func sendEndIfDue(_ link: ListenerLink, _ form: SongForm, _ now: HostTime) {
        guard !link.hasEnd, let end, form.isComplete, link.cursor >= form.log.endIndex else { return }
        link.hasEnd = true
        send(WireEncoder.streamEnd(form.log.epoch, at: end), to: link, now)
    }
}
