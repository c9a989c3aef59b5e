import AudioCore
import Glibc

@testable import ClockSync

/// How long a datagram takes, one way.
struct SimulatedLink {
    enum Queueing {
        /// Two namespaces joined by a veth pair: a few microseconds, sometimes a thread that wakes late.
        case quiet
        /// Normal noise, never negative.
        case normal
        /// Wi-Fi-like, with different shapes of the distribution.
        case exponential(mean: Double)
        case gamma(scale: Double)
        case logNormal(median: Double, sigma: Double)
        /// Exponential, and now and then held up much longer.
        case spiky(mean: Double, probability: Double, spike: Double)
        /// Anything up to this, all equally likely.
        case uniform(most: Double)
        /// Exponential; and often as long as the receiver still sleeps, to save power.
        case sleepy(mean: Double, probability: Double, period: Double)
        /// Exponential; in some tenths of a second, the same share of all, much longer.
        case bursts(mean: Double, share: Double, busyMean: Double)
        /// A queue that is never empty, as before a link that is sent more than it carries.
        case standing(least: Double, most: Double)
    }

    var base: Double
    var forward: Queueing
    var backward: Queueing
    /// By how much longer a datagram is on its way back.
    var backwardDetour = 0.0
    /// By how much longer a request is on its way that follows none for ``rest``.
    var coldness = 0.0
    var loss = 0.0
    /// A datagram that is held up holds up those behind it.
    var keepsOrder = false

    static let rest = 20e-3

    static let quietLAN = SimulatedLink(base: 5e-6, forward: .quiet, backward: .quiet)
    static let coldLAN = SimulatedLink(base: 5e-6, forward: .quiet, backward: .quiet, coldness: 15e-6)
    static let normalLAN = SimulatedLink(base: 5e-6, forward: .normal, backward: .normal)
    static let wiFi = SimulatedLink(
        base: 2e-3, forward: .exponential(mean: 1.4e-3), backward: .exponential(mean: 1.4e-3), loss: 0.01)
    static let wiFiGamma = SimulatedLink(
        base: 2e-3, forward: .gamma(scale: 0.4e-3), backward: .gamma(scale: 0.4e-3), loss: 0.01)
    static let wiFiLogNormal = SimulatedLink(
        base: 2e-3, forward: .logNormal(median: 1e-4, sigma: 1.5), backward: .logNormal(median: 1e-4, sigma: 1.5),
        loss: 0.01)
    static let wiFiBusyOneWay = SimulatedLink(
        base: 2e-3, forward: .exponential(mean: 0.3e-3), backward: .exponential(mean: 1.4e-3), loss: 0.01)
    /// As the radio of the end-to-end tests.
    static let radio = SimulatedLink(
        base: 1e-3, forward: .spiky(mean: 0.7e-3, probability: 0.03, spike: 12e-3),
        backward: .spiky(mean: 0.7e-3, probability: 0.03, spike: 12e-3), loss: 0.01, keepsOrder: true)

    static func delay(_ queueing: Queueing, at time: Double, using generator: inout SplitMix64) -> Double {
        switch queueing {
        case .quiet:
            var delay = exponential(2e-6, using: &generator)
            if generator.uniform() < 0.5 { delay += exponential(5e-6, using: &generator) }
            if generator.uniform() < 0.02 { delay += 200e-6 * generator.uniform() }
            return delay
        case .normal:
            return abs(1.5e-6 * generator.normal()) + (generator.uniform() < 0.5 ? 20e-6 * generator.uniform() : 0)
        case .exponential(let mean):
            return min(30e-3, exponential(mean, using: &generator))
        case .gamma(let scale):
            return min(30e-3, exponential(scale, using: &generator) + exponential(scale, using: &generator))
        case .logNormal(let median, let sigma):
            return min(30e-3, median * exp(sigma * generator.normal()))
        case .spiky(let mean, let probability, let spike):
            let delay = exponential(mean, using: &generator)
            return min(30e-3, delay + (generator.uniform() < probability ? exponential(spike, using: &generator) : 0))
        case .uniform(let most):
            return most * generator.uniform()
        case .sleepy(let mean, let probability, let period):
            let delay = exponential(mean, using: &generator)
            return delay + (generator.uniform() < probability ? period * generator.uniform() : 0)
        case .bursts(let mean, let share, let busyMean):
            var burst = SplitMix64(seed: UInt64(time * 10))
            return min(30e-3, exponential(burst.uniform() < share ? busyMean : mean, using: &generator))
        case .standing(let least, let most):
            return least + (most - least) * generator.uniform()
        }
    }

    private static func exponential(_ mean: Double, using generator: inout SplitMix64) -> Double {
        -mean * log(generator.uniform())
    }
}

extension SplitMix64 {
    mutating func uniform() -> Double { Double.random(in: 1e-12..<1, using: &self) }

    mutating func normal() -> Double {
        (-2 * log(uniform())).squareRoot() * cos(2 * Double.pi * uniform())
    }
}

/// A clock with an offset, a rate error that walks, and jumps.
struct SimulatedClock {
    private static let step = 0.05
    private var trueTime = 0.0
    private var reading: Double
    private(set) var rateError: Double
    private let wander: Double
    private let ramp: Double
    private var generator: SplitMix64

    /// - Parameters:
    ///   - wander: ppm over the root of a second.
    ///   - ramp: ppm a minute, as while a machine warms up.
    init(offset: Double, ppm: Double, wander: Double, ramp: Double = 0, seed: UInt64) {
        reading = offset
        rateError = ppm * 1e-6
        self.wander = wander * 1e-6
        self.ramp = ramp / 60 * 1e-6
        generator = SplitMix64(seed: seed)
    }

    mutating func seconds(at time: Double) -> Double {
        while trueTime + Self.step <= time {
            reading += Self.step * (1 + rateError)
            trueTime += Self.step
            rateError += wander * Self.step.squareRoot() * generator.normal() + ramp * Self.step
        }
        return reading + (time - trueTime) * (1 + rateError)
    }

    mutating func nanoseconds(at time: Double) -> Int64 { Int64((seconds(at: time) * 1e9).rounded()) }

    mutating func jump(by seconds: Double) { reading += seconds }
}
