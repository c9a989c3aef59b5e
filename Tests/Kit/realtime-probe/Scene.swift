import AudioCore
import AudioQueueServices
import HostSystem
import Playout
import SoundCardKit

/// One epoch in which everything happens that the real-time thread may have to deal with: a timed start, a volume ramp,
/// mute, channel roles, a timeline that jumps (a re-placement), an xrun, frames that come too late (an underrun and a
/// re-placement), and one of three ends: heard to the end, stopped, or broken off by the next scene's epoch. The latter
/// two take written frames back.
///
/// Odd scenes are resampled from 44.1 kHz, even ones have the card's own rate.
struct Scene {
    let number: UInt32
    let queue: TimelineQueue
    let card: SoftwareCard

    private var epoch: Epoch { Epoch(number) }
    private var rate: Double { number % 2 == 1 ? 44_100 : 48_000 }
    private static let length = 3.2
    private static let channelCount = 2
    private static let packetFrameCount = 1_000

    func play() throws {
        queue.begin(
            TimelineQueueStream(
                epoch: epoch,
                format: .linearPCM(
                    sampleRate: rate, channels: Self.channelCount, bitsPerChannel: 32, bytesPerSample: 4,
                    layout: [.float, .signedInteger])))
        let start = HostTime.now() + .milliseconds(number == 1 ? 1_000 : 400)
        setTimeline(start)
        enqueue(from: 0, to: 1.9)

        sleep(until: start + .milliseconds(300))
        queue.setVolume(0.25, ramp: .milliseconds(50))
        sleep(until: start + .milliseconds(450))
        queue.setMuted(true)
        sleep(until: start + .milliseconds(500))
        queue.setMuted(false)
        queue.setVolume(1)
        for (index, role) in [ChannelRole.left, .mono, .channel(3), .stereo].enumerated() {
            queue.setRole(role)
            sleep(until: start + .milliseconds(500 + Int64(index) * 25))
        }
        sleep(until: start + .milliseconds(600))
        setTimeline(start + .milliseconds(7))
        try card.setFaults([.xrunAt((start + .milliseconds(1_100)).nanoseconds)])
        // What was enqueued ends at 1.9 s.
        sleep(until: start + .milliseconds(2_200))
        enqueue(from: 1.9, to: Self.length)
        sleep(until: start + .milliseconds(2_800))
        end(start)
    }

    private func end(_ start: HostTime) {
        switch number % 3 {
        case 0: break
        case 1:
            queue.stop(fade: .milliseconds(10))
            sleep(until: start + .milliseconds(3_000))
        default:
            queue.finish(at: FramePosition(Int64(Self.length * rate)), epoch: epoch)
            sleep(until: start + .milliseconds(3_500))
        }
    }

    private func setTimeline(_ start: HostTime) {
        queue.setTimeline(HostTimeline(epoch: epoch, host: start, frame: .zero, framesPerSecond: rate))
    }

    /// Enqueues quiet noise for these seconds of the song.
    private func enqueue(from first: Double, to last: Double) {
        var random = UInt32(truncatingIfNeeded: number) &* 2_654_435_761
        let end = Int64(last * rate)
        var frame = Int64(first * rate)
        while frame < end {
            let count = Int(min(Int64(Self.packetFrameCount), end - frame))
            let samples = (0..<(count * Self.channelCount)).map { _ in
                random = random &* 1_664_525 &+ 1_013_904_223
                return Float(Int32(bitPattern: random)) * 0x1p-33
            }
            samples.withUnsafeBytes { bytes in
                _ = queue.enqueue(
                    RawSpan(_unsafeBytes: bytes), frame: FramePosition(frame), frameCount: count, epoch: epoch)
            }
            frame += Int64(count)
        }
    }

    private func sleep(until instant: HostTime) {
        while case let rest = instant - .now(), rest > .zero { sleepThread(for: rest) }
    }
}
