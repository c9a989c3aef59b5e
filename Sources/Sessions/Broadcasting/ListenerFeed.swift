import AudioCore
import NIOCore
import WireProtocol

/// What one listener is sent of a song, and when: a cursor into the log that all listeners of its form share.
///
///     new ──properties──▶ announced ──entry mark──▶ placed ⇄ backlogged
///                                                      └──stream end──▶ complete
///
/// - `new`: it was sent nothing.
/// - `announced`: it was sent the stream's properties, and waits for its first packets.
/// - `placed`: it was sent where its sound begins, and is sent packets up to the horizon. A listener that falls behind
///   is placed again.
/// - `backlogged`: it fell behind with much on the way to it. Nothing overtakes that, so it is sent no more until that
///   has arrived.
/// - `complete`: it was sent the song's end.
///
/// From `placed` on it is sent every new anchor, too.
struct ListenerFeed {
    /// What to do for the listener, in order.
    struct Portion {
        /// Messages to send.
        fileprivate(set) var messages: [ByteBuffer] = []
        /// Packets dropped for the listener since the last notice; nil if there is nothing to report now.
        fileprivate(set) var droppedPacketCount: Int?
        /// Bytes that its socket has not taken, these messages included.
        fileprivate(set) var bytesInFlight: Int

        fileprivate mutating func append(_ message: ByteBuffer) {
            messages.append(message)
            bytesInFlight += message.readableBytes
        }
    }

    private enum Stage {
        case new, announced, placed, backlogged, complete
    }

    /// The form it is sent.
    let form: SongForm.Kind
    private var stage = Stage.new
    /// Number of the next packets message.
    private var cursor = 0
    /// Number of the next packet, counted over all that the log ever held.
    private var nextPacket = 0
    /// The frame after the last one sent, and the frame up to which it is known to have what was sent since it was
    /// placed.
    private var sent = FramePosition.zero
    private var acknowledged = FramePosition.zero
    /// When it last acknowledged, and how fast it received in the last two intervals, in frames per second.
    private var receipt: (time: HostTime, paces: (Double, Double))?
    /// Packets dropped since the last notice, and when that was.
    private var drops: (untold: Int, told: HostTime?) = (0, nil)
    /// Number of the last anchor sent; 0 for none.
    private var anchorNumber = 0

    init(_ form: SongForm.Kind) { self.form = form }

    /// Whether it was sent the stream's properties.
    var isAnnounced: Bool { if case .new = stage { false } else { true } }

    private var isPlaced: Bool {
        switch stage {
        case .new, .announced: false
        case .placed, .backlogged, .complete: true
        }
    }

    // MARK: What it reports

    /// Notes that it has everything before `received`.
    mutating func acknowledge(_ received: FramePosition, now: HostTime) {
        let count = max(acknowledged, received) - acknowledged
        let pace = receipt.map { Double(count) / max(now - $0.time, .milliseconds(1)).seconds } ?? 0
        receipt = (now, (pace, receipt?.paces.0 ?? 0))
        acknowledged += count
    }

    /// Skips what a returning listener still holds, by its first report: it is sent what follows.
    mutating func passOver(before received: FramePosition, _ plan: FeedingPlan) {
        guard isPlaced, received > plan.position, let log = plan.part(form)?.form.log else { return }
        cursor = max(cursor, log.index(of: received))
        nextPacket = log.packetOffset(of: cursor)
    }

    /// How fast it receives, in frames per second: the better of two intervals, as an acknowledgement may be delayed.
    private var pace: Double { receipt.map { max($0.paces.0, $0.paces.1) } ?? 0 }

    /// Frames sent and not acknowledged.
    private var onTheWay: Int64 { max(0, sent - acknowledged) }

    // MARK: What it is sent

    /// Returns everything that is due and fits its socket.
    /// - Parameters:
    ///   - bytesInFlight: bytes that its socket has not taken.
    ///   - isLearningClock: whether it asks for the clock over the connection; replies must not queue behind seconds of
    ///     song.
    mutating func next(
        _ plan: FeedingPlan, bytesInFlight: Int, isLearningClock: Bool, now: HostTime
    ) -> Portion {
        var portion = Portion(bytesInFlight: bytesInFlight)
        guard let part = plan.part(form) else { return portion }
        if case .new = stage {
            stage = .announced
            portion.append(part.form.streamMessage)
        }
        if case .announced = stage { enter(part, at: part.playing, lostPacketCount: 0, &portion) }
        guard isPlaced else { return portion }
        if let anchor = plan.anchor, anchor.number != anchorNumber {
            anchorNumber = anchor.number
            portion.append(WireEncoder.anchor(anchor.anchor))
        }
        if case .complete = stage { return portion }
        if skipIfLate(part, plan, now, &portion) { appendPackets(part, plan, isLearningClock, &portion) }
        appendEndIfDue(part.form, plan.end, &portion)
        return portion
    }

