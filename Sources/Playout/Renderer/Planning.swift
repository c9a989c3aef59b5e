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
    /// The greatest error that slewing shall mend. 1 ms takes a minute and a half at 0.5 ppm/s; two loudspeakers 1 ms
    /// apart are heard as a comb filter all that time, a fade of 10 ms once is the lesser evil. In the first 20 s, with
    /// faster slewing, 2 ms take half a minute, and clock estimates on radio links still settle: those are mended.
    static let steadyErrorLimit = 0.001
    static let earlyErrorLimit = 0.002
    /// For how long the error must exceed the limit: one bad estimate that is revised at once moves nothing.
    static let excessSeconds = 0.1
}

/// ``Timing`` in frames of one device.
struct FadeLengths: BitwiseCopyable {
    let fade: Int
    let hysteresis: Int
    let excess: Int

    init(deviceRate: Double) {
        fade = Int(deviceRate * Timing.fadeSeconds)
        hysteresis = Int(deviceRate * Timing.hysteresisSeconds)
        excess = Int(deviceRate * Timing.excessSeconds)
    }
}
