import AudioCore

/// Counts that the snapshot shows.
struct Counters: BitwiseCopyable {
    var xruns = 0
    var underruns = 0
    var timelineSteps = 0
    var deviceClockSteps = 0
    var deviceRestarts = 0
    var lowWater = Int.max
    /// The source whose start was reported.
    var startedSerial: UInt64 = 0
    var timelineError: Double?
    var correction = 0.0
}

/// The end of a sound that lies in the device's buffer: reported when the DAC has passed it.
struct PendingEnd: BitwiseCopyable {
    var finished: (frame: Int64, epoch: Epoch)?
    var stopped: (frame: Int64, epoch: Epoch)?
}

/// The renderer's times. What they are chosen by stands beside each.
enum Timing {
    /// Fade in of a sound that is joined in the middle; fade out before a re-placement or an underrun. Shorter ones are
    /// heard as clicks, longer ones as holes.
    static let fadeSeconds = 0.005
    /// After an underrun, and before a start, so much more than the next piece and a fade must be there.
    static let hysteresisSeconds = 0.02
    /// What a loop leaves in the device when it takes frames back, and some time to do so.
    static let noticeSeconds = 0.02
    /// The greatest error that slewing shall mend, in seconds. 1 ms takes two minutes at 0.5 ppm/s, and two
    /// loudspeakers 1 ms apart are heard as a comb filter all that time: a fade of 10 ms once is the lesser evil. Clock
    /// estimates that settle, also on radio links, stay well below.
    static let errorLimit = 0.001
    /// For how long the error must exceed the limit: one bad estimate that is revised at once moves nothing.
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
