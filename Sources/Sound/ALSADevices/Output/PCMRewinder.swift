import AudioCore
import CALSA
import HostSystem

// `snd_pcm_rewind` moves libasound's own pointer. Where the device reads from a shared buffer, the next write replaces
// what was there. But a plugin that forwards writes to a server (PulseAudio's) plays them after what the server already
// has, without an error. Each rewind then leaves our count of written frames wrong by that much, which looks like a
// step of the device's clock; the sound is re-placed for it, which takes frames back again.
//
// No call tells which kind a device is, least of all behind other plugins. But its delay does: it shrinks by what was
// taken back, or it stays. So at the start, during silence, frames are taken back and restored, and the delay is
// compared until three rewinds have proved good. A device that kept the frames gets its pointer restored, and is never
// rewound again. It is behind a server, so its delays are guesses. A device that gives nothing back from the start
// (`snd_pcm_rewindable` is 0 where libasound converts rates) is known by its delays as any other.
//
// Until one rewind has proved good, a device counts as one that keeps what it has.

/// Takes written frames back from a PCM, and checks that it gave them back. As real-time safe as libasound.
struct PCMRewinder: BitwiseCopyable {
    private let pcm: OpaquePointer
    /// The fewest frames that prove anything; fewer could be the pointer's own movement.
    private let provingFrameCount: Int
    private var proofCount = 0
    private var testCount = 0
    /// Whether the device claimed to give frames back, but kept them.
    private(set) var deviceIgnoresRewinds = false

    /// Whether the device was seen to give frames back, and never to keep them.
    var deviceGivesBack: Bool { proofCount > 0 && !deviceIgnoresRewinds }

    private static let proofLimit = 3
    /// A test may be in vain because another thread had the processor.
    private static let testLimit = 8
    private static let provingTime = TimeSpan.milliseconds(30)
    /// A slower check lost its processor, and proves nothing.
    private static let longest = TimeSpan.milliseconds(5)

    /// - Parameter rate: frames per second.
    init(_ pcm: OpaquePointer, rate: Double) {
        self.pcm = pcm
        provingFrameCount = Int(rate * Self.provingTime.seconds)
    }

    /// Tests a running device that holds so many frames, unless it is known already, and restores everything.
    mutating func test(buffered: Int) {
        guard proofCount == 0, !deviceIgnoresRewinds, testCount < Self.testLimit else { return }
        testCount += 1
        let taken = take(buffered / 2)
        if taken > 0 { _ = putBack(taken) }
    }

    /// Takes back up to `wanted` frames.
    /// - Returns: how many frames can now be written again.
    mutating func take(_ wanted: Int) -> Int {
        guard !deviceIgnoresRewinds else { return 0 }
        let wanted = min(wanted, Int(snd_pcm_rewindable(pcm)))
        guard wanted > 0 else { return 0 }
        guard proofCount < Self.proofLimit else { return rewind(wanted) }
        return wanted >= provingFrameCount ? prove(wanted) : 0
    }

    private mutating func prove(_ wanted: Int) -> Int {
        let begin = HostTime.now()
        guard let before = delay else { return 0 }
        let taken = rewind(wanted)
        guard taken > 0 else { return 0 }
        let after = delay
        guard let after, HostTime.now() - begin < Self.longest else { return taken - putBack(taken) }
        guard before - after > taken / 2 else {
            deviceIgnoresRewinds = true
            _ = putBack(taken)
            return 0
        }
        proofCount += 1
        return taken
    }

    private var delay: Int? {
        var frames: snd_pcm_sframes_t = 0
        return snd_pcm_delay(pcm, &frames) >= 0 ? Int(frames) : nil
    }

    private func rewind(_ count: Int) -> Int { max(0, Int(snd_pcm_rewind(pcm, snd_pcm_uframes_t(count)))) }

    /// Restores taken frames: their samples are still in the buffer.
    private func putBack(_ count: Int) -> Int { max(0, Int(snd_pcm_forward(pcm, snd_pcm_uframes_t(count)))) }
}
