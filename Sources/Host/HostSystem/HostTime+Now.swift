import AudioCore
import Glibc

extension Instant where Clock == HostClock {
    /// Reads this machine's raw monotonic clock: the only place where Tutti's shell asks what time it is.
    ///
    /// Pure modules take `now` as an argument instead. Real-time safe (a vDSO call). It goes through libc's
    /// `clock_gettime` like everybody's, so a test may put another clock under a process.
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

/// Puts the calling thread to sleep for a length of time; returns early when a signal arrives.
///
/// The kernel offers no sleep until an instant of the raw clock, so callers compute the length and look at the clock
/// again when they wake.
public func sleepThread(for span: TimeSpan) {
    guard span > .zero else { return }
    var request = timespec(
        tv_sec: time_t(span.nanoseconds / 1_000_000_000), tv_nsec: Int(span.nanoseconds % 1_000_000_000))
    nanosleep(&request, nil)
}
