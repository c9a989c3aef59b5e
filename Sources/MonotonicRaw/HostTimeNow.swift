import AudioCore
import Glibc

/// Reads this machine's host clock, `CLOCK_MONOTONIC_RAW` (clock_gettime(2)).
///
/// The one adapter between host time and the operating system: everything else takes `now` as an argument. Goes
/// through libc's `clock_gettime`, so that a test kit can give a process another clock. Real-time safe: no allocation,
/// no lock, on usual hardware no system call.
@inline(__always)
public func hostTimeNow() -> HostTime {
    HostTime(nanoseconds: readClock(CLOCK_MONOTONIC_RAW))
}

/// Nanoseconds of one of the kernel's clocks.
@inline(__always)
func readClock(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}
