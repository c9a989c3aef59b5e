import AudioCore
import NIOCore
import WireProtocol

/// What one listener is sent of the songs, and when: a cursor into the log that all listeners of its form share.
///
///     new ──properties──▶ announced ──entry mark──▶ entered ⇄ backlogged
///      ▲                                               └──stream end──▶ complete
///      └───────────────────the next epoch is there, or this one is gone──────┘
///
/// - `new`: it was sent nothing.
/// - `announced`: it was sent the stream's properties, and waits for its first packets.
/// - `entered`: it was sent where its sound begins, and is sent packets up to the horizon. A listener that falls behind
///   is sent another mark.
/// - `backlogged`: it fell behind with much on the way to it. Nothing overtakes that, so it is sent no more until that
///   has arrived.
/// - `complete`: it was sent the song's end. An epoch that was cut is complete as soon as another one follows.
///
/// From `entered` on it is sent every change of where the epochs are placed, too.
///
/// A reference type: it is changed in place within the link's stage, ten times a second for each of thousands.
final class ListenerFeed {
    /// What to do for the listener, in order.
    struct Portion {
        enum Item {
            case message(ByteBuffer)
            case packets(PacketRun)
        }

        /// What to send.
        fileprivate(set) var items: [Item] = []
        /// Packets dropped for the listener since the last notice; nil if there is nothing to report now.
        fileprivate(set) var droppedPacketCount: Int?
        /// Bytes that its socket has not taken, these messages included.
        fileprivate(set) var bytesInFlight: Int
        /// Whether something is due that its socket or its window has no room for.
        fileprivate(set) var isHeldBack = false

        fileprivate mutating func append(_ message: ByteBuffer) {
            items.append(.message(message))
            bytesInFlight += message.readableBytes
        }

        fileprivate mutating func append(_ run: PacketRun) {
            items.append(.packets(run))
            bytesInFlight += run.identity.byteCount
        }
    }

    private enum Stage {
        case new, announced, entered, backlogged, complete
    }

    /// The codecs it can decode.
    private let codecs: Set<Codec>
    /// What ``form(for:)`` found last: songs of one codec follow one another, and each is asked about many times.
    private var knownForm: (codec: Codec, form: SongForm.Kind)?
    /// The epoch that it is sent; nil before the first.
    private(set) var epoch: Epoch?
    private var stage = Stage.new
    /// Number of the next packets message.
    private var cursor = 0
    /// Number of the next packet, counted over all that the log ever held.
    private var nextPacket = 0
    /// The frame after the last one sent, and the frame up to which it is known to have what was sent since it was
    /// placed.
    private var sent = FramePosition.zero
    private var acknowledged = FramePosition.zero
    private var window = DeliveryWindow()
    /// Packets dropped since the last notice, and when that was.
    private var drops: (untold: Int, told: HostTime?) = (0, nil)
    /// Number of the newest placement sent; 0 for none.
    private var placementNumber = 0

    init(codecs: Set<Codec>) { self.codecs = codecs }

    /// The form in which it is sent songs of this codec.
    func form(for codec: Codec?) -> SongForm.Kind {
        guard let codec else { return .original }
        if let knownForm, knownForm.codec == codec { return knownForm.form }
        let form = codecs.contains(codec) ? SongForm.Kind.original : .linearPCM
        knownForm = (codec, form)
        return form
    }

    /// Whether it was sent the stream's properties.
    var isAnnounced: Bool { if case .new = stage { false } else { true } }

    private var isEntered: Bool {
        switch stage {
        case .new, .announced: false
        case .entered, .backlogged, .complete: true
        }
    }

    // MARK: What it reports

    /// Notes that it has everything of `epoch` before `received`.
    /// - Parameter roundTrip: of its path, as far as is known; nil if nothing is.
    func acknowledge(_ received: FramePosition, of epoch: Epoch, roundTrip: TimeSpan?, now: HostTime) {
        guard epoch == self.epoch else { return }
        let count = max(acknowledged, received) - acknowledged
        window.acknowledge(count, roundTrip: roundTrip, now: now)
        acknowledged += count
    }

    /// Skips what a returning listener still holds, by its first report: it is sent what follows. Of a song whose
    /// successor it holds it has all.
    func passOver(before received: FramePosition, of epoch: Epoch, _ plan: FeedingPlan) {
        if let own = self.epoch, epoch > own,
            let track = plan.tracks.first(where: { $0.epoch == epoch && !$0.isVoid })
        {
            return turn(to: track)
        }
        guard isEntered, epoch == self.epoch, let track = plan.track(from: epoch), track.epoch == epoch,
            received > track.position, let log = track.part(form(for: track.codec))?.form.log
        else { return }
        cursor = max(cursor, log.index(of: received))
        nextPacket = log.packetOffset(of: cursor)
    }

