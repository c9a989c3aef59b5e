import AudioCore

/// The simulation's own clock, which no simulated machine can read.
public enum TrueClock: ClockDomain {}

/// An instant of the simulation, counted from its beginning.
public typealias TrueTime = Instant<TrueClock>

extension TrueTime {
    public static let start = TrueTime(nanoseconds: 0)

    /// What every simulated wall clock shows, in seconds since 1970.
    public var unixTime: Int64 { 1_700_000_000 + nanoseconds / 1_000_000_000 }

    /// Seconds since the simulation began.
    public var seconds: Double { Double(nanoseconds) * 1e-9 }

    public init(seconds: Double) { self.init(nanoseconds: Int64(saturating: seconds * 1e9)) }
}
