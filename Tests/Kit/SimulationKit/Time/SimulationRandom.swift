import AudioCore
import Glibc

/// The seeded source of everything that is left to chance.
public struct SimulationRandom: RandomNumberGenerator {
    private var generator: SplitMix64

    public init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    public mutating func next() -> UInt64 { generator.next() }

    /// A generator of its own, so that one part of the simulation does not disturb another's numbers.
    public mutating func fork() -> SimulationRandom { SimulationRandom(seed: next()) }

    public mutating func uniform(_ range: ClosedRange<Double> = 0...1) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * Double(next() >> 11) * 0x1p-53
    }

    public mutating func chance(_ probability: Double) -> Bool { uniform() < probability }

    /// Exponentially distributed.
    public mutating func exponential(_ mean: TimeSpan) -> TimeSpan {
        guard mean > .zero else { return .zero }
        return TimeSpan(seconds: -mean.seconds * log(max(1e-12, uniform())))
    }

    public mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

    public mutating func span(_ range: ClosedRange<TimeSpan>) -> TimeSpan {
        TimeSpan(seconds: uniform(range.lowerBound.seconds...range.upperBound.seconds))
    }
}
