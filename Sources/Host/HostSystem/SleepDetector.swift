import AudioCore
import Glibc

// The raw clock, like CLOCK_MONOTONIC, stands still while a machine sleeps; CLOCK_BOOTTIME does not. So CLOCK_BOOTTIME
// minus CLOCK_MONOTONIC is the time slept since the boot. The kernel derives both from one reading, NTP's slewing
// included, so the difference is exact and only a sleep changes it. CLOCK_MONOTONIC_RAW is not slewed, and would not
// do.
//
// The two cannot be read at the same instant. So boottime is read between two readings of the other clock, and the true
// difference lies between the two measured ones. A delay between the calls only widens that range, and so cannot look
// like a sleep.

/// Readings of both clocks of a machine, one after the other, in nanoseconds.
public struct SleepReading: Hashable, Sendable {
    /// CLOCK_MONOTONIC, read before and after `boottime`.
    public var before: Int64
    public var boottime: Int64
    public var after: Int64

    public init(before: Int64, boottime: Int64, after: Int64) {
        self.before = before
        self.boottime = boottime
        self.after = after
    }

    /// Reads the clocks. Real-time safe: three vDSO calls, some 80 ns.
    public static func now() -> SleepReading {
        SleepReading(
            before: read(CLOCK_MONOTONIC), boottime: read(CLOCK_BOOTTIME), after: read(CLOCK_MONOTONIC))
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

/// Detects that this machine was asleep. A virtual machine that its host froze or moved is not detected.
public struct SleepDetector: Sendable {
    /// The shortest sleep: no machine goes down and comes up again sooner.
    public static let shortest = TimeSpan.milliseconds(20)

    /// The longest time that can have been slept since the boot, by the readings so far.
    private var ceiling: Int64?

    public init() {}

    /// Takes a reading; returns how long the machine slept since the previous one, if it did.
    public mutating func note(_ reading: SleepReading) -> TimeSpan? {
        let most = reading.boottime &- reading.before
        let least = reading.boottime &- reading.after
        guard let ceiling else {
            self.ceiling = most
            return nil
        }
        let slept = TimeSpan(nanoseconds: least &- ceiling)
        guard slept >= Self.shortest else {
            self.ceiling = min(ceiling, most)
            return nil
        }
        self.ceiling = most
        return slept
    }
}
