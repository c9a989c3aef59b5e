import AudioCore
import WireProtocol

/// What was received of one epoch: first the stream's properties, then where the sound begins, then packets.
struct ReceivedEpoch {
    /// What an entry mark means to the audio queue.
    enum Entry: Hashable {
        /// The sound begins at the mark.
        case begins
        /// If the packets that follow lie behind a gap, they are audible from the mark on.
        case goesOn
    }

    /// The broadcaster's number.
    let id: Epoch
    /// This listener's number across all broadcasts it hears, which its audio queue uses.
    let queueEpoch: Epoch
    private(set) var summary = AudioStreamSummary()
    private(set) var anchor: Anchor?
    /// First frame to be heard; nil until the audio queue was told of the epoch.
    private(set) var entry: FramePosition?
    /// The frame after the last one received.
    private(set) var received = FramePosition.zero
    /// The frame after the epoch's last one; nil until it is known.
    private(set) var end: FramePosition?
    /// The frame before which the sound ends for now: the broadcast is paused there, or goes on with a newer epoch.
    private(set) var cut: FramePosition?
    /// Whether the audio queue began to sound it.
    private(set) var hasStarted = false
    private(set) var hasHeardEnd = false
    /// Position of the packets that come next.
    private var nextPackets: FramePosition?

    init(_ id: Epoch, queueEpoch: Epoch) {
        self.id = id
        self.queueEpoch = queueEpoch
    }

    /// Whether the audio queue was told of the epoch.
    var hasBegun: Bool { entry != nil }

    /// Whether its sound was cut before any of it was due.
    var wasCutUnheard: Bool { cut.map { anchor == nil || $0 <= entry ?? $0 } ?? false }

    /// The stream's frames per second; nil while unknown.
    var rate: Double? { summary.format.flatMap { $0.sampleRate > 0 ? $0.sampleRate : nil } }

    // MARK: Messages

    /// Takes a property of the stream. Once it has begun only texts change: a station sends the current title.
    mutating func note(_ property: AudioStreamProperty) {
        if summary.isReady { guard case .info = property else { return } }
        summary.note(property)
    }

    /// Takes the mark where the sound begins or, after a loss or a reconnection, goes on. The queue finds gaps by the
    /// packets' positions.
    /// - Returns: nil if the sound cannot begin yet.
    mutating func enter(_ mark: EntryMark) -> Entry? {
        guard mark.epoch == id, summary.isReady else { return nil }
        guard !hasBegun else { return .goesOn }
        entry = mark.frame
        received = mark.frame
        return .begins
    }

    /// Sets the position of the packets that come next; those of another epoch are ignored.
    mutating func expectPackets(of epoch: Epoch, at position: FramePosition) {
        nextPackets = epoch == id ? position : nil
    }

    /// Takes contiguous packets.
    /// - Returns: their first frame and the one after their last; nil if their position is unknown.
    mutating func take(_ packets: [AudioPacketDescription]) -> Range<FramePosition>? {
        guard hasBegun, let position = nextPackets else { return nil }
        nextPackets = nil
        let end = packets.reduce(position) { $0 + Int64($1.frameCount) }
        received = max(received, end)
        return position..<max(position, end)
    }

    /// Takes the anchor. It ends a pause.
    mutating func place(_ anchor: Anchor) {
        self.anchor = anchor
        cut = nil
    }

    /// Takes the frame before which the sound ends for now. Whatever was heard of it, it is not at its end then.
    mutating func cut(at frame: FramePosition) {
        cut = frame
        hasHeardEnd = false
    }

    /// Takes the end of the stream.
    mutating func end(at end: FramePosition) { self.end = end }

    /// Notes that the audio queue began to sound it.
    mutating func noteStarted() { hasStarted = true }

    /// Notes that the last frame was heard.
    mutating func noteHeardEnd() { hasHeardEnd = true }

    // MARK: Time

    /// The frame after the last one that is held and will be heard.
    var heldEnd: FramePosition { min(received, end ?? received, cut ?? received) }

    /// Returns the frame that is due, within what is held; nil before the start.
    func due(at session: SessionTime) -> FramePosition? {
        guard let anchor else { return cut }
        let due = FramePosition(Int64(saturating: anchor.position(at: session).frames))
        return max(.zero, min(due, end ?? received, cut ?? due))
    }
}
