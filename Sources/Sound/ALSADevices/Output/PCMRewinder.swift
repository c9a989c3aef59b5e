import AudioCore
import CALSA
import HostSystem

// `snd_pcm_rewind` moves libasound's own pointer. What is written then goes over what was there, where the device reads
// from a buffer that both share. A plugin that sends what is written on to a server (PulseAudio's) plays it after what
// it has, and says nothing: each command that takes frames back leaves our count of written frames wrong by as many,
// which looks like a step of the device's clock, for which the sound is placed anew, which takes frames back.
//
// Nothing tells which kind a device is, the less where other plugins stand before it. But its delay does: it goes down
// by what was taken back, or it stays. So at the start, while all is silence, frames are taken back and given again,
// and the first three times that it is meant the delay is asked before and after too. A device that kept what it had
// gets its pointer back, and is not asked again. Its delay is a guess then: it lies behind a server.

/// Takes written frames back from a PCM, and knows whether they came back. Real-time safe as far as libasound is.
struct PCMRewinder: BitwiseCopyable {
    private let pcm: OpaquePointer
    /// The least number of frames that proves something: fewer are not told from a pointer that moves meanwhile.
    private let provingFrameCount: Int
    private var proofCount = 0
    /// Whether the device said that it gave frames back, and kept them.
    private(set) var deviceIgnoresRewinds = false

    private static let proofLimit = 3
    private static let provingTime = TimeSpan.milliseconds(30)
    /// A thread that lost its processor in between proves nothing.
    private static let longest = TimeSpan.milliseconds(5)

    /// - Parameter rate: frames a second.
    init(_ pcm: OpaquePointer, rate: Double) {
        self.pcm = pcm
        provingFrameCount = Int(rate * Self.provingTime.seconds)
    }

    /// Tries it on a device that was started a moment ago, and puts everything back.
    mutating func deviceIgnoresRewinds(buffered: Int) -> Bool {
        if proofCount == 0, !deviceIgnoresRewinds {
            let taken = take(buffered / 2)
            if taken > 0 { _ = putBack(taken) }
        }
        return deviceIgnoresRewinds
    }

    /// Takes back as many frames, or fewer.
    /// - Returns: how many can be written anew now.
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

    /// What was written is still there.
    private func putBack(_ count: Int) -> Int { max(0, Int(snd_pcm_forward(pcm, snd_pcm_uframes_t(count)))) }
}
