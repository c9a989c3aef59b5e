import AudioCore

/// One epoch's decoded frames on their way from the decoder to the real-time thread.
///
/// Made by the control side, written by one decoder thread through ``ring``, read by the renderer after
/// ``PlayoutControl/play(_:)``. Played once; ``PlayoutControl/hold(fade:)`` interrupts it.
public final class Rendition: Sendable {
    public let epoch: Epoch
    /// Frames per second of the song, in hertz.
    public let sampleRate: Double
    public let channelCount: Int
    /// The position of the first frame to be written.
    public let firstFrame: FramePosition
    /// Whether the first frame fades in briefly: true if the song is joined in the middle, false if the first frame
    /// begins a sound (the start of a song), which is then rendered exactly.
    public let fadesIn: Bool
    /// What samples are multiplied with; 1 leaves them untouched.
    public let gain: Float
    public let ring: FrameRing

    /// - Parameters:
    ///   - epoch: the epoch of the sound.
    ///   - sampleRate: of the frames, in hertz.
    ///   - channelCount: samples per frame.
    ///   - firstFrame: where in the song the ring begins.
    ///   - fadesIn: whether the sound fades in briefly.
    ///   - gain: what samples are multiplied with.
    ///   - capacity: frames that the ring holds ahead of the sound. Room for what the renderer keeps behind it (for
    ///     rewinds and for the interpolator) is added.
    public init(
        epoch: Epoch, sampleRate: Double, channelCount: Int, firstFrame: FramePosition = .zero, fadesIn: Bool = false,
        gain: Float = 1, capacity: Int
    ) {
        precondition(Limits.sampleRateRange.contains(sampleRate) && Limits.channelRange.contains(channelCount))
        self.epoch = epoch
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.firstFrame = firstFrame
        self.fadesIn = fadesIn
        self.gain = gain
        ring = FrameRing(
            firstFrame: firstFrame, channelCount: channelCount,
            capacity: capacity + Int(sampleRate * FrameRing.historySeconds))
    }
}
