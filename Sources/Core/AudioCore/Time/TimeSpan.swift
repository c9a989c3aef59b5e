/// A signed length of time in whole nanoseconds, on the clock of the two instants that it separates.
///
/// `Swift.Duration` counts attoseconds in 128 bits. The playout path runs on a real-time thread, once per block of
/// frames, and needs nothing finer than a nanosecond (1/47 of a frame at 48 kHz is 443 ns).
public struct TimeSpan: Comparable, Hashable, Sendable, BitwiseCopyable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Rounds to the nearest nanosecond and saturates at the limits of `Int64`; NaN becomes zero.
    public init(seconds: Double) { nanoseconds = Int64(saturating: seconds * 1e9) }

    public static let zero = TimeSpan(nanoseconds: 0)
    public static func nanoseconds(_ value: Int64) -> TimeSpan { TimeSpan(nanoseconds: value) }
    public static func microseconds(_ value: Int64) -> TimeSpan { TimeSpan(nanoseconds: value * 1_000) }
    public static func milliseconds(_ value: Int64) -> TimeSpan { TimeSpan(nanoseconds: value * 1_000_000) }
    public static func seconds(_ value: Int64) -> TimeSpan { TimeSpan(nanoseconds: value * 1_000_000_000) }

    public var seconds: Double { Double(nanoseconds) * 1e-9 }
    public var microseconds: Double { Double(nanoseconds) * 1e-3 }
    public var milliseconds: Double { Double(nanoseconds) * 1e-6 }
    public var magnitude: TimeSpan { nanoseconds < 0 ? -self : self }

    public static func < (a: TimeSpan, b: TimeSpan) -> Bool { a.nanoseconds < b.nanoseconds }
    public static func + (a: TimeSpan, b: TimeSpan) -> TimeSpan {
        TimeSpan(nanoseconds: a.nanoseconds &+ b.nanoseconds)
    }
    public static func - (a: TimeSpan, b: TimeSpan) -> TimeSpan {
        TimeSpan(nanoseconds: a.nanoseconds &- b.nanoseconds)
    }
    public static prefix func - (a: TimeSpan) -> TimeSpan { TimeSpan(nanoseconds: 0 &- a.nanoseconds) }
    public static func * (a: TimeSpan, factor: Double) -> TimeSpan { TimeSpan(seconds: a.seconds * factor) }
    public static func += (a: inout TimeSpan, b: TimeSpan) { a = a + b }
    public static func -= (a: inout TimeSpan, b: TimeSpan) { a = a - b }
}

extension TimeSpan: CustomStringConvertible {
    public var description: String { "\(nanoseconds) ns" }
}

extension Int64 {
    /// Rounds to nearest and clamps to the representable range; NaN becomes zero. Outside data may hold any number.
    public init(saturating value: Double) {
        if value.isNaN {
            self = 0
        } else if value >= 0x1p63 {
            self = .max
        } else if value < -0x1p63 {
            self = .min
        } else {
            self = Int64(value.rounded())
        }
    }
}
