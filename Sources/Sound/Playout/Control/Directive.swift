import AudioCore

/// The control side's complete wish; the one-slot mailbox holds the latest one.
///
/// It is a state, not a history: directives that the real-time thread missed no longer matter.
struct Directive: BitwiseCopyable {
    /// What is to sound; nil after a stop.
    var source: Source?
    /// The highest serial of any source so far.
    var newestSerial: UInt64 = 0
    /// How long the present sound may take to fade out when `source` changes.
    var leaveSeconds = Directive.replacementFadeSeconds
    var timeline: HostTimeline?
    /// Whether the device's own clock paces the source, each frame once. The timeline, if any, then only says when the
    /// first frame is due.
    var isFreeRunning = false
    /// The song position after the last audible frame; `.max` while unknown.
    var end = Int64.max
    var gain: Float = 1
    var gainRampSeconds = 0.0
    var role = ChannelRole.stereo

    static let replacementFadeSeconds = 0.010
}

/// A ``Rendition`` as seen by the real-time thread.
struct Source: BitwiseCopyable {
    /// Numbers the calls of `play`; never reused.
    var serial: UInt64
    /// Numbers the renditions; one that was held has several serials.
    var rendition: UInt64
    var epoch: Epoch
    var songRate: Double
    /// What samples are multiplied with.
    var gain: Float
    var first: Int64
    var fadesIn: Bool
    var ring: UnsafeMutablePointer<FrameRingStorage>
    var resampler: ResamplerView
}
