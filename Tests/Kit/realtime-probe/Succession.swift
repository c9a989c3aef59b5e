import AudioCore
import AudioQueueServices
import HostSystem
import Playout

/// Epochs that follow one another: a joint of two rates while the channel role turns, a cut, its resumption, and
/// another cut that a newer epoch follows.
struct Succession {
    let number: UInt32
    let queue: TimelineQueue

    private static let channelCount = 2
    private static let packetFrameCount = 1_000
    /// How many starts it reports.
    static let startCount = 4

    func play() {
        let first = Epoch(number * 10)
        let (second, third) = (first.next, first.next.next)
        let start = HostTime.now() + .milliseconds(300)
        queue.begin(stream(first, 44_100))
        add(first, rate: 44_100, milliseconds: 200, at: start)
        queue.append(stream(second, 48_000))
        add(second, rate: 48_000, milliseconds: 2_000, at: start + .milliseconds(200))
        sleep(until: start + .milliseconds(100))
        // Whatever the device holds, the role turns at the joint in some of the successions.
        queue.setRole(.mono)
        sleep(until: start + .milliseconds(300))
        queue.setRole(.stereo)

        queue.cut(at: FramePosition(19_200), epoch: second)
        sleep(until: start + .milliseconds(700))
        queue.setTimeline(timeline(second, 48_000, frame: 19_200, at: start + .milliseconds(900)))
        sleep(until: start + .milliseconds(1_100))
        queue.cut(at: FramePosition(38_400), epoch: second)
        queue.append(stream(third, 48_000))
        add(third, rate: 48_000, milliseconds: 200, at: start + .milliseconds(1_300))
        sleep(until: start + .milliseconds(1_700))
    }

    private func stream(_ epoch: Epoch, _ rate: Double) -> TimelineQueueStream {
        TimelineQueueStream(
            epoch: epoch,
            format: .linearPCM(
                sampleRate: rate, channels: Self.channelCount, bitsPerChannel: 32, bytesPerSample: 4,
                layout: [.float, .signedInteger]))
    }

    private func timeline(_ epoch: Epoch, _ rate: Double, frame: Int64, at host: HostTime) -> HostTimeline {
        HostTimeline(epoch: epoch, host: host, frame: FramePosition(frame), framesPerSecond: rate)
    }

    /// Enqueues all of an epoch, a quiet level, and sets its timeline.
    private func add(_ epoch: Epoch, rate: Double, milliseconds: Int64, at start: HostTime) {
        let end = Int64(rate) * milliseconds / 1_000
        for frame in stride(from: Int64(0), to: end, by: Self.packetFrameCount) {
            let count = Int(min(Int64(Self.packetFrameCount), end - frame))
            let samples = [Float](repeating: 0.01, count: count * Self.channelCount)
            samples.withUnsafeBytes { bytes in
                _ = queue.enqueue(
                    RawSpan(_unsafeBytes: bytes), frame: FramePosition(frame), frameCount: count, epoch: epoch)
            }
        }
        queue.finish(at: FramePosition(end), epoch: epoch)
        queue.setTimeline(timeline(epoch, rate, frame: 0, at: start))
    }

    private func sleep(until instant: HostTime) {
        while case let rest = instant - .now(), rest > .zero { sleepThread(for: rest) }
    }
}
