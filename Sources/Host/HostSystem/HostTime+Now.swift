import AudioCore
import Glibc

extension Instant where Clock == HostClock {
    /// Reads this machine's raw monotonic clock; the only place in Tutti's shell that reads the time.
    ///
    /// Pure modules take `now` as an argument instead. Real-time safe (a vDSO call). It calls libc's `clock_gettime`,
    /// so a test may substitute another clock for a process.
    @inline(__always)
    public static func now() -> HostTime {
        var time = timespec()
        clock_gettime(clock, &time)
        return HostTime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    #if WallClockCanary
        private static var clock: clockid_t { CLOCK_REALTIME }
    #else
        private static var clock: clockid_t { CLOCK_MONOTONIC_RAW }
    #endif
}

/// Puts the calling thread to sleep for a length of time; returns early if a signal arrives.
///
/// The kernel cannot sleep until an instant of the raw clock, so callers compute the length and read the clock again
/// when they wake.
public func sleepThread(for span: TimeSpan) {
    guard span > .zero else { return }
    var request = span.timespec
    nanosleep(&request, nil)
}

extension TimeSpan {
    /// For calls of the system; this span must not be negative. Real-time safe.
    public var timespec: timespec {
        Glibc.timespec(tv_sec: time_t(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}
