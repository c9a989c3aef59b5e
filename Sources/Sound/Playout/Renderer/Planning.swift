import AudioCore

/// The counters of a snapshot.
struct Counters: BitwiseCopyable {
    var xruns = 0
    var underruns = 0
    var timelineSteps = 0
    var deviceClockSteps = 0
    var deviceRestarts = 0
    var lowWater = Int.max
    /// The serial of the newest source whose start was reported.
    var startedSerial: UInt64 = 0
    /// The same for ends.
    var finishedSerial: UInt64 = 0
    var timelineError: Double?
    var correction = 0.0
}

/// An end of sound that still lies in the device's buffer.
struct PendingEnd: BitwiseCopyable {
    /// The first silent device frame.
    var frame: Int64
    /// The device frame at which it was planned; a joint is planned before its end.
    var planned: Int64
    var serial: UInt64
    var epoch: Epoch
    /// Whether the sound was stopped, held or cut, and did not come to its end.
    var isStop: Bool
}

/// Ends of sound in order, oldest first; each is reported once the DAC has passed it. When it is full, new ones are
/// dropped. They lie outside of the renderer, as its state does.
struct PendingEnds: ~Copyable {
    private static let capacity = 32
    private let ends = UnsafeMutablePointer<PendingEnd>.allocate(capacity: capacity)
    private var count = 0

    deinit { ends.deallocate() }

    /// Adds an end. One of the same kind and epoch that is not reported yet is replaced by it.
    mutating func append(_ end: PendingEnd) {
        removeAll { $0.epoch == end.epoch && $0.isStop == end.isStop }
        guard count < Self.capacity else { return }
        (ends + count).initialize(to: end)
        count += 1
    }

    /// Removes the ends after `frame` that are planned anew from there on.
    mutating func removeAll(after frame: Int64) { removeAll { $0.frame > frame && $0.planned >= frame } }

    /// Removes the oldest end if it is at or before `frame`.
    mutating func takeFirst(upTo frame: Int64) -> PendingEnd? {
        guard count > 0, ends[0].frame <= frame else { return nil }
        let first = ends[0]
        for index in 1..<count { ends[index - 1] = ends[index] }
        count -= 1
        return first
    }

    private mutating func removeAll(where isRemoved: (PendingEnd) -> Bool) {
        var kept = 0
        for index in 0..<count where !isRemoved(ends[index]) {
            ends[kept] = ends[index]
            kept += 1
        }
        count = kept
    }
}

/// The renderer's durations, each with its reason.
enum Timing {
    /// The fade in of a sound joined in the middle, and the fade out before a re-placement or an underrun. Shorter
    /// fades are heard as clicks, longer ones as holes.
    static let fadeSeconds = 0.005
    /// The cross-fade from one channel role to another.
    static let roleFadeSeconds = 0.020
    /// The fade out before a cut, and the fade in when the sound goes on behind it.
    static let cutFadeSeconds = 0.010
    /// How much sooner a sound ends before one that begins without a fade: for the filter, which begins early.
    static let leadSeconds = 0.0015
    /// How much the ring must hold before a start and after an underrun, beyond the next piece and a fade.
    static let hysteresisSeconds = 0.02
    /// How much the ring must hold beyond what is rendered before a loop renders further ahead: for the longest time
    /// between two wakes, and as much again.
    static let ampleSeconds = 0.8
    /// What a loop leaves in the device when it takes frames back, plus the time it needs to do so.
    static let noticeSeconds = 0.02
    /// What a card may have fetched in a burst before it is heard; commands allow for that.
    static let burst = TimeSpan.milliseconds(10)
    /// The largest error that slewing removes, in seconds. 1 ms takes two minutes at 0.5 ppm/s, and two loudspeakers 1
    /// ms apart are heard as a comb filter all that time; one fade of 10 ms is less audible. Clock estimates stay well
    /// below this while they settle, also over radio.
    static let errorLimit = 0.001
    /// How long the error must exceed the limit: one bad estimate, revised at once, moves nothing.
    static let excessSeconds = 0.1
}

/// ``Timing`` in frames of one device.
struct FadeLengths: BitwiseCopyable {
    let fade: Int
    let cutFade: Int
    let hysteresis: Int
    let notice: Int
    let excess: Int

    init(deviceRate: Double) {
        fade = Int(deviceRate * Timing.fadeSeconds)
        cutFade = Int(deviceRate * Timing.cutFadeSeconds)
        hysteresis = Int(deviceRate * Timing.hysteresisSeconds)
        notice = Int(deviceRate * Timing.noticeSeconds)
        excess = Int(deviceRate * Timing.excessSeconds)
    }
}
