// Keeps the sound on its timeline by small changes of the step (song frames per device frame), never by dropping or
// repeating frames.
//
// The plant is a double integrator. x is the timeline error in microseconds (positive: the sound is ahead). v is its
// rate of change in ppm (us/s): how far the step is from the feed-forward step, which would hold x constant. The
// feed-forward is known, as the timeline's rate times that of the DAC clock; the controller adds the rest. Pitch may
// change only slowly, so the slew rate dv/dt is limited to A.
//
// When a clock's rate turns out to be another one, the feed-forward jumps. A jump of d ppm, slewed at A, would cost
// d^2 / 2A us: 1.4 ms for 170 ppm at A = 10, 1.2 ms for 35 ppm at A = 0.5. But the jump is known, happens once, and
// causes no overshoot. So the part above 2 ppm passes at up to 100 ppm/s, and its end decays with a time constant of
// 0.1 s: 35 ppm cost 10 us. That is a sixth of a cent per second, and at most some 200 ppm in all: a tenth of the
// smallest audible difference of pitch (0.2 %). Changes up to 2 ppm are noise of estimates, and slewed at A.
//
// Under an acceleration limit, the fastest way to x = 0 without overshoot is to brake along v = sqrt(2 A |x|). That
// curve has an infinite slope at zero, and a law that follows it to the end chatters. So near zero the law is a
// straight line v = k x, which decays exponentially; the two meet smoothly at d = a / k^2:
//
//     |x| <= d:  v = -k x                      braking needs k^2 |x| <= a
//     |x| >  d:  v = -sqrt(2 a (|x| - d/2))    braking needs a
//
// with a = 0.8 A at first, A/2 later. The rest is left for noise and for changes of the feed-forward, so that braking
// is never late and nothing overshoots or oscillates. d is 8 us, less than the clocks resolve. Within d the loop is
// linear with the time constant 1/k = sqrt(d/a): 1 s at a = 8 ppm/s and 5.7 s at 0.25 ppm/s. That smooths the jitter of
// the clock estimates, and follows the wander of the crystals (0.01 ppm/s) to a tenth of a microsecond.
//
// A is 10 ppm/s for 20 s after a placement, while the models still learn, and 0.5 ppm/s from then on. A sound that is
// fast at that point could no longer brake in time, so the braking curve flattens before the limit falls: a is 8 ppm/s
// for 12 s, and has come down to 0.25 ppm/s at 19 s.
//
// A plain copy needs no filter. If song and DAC have the same rate as far as known (to 0.002 ppm, or within the
// uncertainty of the DAC's rate, at most 0.5 ppm) and the phase is whole, the step is locked to exactly 1 until the
// error (2 us) or a better estimate of the rate requires otherwise.

/// Holds the sound on its timeline by small changes of the step.
struct RateController: BitwiseCopyable {
    /// Song frames per device frame.
    private(set) var step: Double
    private(set) var isLocked: Bool
    /// Device seconds since the sound was placed.
    private(set) var age = 0.0
    /// The part of the feed-forward that the step has followed so far.
    private var followed: Double

    private static let linearRange = 8.0
    static let fastAcceleration = 10.0
    static let steadyAcceleration = 0.5
    /// A feed-forward change above this many ppm passes quickly: ppm, ppm per second, and seconds.
    private static let slowChange = 2.0
    static let leapAcceleration = 100.0
    private static let leapSeconds = 0.1
    private static let lockDeviation = 2e-9
    private static let unlockDeviation = 10e-9
    private static let greatestUncertainty = 0.5e-6
    private static let unlockError = 2.0

    /// - Parameters:
    ///   - feedForward: the step that holds the sound where it is placed.
    ///   - uncertainty: how far the feed-forward may be from the truth.
    init(feedForward: Double, uncertainty: Double, canLock: Bool) {
        isLocked = canLock && abs(feedForward - 1) < Self.lockDeviation + min(uncertainty, Self.greatestUncertainty)
        step = isLocked ? 1 : feedForward
        followed = feedForward
    }

    /// The greatest slew rate of the step now, in ppm per second, apart from jumps of the feed-forward.
    var accelerationLimit: Double {
        age < 20 ? Self.fastAcceleration : Self.steadyAcceleration
    }

    /// The acceleration that braking is planned with.
    private var plannedAcceleration: Double {
        let x = min(1, max(0, (age - 12) / 7))
        let y = 1 - x
        return max(Self.steadyAcceleration / 2, 0.8 * Self.fastAcceleration * y * y * y)
    }

    /// The step relative to the feed-forward, in ppm.
    func correction(feedForward: Double) -> Double { (step / feedForward - 1) * 1e6 }

    /// The same for a song of another rate.
    /// - Parameter ratio: the new song's rate by the old one's.
    func scaled(by ratio: Double) -> RateController {
        guard ratio != 1 else { return self }
        var scaled = self
        scaled.step *= ratio
        scaled.followed *= ratio
        scaled.isLocked = false
        return scaled
    }

    /// Performs one control step.
    /// - Parameters:
    ///   - error: timeline error in seconds, positive when the sound is ahead.
    ///   - uncertainty: how far the feed-forward may be from the truth.
    ///   - seconds: how long the new step will be in force.
    mutating func update(error: Double, feedForward: Double, uncertainty: Double, seconds: Double) {
        let limit = accelerationLimit
        age += seconds
        let microseconds = error * 1e6
        if isLocked {
            let deviation = Self.unlockDeviation + min(2 * uncertainty, Self.greatestUncertainty)
            let holds = abs(microseconds) < Self.unlockError && abs(feedForward - 1) < deviation
            if holds {
                followed = feedForward
                return
            }
            isLocked = false
        }
        follow(feedForward, limit: limit, seconds: seconds)
        let wanted = feedForward * (1 + Self.velocity(for: microseconds, acceleration: plannedAcceleration) * 1e-6)
        let greatest = limit * 1e-6 * seconds * step
        step += min(greatest, max(-greatest, wanted - step))
    }

    /// Follows a change of the feed-forward, and passes quickly what exceeds ``slowChange``.
    private mutating func follow(_ feedForward: Double, limit: Double, seconds: Double) {
        let change = (feedForward - followed) * 1e6
        let excess = max(0, abs(change) - Self.slowChange)
        let fast = min(excess / Self.leapSeconds, Self.leapAcceleration) * seconds
        let leap = change < 0 ? -fast : fast
        let rest = change - leap
        step += leap * 1e-6
        followed += (leap + min(limit * seconds, max(-limit * seconds, rest))) * 1e-6
    }

    /// The velocity in ppm at which an error in us is removed without overshoot.
    private static func velocity(for error: Double, acceleration: Double) -> Double {
        let distance = abs(error)
        guard distance > linearRange else { return -error * (acceleration / linearRange).squareRoot() }
        let speed = (2 * acceleration * (distance - linearRange / 2)).squareRoot()
        return error > 0 ? -speed : speed
    }
}
