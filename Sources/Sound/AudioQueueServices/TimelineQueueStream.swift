import AudioCore

/// What an epoch plays: all that a queue must know before the first packet.
public struct TimelineQueueStream: Hashable, Sendable {
    public var epoch: Epoch
    public var format: AudioStreamFormat
    /// The codec's own setup, empty where it has none.
    public var magicCookie: [UInt8]
    /// Frames that the decoder gives before position 0 (``AudioCore/PacketTimeline/primingFrameCount``).
    public var primingFrameCount: Int
    /// The first frame to be heard. Packets before it are decoded for the decoder's sake, and not heard.
    public var firstFrame: FramePosition
    /// Whether the first frame enters with a short fade: true where a song is joined in the middle.
    public var fadesIn: Bool

    public init(
        epoch: Epoch, format: AudioStreamFormat, magicCookie: [UInt8] = [], primingFrameCount: Int = 0,
        firstFrame: FramePosition = .zero, fadesIn: Bool = false
    ) {
        self.epoch = epoch
        self.format = format
        self.magicCookie = magicCookie
        self.primingFrameCount = primingFrameCount
        self.firstFrame = firstFrame
        self.fadesIn = fadesIn
    }
}
