import Glibc

/// The wall clock. Only for display and for which of two broadcasts began first: never for sound.
enum WallClock {
    static func seconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec)
    }
}
