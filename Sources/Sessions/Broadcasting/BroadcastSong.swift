import AudioCore
import NIOCore
import WireProtocol

/// What was read of one song: its properties, and its packets as messages on the song's own timeline.
///
///     idle ⇄ asked ──the source ended or failed──▶ ended
///
/// Frame 0 is the first audible one. ``keep(from:upTo:)`` decides what the source is asked for; a live source sends its
/// packets unasked. Packets behind the end are ignored.
struct BroadcastSong {
    /// Why less of a song is heard than its header says.
    enum Shortfall: Hashable {
        /// It ends in the middle of something; how much is missing is unknown.
        case truncated(AudioStreamProblem)
        /// Seconds that are there, seconds that should be, and what is known of the place where it breaks off.
        case cutOff(seconds: Int, of: Int, AudioStreamProblem?)
    }

    private enum Reading {
        case idle
        /// The source owes an answer.
        case asked
        /// Everything was read. The frame after the last audible one, and why the song stops there if reading failed.
        case ended(FramePosition, failure: String?)
    }

    private(set) var summary = AudioStreamSummary()
    private(set) var log: PacketLog
    /// The message with the properties; nil before they are known.
    private(set) var streamMessage: ByteBuffer?
    private var reading = Reading.idle
    private var timeline = PacketTimeline()
    /// Audible frames by the song's header; the real count is known at its end.
    private var statedFrameCount: Int64?
    /// The same by reading all of it ahead.
    private var measuredFrameCount: Int64?
    /// Whether its source is known to hold another song behind it.
    private(set) var isFollowed = false
    private let fallbackTitle: String
    private let loudness: LoudnessMode

    /// - Parameters:
    ///   - fallbackTitle: the title if its stream has none.
    ///   - loudness: which tags decide the gain; of those that come before the first packet.
    init(epoch: Epoch, fallbackTitle: String, loudness: LoudnessMode = .off) {
        log = PacketLog(epoch: epoch)
        self.fallbackTitle = fallbackTitle
        self.loudness = loudness
    }

    var epoch: Epoch { log.epoch }
    /// Whether its properties are known.
    var isReady: Bool { summary.isReady }
    var codec: Codec? { summary.format?.codec }
    var title: String? { summary.info[.title] }
    var framesPerSecond: Double? { summary.format?.sampleRate }
    var primingFrameCount: Int { timeline.primingFrameCount }

    func frames(in span: TimeSpan) -> Int64 { Int64(saturating: span.seconds * (framesPerSecond ?? 48_000)) }

    /// Returns the same song, as far as it was read, as that of another epoch.
    func renumbered(as epoch: Epoch) -> BroadcastSong {
        var song = self
        song.log = log.renumbered(as: epoch)
        if isReady { song.streamMessage = WireEncoder.stream(epoch, properties: summary.properties) }
        return song
    }

    // MARK: What the source brings

    /// Takes what the source brought.
    /// - Returns: damage that was found.
    mutating func read(
        _ properties: [AudioStreamProperty], _ packets: [AudioPacketDescription], _ data: ByteBuffer
    ) -> [AudioStreamProblem] {
        guard end == nil else { return [] }
        reading = .idle
        for property in properties { note(property) }
        append(packets, data)
        return properties.compactMap { property in
            // A file that ends too soon is reported at its end, with how much there was.
            guard case .problem(let problem) = property, !problem.isTruncation else { return nil }
            return problem
        }
    }

    private mutating func note(_ property: AudioStreamProperty) {
        let wasReady = summary.isReady
        if property == .readyToProducePackets {
            if title == nil { summary.note(.info(.title, fallbackTitle)) }
            let gain = summary.loudnessGain(loudness)
            if gain != 1 { summary.note(.gain(gain)) }
        }
        summary.note(property)
        if wasReady, case .packetTableInfo(let table) = property { timeline.revise(table) }
        guard summary.isReady, !wasReady else { return }
        statedFrameCount = summary.packetTable?.validFrameCount
        timeline = PacketTimeline(table: summary.packetTable)
        streamMessage = WireEncoder.stream(epoch, properties: summary.properties)
    }

    private mutating func append(_ packets: [AudioPacketDescription], _ data: ByteBuffer) {
        guard summary.isReady, !packets.isEmpty else { return }
        let position = timeline.nextPosition
        for packet in packets { _ = timeline.place(frameCount: packet.frameCount) }
        let framesPerGroup = Int(frames(in: BroadcastLimits.groupTime))
        _ = log.append(packets, data: data, at: position, framesPerGroup: framesPerGroup)
    }

