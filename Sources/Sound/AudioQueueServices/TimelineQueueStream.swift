import AudioCore

/// The stream of an epoch: all that a queue must know before the first packet.
public struct TimelineQueueStream: Hashable, Sendable {
    public var epoch: Epoch
    public var format: AudioStreamFormat
    /// The codec's setup; empty if it has none.
    public var magicCookie: [UInt8]
    /// Frames that the decoder produces before position 0 (``AudioCore/PacketTimeline/primingFrameCount``).
    public var primingFrameCount: Int
    /// The first frame to be heard. Packets before it are pre-roll.
    public var firstFrame: FramePosition
    /// Whether the first frame fades in briefly: true if a song is joined in the middle.
    public var fadesIn: Bool
    /// What samples are multiplied with; 1 leaves them untouched.
    public var gain: Float

    public init(
        epoch: Epoch, format: AudioStreamFormat, magicCookie: [UInt8] = [], primingFrameCount: Int = 0,
        firstFrame: FramePosition = .zero, fadesIn: Bool = false, gain: Float = 1
    ) {
        self.epoch = epoch
        self.format = format
        self.magicCookie = magicCookie
        self.primingFrameCount = primingFrameCount
        self.firstFrame = firstFrame
        self.fadesIn = fadesIn
        self.gain = gain
    }
}
