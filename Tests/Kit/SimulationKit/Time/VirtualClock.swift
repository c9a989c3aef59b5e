import AudioCore
import Glibc

/// A crystal: an offset, a rate error, and a slow wander of that rate, as closed forms of true time; and steps.
///
///     local(t) = offset + t + ppm t + integral of wander * sin(2 pi t / period + phase) + steps up to t
public struct VirtualClock {
    public var offset: TimeSpan
    public var rate: PartsPerMillion
    /// The wander's peak.
    public var wander: PartsPerMillion
    public var wanderPeriod: TimeSpan
    /// In radians.
    public var wanderPhase: Double
    /// What the clock was put forward (or back) by, and at which true second; in order.
    private var steps: [(second: Double, gain: Double)] = []

    public init(
        offset: TimeSpan = .zero, rate: PartsPerMillion = .zero, wander: PartsPerMillion = .zero,
        wanderPeriod: TimeSpan = .seconds(600), wanderPhase: Double = 0
    ) {
        self.offset = offset
        self.rate = rate
        self.wander = wander
        self.wanderPeriod = wanderPeriod
        self.wanderPhase = wanderPhase
    }

    /// A machine's: any offset within hours, within `ppm`, wandering a little.
    public static func random(within ppm: Double, wander: Double, using random: inout SimulationRandom) -> VirtualClock
    {
        VirtualClock(
            offset: random.span(.zero ... .seconds(40_000)), rate: PartsPerMillion(random.uniform(-ppm...ppm)),
            wander: PartsPerMillion(random.uniform(0...wander)),
            wanderPeriod: random.span(.seconds(300) ... .seconds(900)), wanderPhase: random.uniform(0...(2 * .pi)))
    }

    /// From this true time on the clock is ahead by `gain` more. Steps are made in the order of their times.
    mutating func step(by gain: TimeSpan, at time: TrueTime) { steps.append((time.seconds, gain.seconds)) }

    /// What the clock has gained against true time, without its offset, in seconds.
    public func gain(at seconds: Double) -> Double {
        var gain = smoothGain(at: seconds)
        for step in steps where step.second <= seconds { gain += step.gain }
        return gain
    }

    private func smoothGain(at seconds: Double) -> Double {
        let angular = 2 * .pi / wanderPeriod.seconds
        let wandered = wander.value * (cos(wanderPhase) - cos(angular * seconds + wanderPhase)) / angular
        return 1e-6 * (rate.value * seconds + wandered)
    }

    /// Seconds on this clock since the simulation began, the offset left out.
    public func elapsed(at seconds: Double) -> Double { seconds + gain(at: seconds) }

    /// The true time at which ``elapsed(at:)`` is this: the last, where the clock was put back; that of the step, where
    /// it was put forward past it.
    public func seconds(ofElapsed elapsed: Double) -> Double {
        var rest = elapsed - steps.reduce(0) { $0 + $1.gain }
        for step in steps.reversed() {
            let seconds = smoothSeconds(ofElapsed: rest)
            if seconds >= step.second { return seconds }
            rest += step.gain
            if smoothSeconds(ofElapsed: rest) > step.second { return step.second }
        }
        return smoothSeconds(ofElapsed: rest)
    }

    private func smoothSeconds(ofElapsed elapsed: Double) -> Double {
        // Exact but for the wander, whose rate is some 1e-6: of its error each turn leaves as much.
        var seconds = elapsed / (1 + 1e-6 * rate.value)
        for _ in 0..<2 { seconds += (elapsed - seconds - smoothGain(at: seconds)) / (1 + 1e-6 * rate.value) }
        return seconds
    }

    public func host(at time: TrueTime) -> HostTime {
        HostTime(nanoseconds: time.nanoseconds) + offset + TimeSpan(seconds: gain(at: time.seconds))
    }

    public func trueTime(of host: HostTime) -> TrueTime {
        let elapsed = TimeSpan(nanoseconds: host.nanoseconds) - offset
        return TrueTime(seconds: seconds(ofElapsed: elapsed.seconds))
    }
}
