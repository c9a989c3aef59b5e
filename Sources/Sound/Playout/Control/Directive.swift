import AudioCore

/// What the control side wants, as a whole: the one-slot mailbox holds the latest of these.
///
/// It states a wish, not a history: whatever the real-time thread missed in between does not matter any more.
struct Directive: BitwiseCopyable {
    /// What shall sound; nil after a stop.
    var source: Source?
    /// The highest serial that any source had so far.
    var newestSerial: UInt64 = 0
    /// How long what sounds may take to fade when `source` is another.
    var leaveSeconds = Directive.replacementFadeSeconds
    var timeline: HostTimeline?
    /// The device's own clock paces the source, each frame once; the timeline, if there is one, only says when the first
    /// is due.
    var isFreeRunning = false
    /// The song position after the last audible frame; `.max` while unknown.
    var end = Int64.max
    var gain: Float = 1
    var gainRampSeconds = 0.0

    static let replacementFadeSeconds = 0.010
}

/// A ``Rendition`` as the real-time thread sees it.
struct Source: BitwiseCopyable {
    /// Counts the calls of play; never reused.
    var serial: UInt64
    /// Counts the renditions: one that was held has several serials.
    var rendition: UInt64
    var epoch: Epoch
    var songRate: Double
    var first: Int64
    var fadesIn: Bool
    var ring: UnsafeMutablePointer<FrameRingStorage>
    var resampler: ResamplerView
}
