import AudioCore
import Glibc

/// The wall clock. Only for display, for which of two broadcasts began first, and for quiet hours: never for when sound
/// is due.
enum WallClock {
    static func seconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec)
    }

    /// The local time of day, by `TZ` or else by the system's time zone, also one that was changed meanwhile.
    static func minuteOfDay() -> MinuteOfDay {
        tzset()
        var seconds = time_t(Self.seconds())
        var local = tm()
        // Fails only for years that no calendar counts: the day is UTC's then.
        guard localtime_r(&seconds, &local) != nil else { return MinuteOfDay(Int(seconds / 60)) }
        return MinuteOfDay(hour: Int(local.tm_hour), minute: Int(local.tm_min))
    }
}
