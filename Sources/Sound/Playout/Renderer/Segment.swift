import AudioCore

/// The renderer's state at one device frame. Together with the clocks it determines all frames that follow.
struct PlayState: BitwiseCopyable {
    enum Mode: UInt8, BitwiseCopyable {
        case idle, waiting, sounding, finished
    }

    /// Why a fade out is under way.
    enum Leaving: UInt8, BitwiseCopyable {
        case staying, forAnotherSource, forReplacement, forLackOfFrames, atCut
    }

    /// The device frame of this state.
    var frame: Int64 = 0
    var mode = Mode.idle
    var leaving = Leaving.staying
    var source: Source?
    /// The song position after the source's last audible frame; `.max` while unknown.
    var end = Int64.max
    var position = FixedPosition(whole: 0, fraction: 0)
    var controller = RateController(feedForward: 1, uncertainty: 0, canLock: false)
    /// Where the sound was placed: the device frame, the song position due there, and the step.
    var placement = (frame: Int64.min, position: 0.0, step: 1.0)
    /// The source before this one, while its filter rings out.
    var tail: Tail?
    /// Whether the sound is finished because it was cut.
    var isCut = false
    var fade = Fade.silent
    var volume = VolumeRamp(1)
    var role = RoleFade(.stereo)
    /// Whether this source sounded before: it then fades in when it returns.
    var hasSounded = false
    /// Why it will be placed again, and how large the error was.
    var cause: ReplacementCause?
    var causeError = 0.0
    /// Device frames for which the error has exceeded what slewing can remove.
    var excessFrameCount = 0
    /// The clock model's `relearnCount` when the error was last within bounds.
    var relearnCount = 0
    /// Where sound was broken off, and which: a free-running source continues there.
    var brokenOff: (rendition: UInt64, epoch: Epoch, position: FixedPosition)?

    /// The serial of the oldest source of which something sounds.
    var oldestSerial: UInt64? { tail?.source.serial ?? source?.serial }

    /// The state `frames` further into a segment with this step.
    func advanced(by frames: Int, step: FixedPosition) -> PlayState {
        var later = self
        later.advance(by: frames, step: step)
        return later
    }

    /// Goes on by so many frames of a segment with this step.
    mutating func advance(by frames: Int, step: FixedPosition) {
        frame += Int64(frames)
        volume = volume.advanced(by: frames)
        role = role.advanced(by: frames)
        guard mode == .sounding else { return }
        position = position.advanced(by: step, times: frames)
        fade = fade.advanced(by: frames)
        tail?.advance(by: frames)
    }
}

/// The end of a source that sounds while the next one begins.
struct Tail: BitwiseCopyable {
    var source: Source
    var position: FixedPosition
    var step: FixedPosition
    /// The song position after its last audible frame.
    var end: Int64

    /// Whether its last frame and all that the filter makes of it is past.
    var isOver: Bool { position.whole >= end &+ Int64(source.reach) }

    mutating func advance(by frames: Int) { position = position.advanced(by: step, times: frames) }
}

/// A run of device frames rendered with one step; never crosses the end of a fade, a cross-fade or a volume ramp.
struct Segment: BitwiseCopyable {
    /// The state at the first frame. Its controller has already chosen the step below.
    var state: PlayState
    var step: FixedPosition
    var count: Int

    var start: Int64 { state.frame }
    var end: Int64 { state.frame + Int64(count) }
    func state(after frames: Int) -> PlayState { state.advanced(by: frames, step: step) }
}

// The plan is kept as long as the device may take frames back. Rendering a planned frame again gives the same samples.
// A command that must be heard sooner cuts the plan at the device's next frame and plans again from the state that the
// cut segment had there.

/// The recent and present segments of the plan.
struct SegmentHistory: ~Copyable {
    private let segments: UnsafeMutablePointer<Segment>
    private let mask: Int
    private var first = 0
    private(set) var count = 0

    /// - Parameter frameCount: how many device frames the history must reach back.
    init(frameCount: Int) {
        // Twice the segments of a full grid, plus room for fades and ramps.
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

    /// Appends a segment that begins with this state.
    mutating func append(_ state: PlayState, step: FixedPosition, count frameCount: Int) {
        if count > mask { dropFirst() }
        let segment = self[count]
        segment.pointee.state = state
        segment.pointee.step = step
        segment.pointee.count = frameCount
        count += 1
    }

    mutating func dropFirst() {
        first = (first + 1) & mask
        count -= 1
    }

    mutating func removeAll() { count = 0 }

    /// The state with which `frame` is rendered; nil if the history does not reach it.
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

    /// Drops everything from `frame` on.
    /// - Returns: the state at `frame`; nil if the history does not reach it.
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
