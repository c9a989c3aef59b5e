import AudioCore
import CALSA
import Glibc

/// Waits for a running PCM: until it wakes the loop, or, while its clock is being learned, until the next reading.
///
/// As real-time safe as libasound.
package struct PCMWait: BitwiseCopyable {
    private static let longest = TimeSpan.milliseconds(200)
    /// A running device that does not wake us for so long has stopped.
    private static let vainLimit = TimeSpan.seconds(3)

    private let pcm: OpaquePointer
    /// The only descriptor of the PCM; nil if it has several, as a plugin may.
    private let descriptor: pollfd?
    private var idle = TimeSpan.zero

    package init(_ pcm: OpaquePointer) {
        self.pcm = pcm
        var request = pollfd()
        descriptor =
            snd_pcm_poll_descriptors_count(pcm) == 1 && snd_pcm_poll_descriptors(pcm, &request, 1) == 1 ? request : nil
    }

    /// - Parameter interval: how often readings are worthwhile; nil if only those of wakes are.
    /// - Returns: 1 for a wake by the device, 0 for a poll, or a negative error.
    package mutating func wait(readingEvery interval: TimeSpan?) -> Int32 {
        let ready =
            if let interval {
                waitShortly(interval)
            } else {
                snd_pcm_wait(pcm, Int32(Self.longest.nanoseconds / 1_000_000))
            }
        idle = ready == 0 ? idle + (interval ?? Self.longest) : .zero
        return idle < Self.vainLimit ? ready : ALSACall.standstill
    }

    /// `snd_pcm_wait` counts milliseconds.
    private func waitShortly(_ interval: TimeSpan) -> Int32 {
        guard var request = descriptor else { return snd_pcm_wait(pcm, 1) }
        var time = timespec(tv_sec: 0, tv_nsec: Int(interval.nanoseconds))
        let isWoken = ppoll(&request, 1, &time, nil) > 0
        let ready = snd_pcm_wait(pcm, 0)
        // A plugin's descriptor may be ready for another reason, and stay so.
        if isWoken, ready == 0 { nanosleep(&time, nil) }
        return ready
    }
}
