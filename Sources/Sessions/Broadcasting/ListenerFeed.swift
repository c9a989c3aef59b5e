import AudioCore
import NIOCore
import WireProtocol

/// What one listener is sent of a song, and when: a cursor into the log that all listeners of its form share.
///
///     new ──properties──▶ announced ──entry mark──▶ placed ⇄ backlogged
///                                                      └──stream end──▶ complete
///
/// - `new`: it was told nothing.
/// - `announced`: it knows the stream's properties, and waits for packets to begin with.
/// - `placed`: it was told where its sound begins, and is sent packets up to the horizon. A listener that falls behind
///   is placed anew.
/// - `backlogged`: it is behind, and much was on the way to it when that was found. Nothing overtakes that: it is sent
///   no more until it has come.
/// - `complete`: it was told where the song ends.
///
/// Anchors are told besides, from `placed` on: whenever the one in force is another than the one told last.
struct ListenerFeed {
    /// What is to be done for the listener, in order.
    struct Portion {
        /// To be sent.
        fileprivate(set) var messages: [ByteBuffer] = []
        /// So many packets were dropped for it, and that is to be told.
        fileprivate(set) var droppedPacketCount: Int?
        /// Bytes that its socket has not yet taken, these messages included.
        fileprivate(set) var bytesInFlight: Int

        fileprivate mutating func append(_ message: ByteBuffer) {
            messages.append(message)
            bytesInFlight += message.readableBytes
        }
    }

    private enum Stage {
        case new, announced, placed, backlogged, complete
    }

    /// What it is sent.
    let form: SongForm.Kind
    private var stage = Stage.new
    /// Number of the next packets message to be sent.
    private var cursor = 0
    /// Number of the packet that it is sent next, among all of the log that there ever were.
    private var nextPacket = 0
    /// The frame after the last that it was sent, and after the last that it is known to have of what was sent since it
    /// was placed.
    private var sent = FramePosition.zero
    private var acknowledged = FramePosition.zero
    /// When it last told what it has, and how fast it had received between the last three times, in frames a second.
    private var receipt: (time: HostTime, paces: (Double, Double))?
    /// Packets that were dropped for it and not told of, and when there was something told.
    private var drops: (untold: Int, told: HostTime?) = (0, nil)
    /// Number of the anchor that it was told last; 0 for none.
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

    // MARK: What it says

    /// It has what lies before `received`.
    mutating func acknowledge(_ received: FramePosition, now: HostTime) {
        let count = max(acknowledged, received) - acknowledged
        let pace = receipt.map { Double(count) / max(now - $0.time, .milliseconds(1)).seconds } ?? 0
        receipt = (now, (pace, receipt?.paces.0 ?? 0))
        acknowledged += count
    }

    /// A listener that is back holds what it had received, and says so with its first report: it is sent what follows.
    mutating func passOver(before received: FramePosition, _ plan: FeedingPlan) {
        guard isPlaced, received > plan.position, let log = plan.part(form)?.form.log else { return }
        cursor = max(cursor, log.index(of: received))
        nextPacket = log.packetOffset(of: cursor)
    }

    /// How fast it receives, in frames a second: of what came at once the rest may have been told of late.
    private var pace: Double { receipt.map { max($0.paces.0, $0.paces.1) } ?? 0 }

    /// Frames that were sent and are not known to have come.
    private var onTheWay: Int64 { max(0, sent - acknowledged) }

    // MARK: What it is sent

    /// All that is due and that its socket has room for.
    /// - Parameters:
    ///   - bytesInFlight: that its socket has not yet taken.
    ///   - isLearningClock: replies to it must not wait behind seconds of song.
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

    /// Packets go out in batches: whoever has all up to the horizon is left in peace until it wants more, and then is
    /// sent several messages at once, up to a little beyond.
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
            // By the timeline as it is, what comes now is late.
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

    /// Places a joiner, or one that fell behind: from the packets that its decoder needs before those of a message.
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

    /// A listener whose next packets are overdue, or that has only what was heard long ago, loses packets and goes on
    /// with those that can still reach it in time. Nothing overtakes what is on the way to it: which they are shows when
    /// that has come.
    /// - Returns: whether it may be sent packets.
    private mutating func skipIfLate(
        _ part: FeedingPlan.Part, _ plan: FeedingPlan, _ now: HostTime, _ portion: inout Portion
    ) -> Bool {
        let log = part.form.log
        guard plan.anchor != nil, cursor < log.endIndex, portion.bytesInFlight < BroadcastLimits.bytesInFlight
        else { return true }
        let isOverdue = cursor < log.startIndex || log[cursor].end <= plan.position
        let isBehind = acknowledged + plan.frames(in: BroadcastLimits.latenessOfNote) <= plan.position
        guard isOverdue || isBehind else {
            stage = .placed
            return true
        }
        guard onTheWay <= plan.frames(in: BroadcastLimits.backlogOfNote) else {
            stage = .backlogged
            return false
        }
        let next = reentry(part, plan)
        guard next < log.endIndex else { return true }
        if next == cursor, log.hasGap(before: next) {
            // Nobody has what would be between.
            enter(part, at: next, lostPacketCount: 0, &portion)
            return true
        }
        let isPreroll = log.entry(before: next, prerollPacketCount: part.form.prerollPacketCount) <= cursor
        guard next > cursor, !isPreroll else { return true }
        // Some may be forgotten already.
        let lost = log.packetOffset(of: next) - nextPacket
        portion.droppedPacketCount = noteDrop(of: lost, now)
        enter(part, at: next, lostPacketCount: UInt32(clamping: lost), &portion)
        return true
    }

    /// Number of the message with which a listener goes on that fell behind: with what is due now, unless its link was
    /// slow to bring what was on the way. If it still is, most is heard of what is due long after.
    private func reentry(_ part: FeedingPlan.Part, _ plan: FeedingPlan) -> Int {
        guard case .backlogged = stage else { return part.playing }
        let isMended = pace > Double(plan.frames(in: .seconds(1)))
        let lead = isMended ? BroadcastLimits.shortestReentry : BroadcastLimits.longestReentry
        let next = part.form.log.index(of: max(plan.position, .zero) + plan.frames(in: lead))
        return next < part.form.log.endIndex ? next : part.playing
    }

    /// - Returns: how many were dropped since that was told last; nil where it was told a moment ago.
    private mutating func noteDrop(of packetCount: Int, _ now: HostTime) -> Int? {
        drops.untold += packetCount
        guard drops.told.map({ now - $0 >= BroadcastLimits.lossInterval }) ?? true else { return nil }
        defer { drops = (0, now) }
        return drops.untold
    }
}