    /// Appends packets in batches: a listener that has all up to the horizon is sent nothing until it needs more, and
    /// then several messages at once, up to a little beyond.
    private mutating func appendPackets(
        _ part: FeedingPlan.Part, _ plan: FeedingPlan, _ isLearningClock: Bool, _ portion: inout Portion
    ) {
        let log = part.form.log
        guard log.holds(cursor) else { return }
        let isAwaitingTime = plan.anchor == nil || isLearningClock
        let lead = isAwaitingTime ? min(plan.horizon, BroadcastLimits.leadBeforeStart) : plan.horizon
        let wanted = plan.position + plan.frames(in: lead)
        guard log[cursor].position < wanted else { return }
        let batch = isAwaitingTime ? .zero : min(BroadcastLimits.batchTime, lead * 0.05)
        let unacknowledged = acknowledged + plan.frames(in: BroadcastLimits.unacknowledgedTime)
        let horizon = min(wanted + plan.frames(in: batch), unacknowledged)
        while log.holds(cursor), portion.bytesInFlight < BroadcastLimits.bytesInFlight {
            let group = log[cursor]
            // By the present timeline, what comes now is late.
            if let held = plan.heldFrame, group.position >= held { break }
            guard group.position < horizon,
                cursor <= part.playing || log.byteCount(part.playing..<cursor) < BroadcastLimits.bytesAhead
            else { break }
            cursor += 1
            nextPacket = group.packetOffset + group.packetCount
            sent = group.end
            portion.append(group.message)
        }
    }

    private mutating func appendEndIfDue(_ form: SongForm, _ end: FramePosition?, _ portion: inout Portion) {
        guard let end, form.isComplete, cursor >= form.log.endIndex else { return }
        stage = .complete
        portion.append(WireEncoder.streamEnd(form.log.epoch, at: end))
    }

    /// Places a joiner, or a listener that fell behind, beginning with the pre-roll of a message.
    private mutating func enter(
        _ part: FeedingPlan.Part, at index: Int, lostPacketCount: UInt32, _ portion: inout Portion
    ) {
        let log = part.form.log
        guard index < log.endIndex else { return }
        cursor = log.entry(before: index, prerollPacketCount: part.form.prerollPacketCount)
        nextPacket = log.packetOffset(of: cursor)
        // PCM may begin in the middle of the song.
        let isBeginning = cursor == 0 && log[cursor].position <= .zero
        let frame = isBeginning ? .zero : max(log[index].position, .zero)
        stage = .placed
        acknowledged = frame
        sent = frame
        let mark = EntryMark(epoch: log.epoch, frame: frame, lostPacketCount: lostPacketCount)
        portion.append(WireEncoder.entry(mark))
    }

    // MARK: A listener that is slow

    /// Drops packets for a listener whose next ones are overdue, or that has received only what was heard long ago. It
    /// goes on with packets that can still arrive in time. Nothing overtakes what is on the way, so which packets these
    /// are is known once that has arrived.
    /// - Returns: whether it may be sent packets.
    private mutating func skipIfLate(
        _ part: FeedingPlan.Part, _ plan: FeedingPlan, _ now: HostTime, _ portion: inout Portion
    ) -> Bool {
        let log = part.form.log
        guard plan.anchor != nil, cursor < log.endIndex, portion.bytesInFlight < BroadcastLimits.bytesInFlight
        else { return true }
        let isOverdue = cursor < log.startIndex || log[cursor].end <= plan.position
        let isBehind = acknowledged + plan.frames(in: BroadcastLimits.latenessThreshold) <= plan.position
        guard isOverdue || isBehind else {
            stage = .placed
            return true
        }
        guard onTheWay <= plan.frames(in: BroadcastLimits.backlogThreshold) else {
            stage = .backlogged
            return false
        }
        let next = reentry(part, plan)
        guard next < log.endIndex else { return true }
        if next == cursor, log.hasGap(before: next) {
            // What lies between does not exist for anybody.
            enter(part, at: next, lostPacketCount: 0, &portion)
            return true
        }
        let isPreroll = log.entry(before: next, prerollPacketCount: part.form.prerollPacketCount) <= cursor
        guard next > cursor, !isPreroll else { return true }
        // The log may have forgotten some of them.
        let lost = log.packetOffset(of: next) - nextPacket
        portion.droppedPacketCount = noteDrop(of: lost, now)
        enter(part, at: next, lostPacketCount: UInt32(clamping: lost), &portion)
        return true
    }

    /// Returns the message with which a listener that fell behind goes on: the one that is due now, unless its link was
    /// slow to deliver what was on the way. A link that is still slow delivers most in time with a long lead.
    private func reentry(_ part: FeedingPlan.Part, _ plan: FeedingPlan) -> Int {
        guard case .backlogged = stage else { return part.playing }
        let isMended = pace > Double(plan.frames(in: .seconds(1)))
        let lead = isMended ? BroadcastLimits.shortestReentry : BroadcastLimits.longestReentry
        let next = part.form.log.index(of: max(plan.position, .zero) + plan.frames(in: lead))
        return next < part.form.log.endIndex ? next : part.playing
    }

    /// - Returns: packets dropped since the last notice; nil if that was a moment ago.
    private mutating func noteDrop(of packetCount: Int, _ now: HostTime) -> Int? {
        drops.untold += packetCount
        guard drops.told.map({ now - $0 >= BroadcastLimits.lossInterval }) ?? true else { return nil }
        defer { drops = (0, now) }
        return drops.untold
    }
}
