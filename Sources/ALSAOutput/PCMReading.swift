import AudioCore
import CALSA
import Glibc
import HostSystem

/// The clock on which a driver stamps its status.
enum TimestampClock: Sendable {
    case monotonicRaw
    /// Disciplined by NTP: converted with a pair of readings made at the same moment.
    case monotonic
    /// No stamps that we can use; the end of the reading serves instead.
    case none
}

/// One look at a PCM: how much it takes, how far ahead we are, and when that was so.
struct PCMReading: BitwiseCopyable {
    var state: snd_pcm_state_t
    /// Frames that can be written now.
    var available: Int
    /// Frames between the last written one and the loudspeaker.
    var delay: Int
    /// When `delay` was right.
    var host: HostTime
    /// Whether `delay` and `host` belong together: the reading took no longer than a thread that kept running needs.
    var isTimely: Bool
}

extension PCMReading {
    /// A thread that was taken off its processor in between makes a reading worthless.
    private static let longest = TimeSpan.milliseconds(1)
    /// A stamp further off than this from the reading is of another clock, or of no clock.
    private static let farthest = TimeSpan.milliseconds(200)

    /// Reads the status. Real-time safe as far as libasound is. Nil, with the error, where the device refuses.
    @inline(__always)
    static func take(
        _ pcm: OpaquePointer, into status: OpaquePointer, clock: TimestampClock, code: inout Int32
    ) -> PCMReading? {
        let begin = HostTime.now()
        code = snd_pcm_status(pcm, status)
        let end = HostTime.now()
        guard code >= 0 else { return nil }

        let stamp = hostTime(of: status, clock: clock, from: begin, to: end)
        return PCMReading(
            state: snd_pcm_status_get_state(status), available: Int(snd_pcm_status_get_avail(status)),
            delay: Int(snd_pcm_status_get_delay(status)), host: stamp, isTimely: end - begin < longest)
    }

    /// When the delay was right, or somewhat later: the model of the DAC's clock counts on readings that are never
    /// early.
    ///
    /// A driver's stamp is taken right after its look at the hardware. A stamp that was made during this very reading
    /// tells no more than the reading's end does, and may be too early: libasound's external I/O plugins are asked for
    /// the delay *after* the stamp (alsa-lib, pcm_ioplug.c, `snd_pcm_ioplug_status`), and the thread may lose its
    /// processor in between. So such a stamp is not used; and where there is none, it is the end that serves and not
    /// the middle.
    @inline(__always)
    private static func hostTime(
        of status: OpaquePointer, clock: TimestampClock, from begin: HostTime, to end: HostTime
    ) -> HostTime {
        guard clock != .none else { return end }
        var stamp = snd_htimestamp_t()
        snd_pcm_status_get_htstamp(status, &stamp)
        var host = HostTime(nanoseconds: nanoseconds(stamp))
        if clock == .monotonic {
            // In this order a lost processor makes a reading late.
            var monotonic = timespec()
            clock_gettime(CLOCK_MONOTONIC, &monotonic)
            host = HostTime.now() + TimeSpan(nanoseconds: host.nanoseconds &- nanoseconds(monotonic))
        }
        return host < begin && begin - host < farthest ? host : end
    }

    @inline(__always)
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