    /// Goes on in the middle of the song: the next packet begins at `position`.
    mutating func begin(at position: FramePosition) {
        timeline = PacketTimeline(table: summary.packetTable, nextPosition: position)
    }

    /// Marks the song as read to its end. `failure` says why, if that is not the song's real end.
    mutating func finish(failure: String? = nil, isFollowed: Bool = false) {
        guard end == nil else { return }
        self.isFollowed = isFollowed
        timeline.finish()
        reading = .ended(timeline.end ?? timeline.nextPosition, failure: failure)
    }

    /// Shows another title from now on.
    /// - Returns: whether to send listeners the new ``streamMessage``.
    mutating func retitle(_ title: String) -> Bool {
        let title = String(displaying: title, maximumByteCount: Limits.titleByteCount)
        guard !title.isEmpty, title != self.title else { return false }
        note(.info(.title, title))
        guard summary.isReady else { return false }
        streamMessage = WireEncoder.stream(epoch, properties: summary.properties)
        return true
    }

    // MARK: How much there is

    /// Takes note of how long it is, and whether another song follows in its source.
    mutating func note(measuredFrameCount: Int64, isFollowed: Bool) {
        self.measuredFrameCount = measuredFrameCount
        self.isFollowed = isFollowed
    }

    /// Where it ends, as far as its header says or it was read; nil if neither tells.
    var length: FramePosition? { end ?? (measuredFrameCount ?? statedFrameCount).map { FramePosition($0) } }

    /// How long its source is; nil if that is not known, or the source holds other songs as well.
    var duration: TimeSpan? {
        guard let rate = framesPerSecond, let length, !isFollowed else { return nil }
        return TimeSpan(seconds: Double(length.index) / rate)
    }

    /// The frame after the last audible one, once the song was read to its end.
    var end: FramePosition? { if case .ended(let end, _) = reading { end } else { nil } }

    /// Why reading stopped early.
    var failure: String? { if case .ended(_, let failure) = reading { failure } else { nil } }

    /// Whether the source owes an answer: it brings no more than is wanted, or is slow.
    var isAwaited: Bool { if case .asked = reading { true } else { false } }

    /// Whether what was read has anything audible.
    var isPlayable: Bool { log.endIndex > 0 && (end.map { $0 > .zero } ?? true) }

    /// Returns whether the song holds `span` from `frame` on, or all there is, or the most it may hold.
    func hasLead(_ span: TimeSpan, from frame: FramePosition) -> Bool {
        guard end == nil, let last = log.end else { return true }
        return last - frame >= frames(in: span)
            || log.byteCount(log.index(of: frame)..<log.endIndex) >= BroadcastLimits.bytesAhead
    }

    /// Forgets what nobody can need any more.
    /// - Returns: whether to ask the source for more; it then counts as asked.
    mutating func keep(from playing: FramePosition, upTo wanted: FramePosition) -> Bool {
        let oldest = log.index(of: max(playing, .zero))
        log.trim(before: log.entry(before: oldest, prerollPacketCount: summary.decoderPrerollPacketCount) - 1)
        guard case .idle = reading, log.end.map({ $0 < wanted }) ?? true,
            log.byteCount(oldest..<log.endIndex) < BroadcastLimits.bytesAhead
        else { return false }
        reading = .asked
        return true
    }

    /// What is missing of a song that was read to its end.
    var shortfall: Shortfall? {
        guard let end, let format = summary.format else { return nil }
        let problem = summary.problems.first(where: \.isTruncation)
        guard let stated = statedFrameCount(problem, format, end), end.index < stated else {
            return problem.map { .truncated($0) }
        }
        func seconds(_ frameCount: Int64) -> Int { Int(Int64(saturating: Double(frameCount) / format.sampleRate)) }
        return .cutOff(seconds: seconds(end.index), of: seconds(stated), problem)
    }

    /// Returns how long the file should be: by its header, or by the missing bytes where every frame has the same size.
    private func statedFrameCount(
        _ problem: AudioStreamProblem?, _ format: AudioStreamFormat, _ end: FramePosition
    ) -> Int64? {
        guard case .truncated(let missing?) = problem?.kind, format.bytesPerFrame > 0 else { return statedFrameCount }
        return max(statedFrameCount ?? 0, end.index &+ missing / Int64(format.bytesPerFrame))
    }

    /// The song's own packets, for listeners; nil before its format is known.
    var form: SongForm? {
        streamMessage.map {
            SongForm(
                log: log, streamMessage: $0, prerollPacketCount: summary.decoderPrerollPacketCount,
                isComplete: end != nil)
        }
    }
}
