import AudioCore

/// The counters of a snapshot.
struct Counters: BitwiseCopyable {
    var xruns = 0
    var underruns = 0
    var timelineSteps = 0
    var deviceClockSteps = 0
    var deviceRestarts = 0
    var lowWater = Int.max
    /// The serial of the source whose start was reported.
    var startedSerial: UInt64 = 0
    var timelineError: Double?
    var correction = 0.0
}

/// Ends of sound that still lie in the device's buffer; each is reported once the DAC has passed it.
struct PendingEnd: BitwiseCopyable {
    var finished: (frame: Int64, epoch: Epoch)?
    var stopped: (frame: Int64, epoch: Epoch)?
}

/// The renderer's durations, each with its reason.
enum Timing {
    /// The fade in of a sound joined in the middle, and the fade out before a re-placement or an underrun. Shorter
    /// fades are heard as clicks, longer ones as holes.
    static let fadeSeconds = 0.005
    /// The cross-fade from one channel role to another.
    static let roleFadeSeconds = 0.020
    /// How much the ring must hold before a start and after an underrun, beyond the next piece and a fade.
    static let hysteresisSeconds = 0.02
    /// What a loop leaves in the device when it takes frames back, plus the time it needs to do so.
    static let noticeSeconds = 0.02
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
    let hysteresis: Int
    let notice: Int
    let excess: Int

    init(deviceRate: Double) {
        fade = Int(deviceRate * Timing.fadeSeconds)
        hysteresis = Int(deviceRate * Timing.hysteresisSeconds)
        notice = Int(deviceRate * Timing.noticeSeconds)
        excess = Int(deviceRate * Timing.excessSeconds)
    }
}
