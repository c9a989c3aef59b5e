import AudioCore

/// The control side's complete wish; the one-slot mailbox holds the latest one.
///
/// It is a state, not a history: directives that the real-time thread missed no longer matter.
struct Directive: BitwiseCopyable {
    /// What is to sound, one stretch after the other; empty after a stop. Stretches that a rewind may reach stay.
    var stretches = StretchList()
    /// The highest serial of any source so far.
    var newestSerial: UInt64 = 0
    /// How long the present sound may take to fade out when it is replaced.
    var leaveSeconds = Directive.replacementFadeSeconds
    /// Whether the device's own clock paces the source, each frame once. The timeline, if any, then only says when the
    /// first frame is due.
    var isFreeRunning = false
    var gain: Float = 1
    var gainRampSeconds = 0.0
    var role = ChannelRole.stereo

    static let replacementFadeSeconds = 0.010

    /// What is to sound when the source with this serial does: itself or, if it was replaced, the one after it.
    mutating func stretch(inPlaceOf serial: UInt64?) -> Stretch? {
        guard let serial else { return stretches.first }
        return stretches[serial] ?? stretches.following(serial)
    }
}

/// Frames of one source that sound without a break, and when.
struct Stretch: BitwiseCopyable {
    var source: Source
    var timeline: HostTimeline?
    /// The song position after the last audible frame; `.max` while unknown.
    var end = Int64.max
    /// The position before which the sound fades out; `.max` if it does not.
    var cut = Int64.max

    var isCut: Bool { cut != .max && cut <= end }
    /// The position after the last frame to be heard.
    var last: Int64 { min(end, cut) }

    /// Whether the first frame of `next` is due one frame period after the last one of this stretch, to 1 ms.
    func isContinued(by next: Stretch) -> Bool {
        guard !isCut, end != .max, next.source.fadeInSeconds == 0, next.source.first < next.last,
            let timeline, let nextTimeline = next.timeline
        else { return false }
        let rest = Double(end &- timeline.frame.index) / timeline.framesPerSecond
        let nextStart = Double(next.source.first &- nextTimeline.frame.index) / nextTimeline.framesPerSecond
        let origins = Double(nextTimeline.host.nanoseconds &- timeline.host.nanoseconds) * 1e-9
        return abs(origins + nextStart - rest) < Timing.errorLimit
    }
}

/// Stretches in the order in which they sound; their serials increase.
///
/// Lookups change nothing. They are `mutating`, since the compiler copies the array for any other access.
struct StretchList: BitwiseCopyable {
    static let capacity = 16
    private var slots = InlineArray<16, Stretch?>(repeating: nil)
    private(set) var count = 0

    var first: Stretch? {
        mutating get { count == 0 ? nil : slots[0] }
    }

    /// The stretch of the source with this serial.
    subscript(serial: UInt64) -> Stretch? {
        mutating get {
            var index = 0
            while index < count {
                if let stretch = slots[index], stretch.source.serial == serial { return stretch }
                index += 1
            }
            return nil
        }
    }

    /// The first stretch with a higher serial.
    mutating func following(_ serial: UInt64) -> Stretch? {
        var index = 0
        while index < count {
            if let stretch = slots[index], stretch.source.serial > serial { return stretch }
            index += 1
        }
        return nil
    }

    mutating func append(_ stretch: Stretch) {
        guard count < Self.capacity else { return }
        slots[count] = stretch
        count += 1
    }
}

/// A ``Rendition`` as seen by the real-time thread.
struct Source: BitwiseCopyable {
    /// Numbers the stretches in their order; never reused.
    var serial: UInt64
    /// Numbers the renditions; one that was held or cut has several serials.
    var rendition: UInt64
    var epoch: Epoch
    var songRate: Double
    /// What samples are multiplied with.
    var gain: Float
    /// The first frame to be heard.
    var first: Int64
    /// How long the first frames fade in; zero if they are rendered exactly.
    var fadeInSeconds: Double
    var ring: UnsafeMutablePointer<FrameRingStorage>
    /// Where it lies, since a source is copied often.
    var resampler: UnsafePointer<ResamplerView>

    /// How many of its frames the filter reaches to either side.
    var reach: Int { resampler.pointee.reach }
}
