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
        if link.entry == nil { enter(link, part, at: part.playing, now, lostPacketCount: 0) }
        guard link.entry != nil else { return }
        if !link.hasAnchor, case .playing(let anchor) = phase {
            link.hasAnchor = true
            send(WireEncoder.anchor(anchor), to: link, now)
        }
        skipIfLate(link, part, plan.position, now)
        sendPackets(link, part, plan.position, now)
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
        let unacknowledged =
            link.acknowledged + (frames(in: BroadcastLimits.unacknowledgedTime) - link.outstanding.frameCount)
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
        let sent = log.holds(link.cursor - 1) ? log[link.cursor - 1].end : nil
        link.cursor = start
        // PCM may begin in the middle of the song.
        let isBeginning = start == 0 && log[start].position <= .zero
        let frame = isBeginning ? .zero : max(log[index].position, .zero)
        link.enter(at: frame, after: sent, now)
        let mark = EntryMark(epoch: log.epoch, frame: frame, lostPacketCount: lostPacketCount)
        send(WireEncoder.entry(mark), to: link, now)
    }

    /// A listener that is back holds what it had received, and says so with its first report: it is sent what follows.
    func passOver(_ report: ListenerReport, of link: ListenerLink, _ now: HostTime) {
        guard link.entry != nil, report.epoch == log.epoch, report.received > position(now),
            let form = link.isSentPCM ? pcmForm : songForm
        else { return }
        link.cursor = max(link.cursor, form.log.index(of: report.received))
    }

    /// A listener whose next packets are overdue, or that has only what was heard long ago, loses packets and goes on
    /// with those that can still reach it in time.
    private mutating func skipIfLate(
        _ link: ListenerLink, _ part: FeedingPlan.Part, _ position: FramePosition, _ now: HostTime
    ) {
        let log = part.form.log
        guard case .playing = phase, link.cursor < log.endIndex, link.bytesInFlight < BroadcastLimits.bytesInFlight
        else { return }
        let isOverdue = link.cursor < log.startIndex || log[link.cursor].end <= position
        let isBehind = link.acknowledged + frames(in: BroadcastLimits.latenessOfNote) <= position
        guard isOverdue || isBehind else { return }
        let next = reentry(of: link, part, position, now)
        guard next < log.endIndex else { return }
        if next == link.cursor, log.hasGap(before: next) {
            // Nobody has what would be between.
            return enter(link, part, at: next, now, lostPacketCount: 0)
        }
        let isPreroll = log.entry(before: next, prerollPacketCount: part.form.prerollPacketCount) <= link.cursor
        guard next > link.cursor, !isPreroll else { return }
        let lost = log.packetCount(max(link.cursor, log.startIndex)..<next)
        tellLoss(of: lost, link, now)
        enter(link, part, at: next, now, lostPacketCount: UInt32(clamping: lost))
    }

    /// Number of the message with which a listener goes on that fell behind. What is on the way comes before it, at the
    /// pace that the listener has shown.
    private func reentry(
        of link: ListenerLink, _ part: FeedingPlan.Part, _ position: FramePosition, _ now: HostTime
    ) -> Int {
        guard let rate = summary.format?.sampleRate else { return part.playing }
        let log = part.form.log
        let sent = log.holds(link.cursor - 1) ? log[link.cursor - 1].end : link.acknowledged
        let onTheWay = TimeSpan(seconds: Double(link.onTheWay(upTo: sent)) / rate)
        let pace = max(link.pace(sampleRate: rate, now), 0.25)
        // It is not the link that was too slow.
        guard onTheWay > BroadcastLimits.backlogOfNote, pace < 1 else { return part.playing }
        let lead = min(onTheWay * (1 / pace) + BroadcastLimits.reentryMargin, BroadcastLimits.longestReentry)
        let next = log.index(of: max(position, .zero) + frames(in: lead))
        return next < log.endIndex ? next : part.playing
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
