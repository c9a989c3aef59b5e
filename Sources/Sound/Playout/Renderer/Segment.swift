import AudioCore

/// What the renderer is at, for one device frame: everything that the next frames follow from, besides the clocks.
struct PlayState: BitwiseCopyable {
    enum Mode: UInt8, BitwiseCopyable {
        case idle, waiting, sounding, finished
    }

    /// Why a fade out is under way.
    enum Leaving: UInt8, BitwiseCopyable {
        case staying, forAnotherSource, forReplacement, forLackOfFrames
    }

    /// The device frame that this describes.
    var frame: Int64 = 0
    var mode = Mode.idle
    var leaving = Leaving.staying
    var source: Source?
    /// The song position after the source's last audible frame; `.max` while unknown.
    var end = Int64.max
    var position = FixedPosition(whole: 0, fraction: 0)
    var controller = RateController(feedForward: 1, uncertainty: 0, canLock: false)
    /// Where the sound was placed: the device frame, the song position that is due there, and the step.
    var placement = (frame: Int64.min, position: 0.0, step: 1.0)
    var fade = Fade.silent
    var volume = VolumeRamp(1)
    /// Whether this source sounded before: it then comes back with a fade.
    var hasSounded = false
    /// Why it will come back, and how far off it was.
    var cause: ReplacementCause?
    var causeError = 0.0
    /// Device frames for which the error was beyond what slewing can mend.
    var excessFrameCount = 0
    /// The clock model's count when the error was last in bounds.
    var relearnCount = 0
    /// Where sound was broken off, and whose: a free-running source goes on there.
    var brokenOff: (rendition: UInt64, epoch: Epoch, position: FixedPosition)?

    /// The same, some frames into a segment with this step.
    func advanced(by frames: Int, step: FixedPosition) -> PlayState {
        var later = self
        later.frame += Int64(frames)
        later.volume = volume.advanced(by: frames)
        if mode == .sounding {
            later.position = position.advanced(by: step, times: frames)
            later.fade = fade.advanced(by: frames)
        }
        return later
    }
}

/// A stretch of device frames that is rendered with one step; never across the end of a fade or of a volume ramp.
struct Segment: BitwiseCopyable {
    /// As of the first frame. The controller's state is that of the step below.
    var state: PlayState
    var step: FixedPosition
    var count: Int

    var start: Int64 { state.frame }
    var end: Int64 { state.frame + Int64(count) }
    func state(after frames: Int) -> PlayState { state.advanced(by: frames, step: step) }
}

// What was planned is kept for as long as the device may take frames back. Rendering again what is planned already
// gives the same samples; a command that must be heard sooner cuts the plan where the device's next frame is, and plans
// anew from the state that the cut segment had there.

/// The segments of the recent past and of the present.
struct SegmentHistory: ~Copyable {
    private let segments: UnsafeMutablePointer<Segment>
    private let mask: Int
    private var first = 0
    private(set) var count = 0

    /// - Parameter frameCount: how many device frames back the segments shall reach.
    init(frameCount: Int) {
        // Twice the segments of a full grid, and room for fades and ramps.
        var capacity = 64
        while capacity < frameCount / Resampler.pieceFrameCount * 2 + 32 { capacity <<= 1 }
        mask = capacity - 1
        segments = .allocate(capacity: capacity)
        segments.initialize(
            repeating: Segment(state: PlayState(), step: FixedPosition(whole: 0, fraction: 0), count: 0),
            count: capacity)
    }

    deinit { segments.deallocate() }

    subscript(index: Int) -> UnsafeMutablePointer<Segment> { segments + ((first + index) & mask) }

    var last: UnsafeMutablePointer<Segment>? { count == 0 ? nil : self[count - 1] }

    mutating func append(_ segment: Segment) {
        if count > mask { dropFirst() }
        segments[(first + count) & mask] = segment
        count += 1
    }

    mutating func dropFirst() {
        first = (first + 1) & mask
        count -= 1
    }

    mutating func removeAll() { count = 0 }

    /// The state with which `frame` is rendered; nil when the history does not reach there.
    func state(at frame: Int64) -> PlayState? {
        index(of: frame).map { self[$0].pointee.state(after: Int(frame - self[$0].pointee.start)) }
    }

    /// The index of the segment that holds `frame`.
    func index(of frame: Int64) -> Int? {
        var index = count - 1
        while index >= 0 {
            if self[index].pointee.start <= frame { return frame < self[index].pointee.end ? index : nil }
            index -= 1
        }
        return nil
    }

    /// Forgets everything from `frame` on.
    /// - Returns: the state at `frame`; nil when the history does not reach there.
    mutating func cut(at frame: Int64) -> PlayState? {
        if let last, last.pointee.end == frame { return last.pointee.state(after: last.pointee.count) }
        guard let index = index(of: frame) else { return nil }
        let segment = self[index]
        let frames = Int(frame - segment.pointee.start)
        let state = segment.pointee.state(after: frames)
        segment.pointee.count = frames
        count = frames == 0 ? index : index + 1
        return state
    }
}
