import AudioCore
import CALSA

// At each interrupt of a card the kernel reads its pointer, and notes both pointer and time in a page that it shares
// with us. A status reads the pointer anew (linux, sound/core/pcm_lib.c, `snd_pcm_update_hw_ptr0`). If it has not moved
// since the interrupt, because it moves in bursts, the status says the same, but later: by what it took until our
// thread ran. That is 10 to 100 us, and changes with what else the interrupt wakes: of two cards whose interrupts
// coincide, each may be served first for seconds. So the page is read before the status, and the interrupt's time is
// used then.
//
// Only a PCM of the kernel has such a page. A driver that knows of frames beyond its buffer (USB) tells how many by a
// status alone; their number is of the status' time.

/// What the kernel noted when it last read a card's pointer. Real-time safe.
struct InterruptReading: BitwiseCopyable {
    /// Frames that could be written, or read.
    private var available: Int
    var stamp: DriverStamp

    /// Nil for a PCM of a plugin, or without stamps.
    @inline(__always)
    init?(_ pcm: OpaquePointer, clock: TimestampClock) {
        guard clock != .none, snd_pcm_type(pcm) == SND_PCM_TYPE_HW else { return nil }
        var frames: snd_pcm_uframes_t = 0
        var time = snd_htimestamp_t()
        guard snd_pcm_htimestamp(pcm, &frames, &time) >= 0 else { return nil }
        available = Int(frames)
        stamp = DriverStamp(time, clock: clock)
    }

    /// Whether the pointer had not moved when a status was taken, and all frames between it and the loudspeaker, or the
    /// microphone, are in the buffer.
    @inline(__always)
    func isSame(available: Int, delay: Int, bufferFrameCount: Int, _ direction: PCMDirection) -> Bool {
        let buffered = direction == .playback ? bufferFrameCount - available : available
        return available == self.available && delay == buffered
    }
}