    /// Frames sent and not acknowledged.
    private var onTheWay: Int64 { max(0, sent - acknowledged) }

    // MARK: What it is sent

    /// Returns everything that is due and fits its socket.
    /// - Parameters:
    ///   - bytesInFlight: bytes that its socket has not taken.
    ///   - isLearningClock: whether it asks for the clock over the connection; replies must not queue behind seconds of
    ///     song.
    func next(
        _ plan: FeedingPlan, bytesInFlight: Int, isLearningClock: Bool, now: HostTime
    ) -> Portion {
        var portion = Portion(bytesInFlight: bytesInFlight)
        while let track = plan.track(from: epoch) {
            if track.epoch != epoch { turn(to: track) }
            appendDue(of: track, plan, isLearningClock, now, &portion)
            guard isOver(track), let next = plan.track(after: track.epoch) else { break }
            turn(to: next)
        }
        // What it was sent last may be gone, by a cut of what stands before it: it is told of that all the same.
        if plan.track(from: epoch) == nil { appendPlacements(plan, &portion) }
        if !portion.isHeldBack { window.noteAllSent() }
        return portion
    }

    /// Whether nothing more of this epoch is sent if another one follows.
    private func isOver(_ track: FeedingPlan.Track) -> Bool {
        if case .complete = stage { true } else { track.isCut }
    }

    /// Goes on with another epoch. What it acknowledged, and how fast, is known anew there.
    private func turn(to track: FeedingPlan.Track) {
        epoch = track.epoch
        stage = .new
        (cursor, nextPacket) = (0, 0)
        (sent, acknowledged) = (track.firstFrame, track.firstFrame)
        window.turn()
    }

    private func appendDue(
        of track: FeedingPlan.Track, _ plan: FeedingPlan, _ isLearningClock: Bool, _ now: HostTime,
        _ portion: inout Portion
    ) {
        appendPlacements(plan, &portion)
        guard let part = track.part(form(for: track.codec)) else { return }
        if case .new = stage {
            stage = .announced
            portion.append(part.form.streamMessage)
        }
        if case .announced = stage {
            // It came when all was over.
            if part.form.isComplete, part.playing >= part.form.log.endIndex { return stage = .complete }
            enter(track, part, at: part.playing, lostPacketCount: 0, &portion)
            if isEntered, let message = track.placementMessage {
                placementNumber = max(placementNumber, track.placementNumber)
                portion.append(message)
            }
        }
        guard isEntered else { return }
        if case .complete = stage { return }
        if skipIfLate(track, part, now, &portion) {
            appendPackets(track, part, plan, isLearningClock, &portion)
        }
        appendEndIfDue(part.form, track.end, &portion)
    }

    /// Appends the changed placements of what it was sent.
    private func appendPlacements(_ plan: FeedingPlan, _ portion: inout Portion) {
        guard let epoch else { return }
        let told = placementNumber
        for track in plan.tracks
        where track.placementNumber > told && (track.epoch < epoch || track.epoch == epoch && isEntered) {
            guard let message = track.placementMessage else { continue }
            placementNumber = max(placementNumber, track.placementNumber)
            portion.append(message)
        }
    }

    /// Appends packets in batches: a listener that has all up to the horizon is sent nothing until it needs more, and
    /// then several messages at once, up to a little beyond.
    private func appendPackets(
        _ track: FeedingPlan.Track, _ part: FeedingPlan.Part, _ plan: FeedingPlan, _ isLearningClock: Bool,
        _ portion: inout Portion
    ) {
        let log = part.form.log
        let isAwaitingTime = !track.isPlaced || isLearningClock
        let lead = isAwaitingTime ? min(plan.horizon, BroadcastLimits.leadBeforeStart) : plan.horizon
        let wanted = track.position + track.frames(in: lead)
        guard log.holds(cursor), log[cursor].position < wanted else { return }
        let limit = wanted + track.frames(in: isAwaitingTime ? .zero : plan.batch)
        if let size = log.bytesPerFrame { window.note(bytesPerFrame: size) }
        let length = track.frames(
            in: window.length(framesPerSecond: track.framesPerSecond, shortest: plan.shortestWindow))
        // A song costs more if it is sent little by little, whenever the last bit has arrived: TCP avoids such a silly
        // window in this way, too (RFC 9293 section 3.8.6.2.1).
        guard !plan.isCrowded || onTheWay <= length / 2 else { return portion.isHeldBack = true }
        let windowEnd = acknowledged + length
        let first = cursor
        var messages: [ByteBuffer] = []
        var byteCount = 0
        while log.holds(cursor), log[cursor].position < limit {
            let group = log[cursor]
            guard portion.bytesInFlight + byteCount < BroadcastLimits.bytesInFlight, group.position < windowEnd else {
                portion.isHeldBack = true
                break
            }
            // By the present timeline, what comes now is late.
            if let held = track.heldFrame, group.position >= held { break }
            guard cursor <= part.playing || log.byteCount(part.playing..<cursor) < BroadcastLimits.bytesAhead
            else { break }
            cursor += 1
            nextPacket = group.packetOffset + group.packetCount
            sent = group.end
            messages.append(group.message)
            byteCount += group.message.readableBytes
        }
        guard cursor > first else { return }
        let identity = PacketRun.Identity(
            epoch: track.epoch, form: form(for: track.codec), first: log[first].position, end: sent,
            byteCount: byteCount)
        portion.append(PacketRun(identity: identity, messages: messages))
    }

