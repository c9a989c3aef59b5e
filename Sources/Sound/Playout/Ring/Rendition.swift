import AudioCore

/// One epoch's decoded frames on their way from the decoder to the real-time thread.
///
/// Made by the control side, written by one decoder thread through ``ring``, read by the renderer after
/// ``PlayoutControl/play(_:)``. A rendition is played once;
/// ``PlayoutControl/hold(fade:)`` interrupts it.
public final class Rendition: Sendable {
    public let epoch: Epoch
    /// Frames per second of the song, in hertz.
    public let sampleRate: Double
    public let channelCount: Int
    /// The position of the first frame that will be written.
    public let firstFrame: FramePosition
    /// Whether the first frame enters with a short fade: true where the song is joined in the middle, false where the
    /// first frame is the beginning of a sound (the start of a song), which is then rendered to the sample.
    public let fadesIn: Bool
    public let ring: FrameRing

    /// - Parameters:
    ///   - epoch: whose sound it is.
    ///   - sampleRate: of the frames, in hertz.
    ///   - channelCount: samples of a frame.
    ///   - firstFrame: where in the song the ring begins.
    ///   - fadesIn: whether the sound enters with a short fade.
    ///   - capacity: frames that the ring shall hold ahead of the sound. What the renderer keeps behind it (for
    ///     rewinding and for the interpolator) is added by itself.
    public init(
        epoch: Epoch, sampleRate: Double, channelCount: Int, firstFrame: FramePosition = .zero, fadesIn: Bool = false,
        capacity: Int
    ) {
        precondition(Limits.sampleRateRange.contains(sampleRate) && Limits.channelRange.contains(channelCount))
        self.epoch = epoch
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.firstFrame = firstFrame
        self.fadesIn = fadesIn
        ring = FrameRing(
            firstFrame: firstFrame, channelCount: channelCount,
            capacity: capacity + Int(sampleRate * FrameRing.historySeconds))
    }
}
