import AudioCore
import WireProtocol

/// What came of one epoch of a broadcast: first what its stream is like, then where the sound begins, then packets.
struct ReceivedEpoch {
    /// What an entry mark means to the audio queue.
    enum Entry: Hashable {
        /// The sound begins there.
        case begins
        /// The packets that follow are for hearing from there on, if they lie behind a gap.
        case goesOn
    }

    /// As the broadcaster counts.
    let id: Epoch
    /// As this listener counts, over all broadcasts that it hears: what its audio queue goes by.
    let queueEpoch: Epoch
    private(set) var summary = AudioStreamSummary()
    private(set) var anchor: Anchor?
    /// First frame to be heard; nil before the audio queue was told of the epoch.
    private(set) var entry: FramePosition?
    /// The frame after the last one received.
    private(set) var received = FramePosition.zero
    /// The frame after the epoch's last one, once that is known.
    private(set) var end: FramePosition?
    private(set) var hasHeardEnd = false
    var losses = LossTally()
    /// Where the packets that follow begin.
    private var nextPackets: FramePosition?

    init(_ id: Epoch, queueEpoch: Epoch) {
        self.id = id
        self.queueEpoch = queueEpoch
    }

    /// Whether the audio queue was told of the epoch.
    var hasBegun: Bool { entry != nil }

    /// The stream's frames a second; nil while that is not known.
    var rate: Double? { summary.format.flatMap { $0.sampleRate > 0 ? $0.sampleRate : nil } }

    // MARK: What the broadcaster says

    /// - Returns: whether it changes what is shown of the stream.
    mutating func note(_ property: AudioStreamProperty) -> Bool {
        // Of a stream that has begun only texts change: a station tells what it plays now.
        if summary.isReady {
            guard case .info(let key, let text) = property, summary.info[key] != text else { return false }
        }
        summary.note(property)
        return summary.isReady
    }

    /// Where the sound begins or, after a loss or a reconnection, goes on: the queue finds the gap, or none, by the
    /// packets' positions. Nil where it cannot begin yet.
    mutating func enter(_ mark: EntryMark) -> Entry? {
        guard mark.epoch == id, summary.isReady else { return nil }
        losses.note(mark.lostPacketCount)
        guard !hasBegun else { return .goesOn }
        entry = mark.frame
        received = mark.frame
        return .begins
    }

    /// The packets that come next begin there, or are none of this epoch's.
    mutating func expectPackets(of epoch: Epoch, at position: FramePosition) {
        nextPackets = epoch == id ? position : nil
    }

    /// Packets that follow one another.
    /// - Returns: their first frame, and the one after their last; nil where nothing said where they belong.
    mutating func take(_ packets: [AudioPacketDescription]) -> Range<FramePosition>? {
        guard hasBegun, let position = nextPackets else { return nil }
        nextPackets = nil
        let end = packets.reduce(position) { $0 + Int64($1.frameCount) }
        received = max(received, end)
        return position..<max(position, end)
    }

    /// - Returns: whether it is this epoch's.
    mutating func place(_ anchor: Anchor) -> Bool {
        guard anchor.epoch == id else { return false }
        self.anchor = anchor
        return true
    }

    /// - Returns: whether it is this epoch's.
    mutating func end(_ epoch: Epoch, at end: FramePosition) -> Bool {
        guard epoch == id else { return false }
        self.end = end
        return true
    }

    /// The last frame of one of the queue's epochs was heard.
    mutating func noteHeardEnd(of epoch: Epoch) { if epoch == queueEpoch { hasHeardEnd = true } }
}
