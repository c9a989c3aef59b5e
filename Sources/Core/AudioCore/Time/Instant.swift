/// A clock whose instants must not be mixed with another's.
public protocol ClockDomain: Sendable {}

/// This machine's raw monotonic clock (`CLOCK_MONOTONIC_RAW`). Every machine has its own, with its own zero and rate.
public enum HostClock: ClockDomain {}

/// The broadcaster's host clock: the one clock that all listeners of a broadcast estimate.
public enum SessionClock: ClockDomain {}

/// A point on the clock `Clock`, in nanoseconds since that clock's own zero.
///
/// Two instants of one clock differ by a ``TimeSpan``. Instants of different clocks cannot be subtracted; a
/// ``ClockMapping`` converts them. Arithmetic wraps: instants arrive from the network, and none may trap.
public struct Instant<Clock: ClockDomain>: Comparable, Hashable, Sendable, BitwiseCopyable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }
    public static func - (a: Self, b: Self) -> TimeSpan { TimeSpan(nanoseconds: a.nanoseconds &- b.nanoseconds) }
    public static func + (a: Self, b: TimeSpan) -> Self { Self(nanoseconds: a.nanoseconds &+ b.nanoseconds) }
    public static func - (a: Self, b: TimeSpan) -> Self { Self(nanoseconds: a.nanoseconds &- b.nanoseconds) }
    public static func += (a: inout Self, b: TimeSpan) { a = a + b }
    public static func -= (a: inout Self, b: TimeSpan) { a = a - b }
}

extension Instant: CustomStringConvertible {
    public var description: String { "\(nanoseconds) ns" }
}

/// An instant on this machine's raw monotonic clock.
public typealias HostTime = Instant<HostClock>

/// An instant on the broadcaster's clock.
public typealias SessionTime = Instant<SessionClock>