    private func appendEndIfDue(_ form: SongForm, _ end: FramePosition?, _ portion: inout Portion) {
        guard let end, form.isComplete, cursor >= form.log.endIndex else { return }
        stage = .complete
        portion.append(WireEncoder.streamEnd(form.log.epoch, at: end))
    }

    /// Places a joiner, or a listener that fell behind, beginning with the pre-roll of a message.
    private func enter(
        _ track: FeedingPlan.Track, _ part: FeedingPlan.Part, at index: Int, lostPacketCount: UInt32,
        _ portion: inout Portion
    ) {
        let log = part.form.log
        guard index < log.endIndex else { return }
        cursor = log.entry(before: index, prerollPacketCount: part.form.prerollPacketCount)
        nextPacket = log.packetOffset(of: cursor)
        // PCM may begin in the middle of the song.
        let isBeginning = cursor == 0 && log[cursor].position <= track.firstFrame
        let frame = isBeginning ? track.firstFrame : max(log[index].position, track.firstFrame)
        stage = .entered
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
    private func skipIfLate(
        _ track: FeedingPlan.Track, _ part: FeedingPlan.Part, _ now: HostTime, _ portion: inout Portion
    ) -> Bool {
        let log = part.form.log
        guard track.isAnchored, cursor < log.endIndex, portion.bytesInFlight < BroadcastLimits.bytesInFlight
        else { return true }
        let isOverdue = cursor < log.startIndex || log[cursor].end <= track.position
        let isBehind = acknowledged + track.frames(in: BroadcastLimits.latenessThreshold) <= track.position
        guard isOverdue || isBehind else {
            stage = .entered
            return true
        }
        guard onTheWay <= track.frames(in: BroadcastLimits.backlogThreshold) else {
            stage = .backlogged
            portion.isHeldBack = true
            return false
        }
        let next = reentry(track, part)
        guard next < log.endIndex else { return true }
        if next == cursor, log.hasGap(before: next) {
            // What lies between does not exist for anybody.
            enter(track, part, at: next, lostPacketCount: 0, &portion)
            return true
        }
        let isPreroll = log.entry(before: next, prerollPacketCount: part.form.prerollPacketCount) <= cursor
        guard next > cursor, !isPreroll else { return true }
        // The log may have forgotten some of them.
        let lost = log.packetOffset(of: next) - nextPacket
        portion.droppedPacketCount = noteDrop(of: lost, now)
        enter(track, part, at: next, lostPacketCount: UInt32(clamping: lost), &portion)
        return true
    }

    /// Returns the message with which a listener that fell behind goes on: the one that is due now, unless its link was
    /// slow to deliver what was on the way. A link that is still slow delivers most in time with a long lead.
    private func reentry(_ track: FeedingPlan.Track, _ part: FeedingPlan.Part) -> Int {
        guard case .backlogged = stage else { return part.playing }
        let isMended = window.pace > Double(track.frames(in: .seconds(1)))
        let lead = isMended ? BroadcastLimits.shortestReentry : BroadcastLimits.longestReentry
        let next = part.form.log.index(of: max(track.position, track.firstFrame) + track.frames(in: lead))
        return next < part.form.log.endIndex ? next : part.playing
    }

    /// - Returns: packets dropped since the last notice; nil if that was a moment ago.
    private func noteDrop(of packetCount: Int, _ now: HostTime) -> Int? {
        drops.untold += packetCount
        guard drops.told.map({ now - $0 >= BroadcastLimits.lossInterval }) ?? true else { return nil }
        defer { drops = (0, now) }
        return drops.untold
    }
}
