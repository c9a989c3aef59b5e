import AudioCore
import CALSA
import Glibc
import HostSystem
import Playout

/// One status of a running PCM: frames available, delay, and the time at which they were valid.
package struct PCMReading: BitwiseCopyable {
    /// Frames that can be written, or read, now.
    package var available: Int
    /// Frames between the last written one and the loudspeaker, or between the microphone and the next one to be read.
    package var delay: Int
    /// When `delay` was valid.
    package var instant: ReadingInstant
}

extension PCMReading {
    /// Reads the status of a running PCM. As real-time safe as libasound.
    /// - Parameter bufferFrameCount: the size of its buffer.
    /// - Returns: nil, with the error in `code`, if the device refuses or does not run.
    @inline(__always)
    package static func take(
        _ pcm: OpaquePointer, _ direction: PCMDirection, bufferFrameCount: Int, into status: OpaquePointer,
        validator: inout TimestampValidator, code: inout Int32
    ) -> PCMReading? {
        var interrupt = InterruptReading(pcm, clock: validator.clock)
        let begin = HostTime.now()
        code = snd_pcm_status(pcm, status)
        let end = HostTime.now()
        guard code >= 0 else { return nil }

        let available = Int(snd_pcm_status_get_avail(status))
        let delay = Int(snd_pcm_status_get_delay(status))
        if let noted = interrupt,
            !noted.isSame(available: available, delay: delay, bufferFrameCount: bufferFrameCount, direction)
        {
            interrupt = nil
        }
        let instant = validator.instant(
            begin: begin, end: end, stamp: stamp(of: status, clock: validator.clock), interrupt: interrupt?.stamp)
        let state = snd_pcm_status_get_state(status)
        guard state == SND_PCM_STATE_RUNNING else {
            code = error(of: state)
            return nil
        }
        return PCMReading(available: available, delay: delay, instant: instant)
    }

    private static func error(of state: snd_pcm_state_t) -> Int32 {
        switch state {
        case SND_PCM_STATE_DISCONNECTED: -ENODEV
        case SND_PCM_STATE_SUSPENDED: -ESTRPIPE
        default: -EPIPE
        }
    }

    @inline(__always)
    private static func stamp(of status: OpaquePointer, clock: TimestampClock) -> DriverStamp? {
        guard clock != .none else { return nil }
        var time = snd_htimestamp_t()
        snd_pcm_status_get_htstamp(status, &time)
        return DriverStamp(time, clock: clock)
    }
}

extension DriverStamp {
    /// A stamp of this moment or a moment ago.
    @inline(__always)
    init(_ time: timespec, clock: TimestampClock) {
        self.init(nanoseconds: Self.nanoseconds(time))
        guard clock == .monotonic else { return }
        // In this order, losing the processor makes a reading late, never early.
        var monotonic = timespec()
        clock_gettime(CLOCK_MONOTONIC, &monotonic)
        lead = TimeSpan(nanoseconds: HostTime.now().nanoseconds &- Self.nanoseconds(monotonic))
    }

    @inline(__always)
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
