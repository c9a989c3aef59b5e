import AudioCore

/// The simulation's own clock, which no simulated machine can read.
public enum TrueClock: ClockDomain {}

/// An instant of the simulation, counted from its beginning.
public typealias TrueTime = Instant<TrueClock>

extension TrueTime {
    public static let start = TrueTime(nanoseconds: 0)

    /// Seconds since the simulation began.
    public var seconds: Double { Double(nanoseconds) * 1e-9 }

    public init(seconds: Double) { self.init(nanoseconds: Int64(saturating: seconds * 1e9)) }
}
