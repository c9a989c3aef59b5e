import AudioCore
import AudioDecoding
import AudioQueue
import Playout
import SessionExecution

/// What stands for an audio queue: the shipping packet feeder and renderer's door, without a thread.
final class SimulatedOutlet: ListenOutlet {
    /// Highest fill of the queue so far.
    private(set) var highestQueuedByteCount = 0
    /// By a planted fault: added to every timeline from now on.
    var lateness = TimeSpan.zero
    private(set) var hasBeenLate = false
    private let control: PlayoutControl
    private var feeder = PacketFeeder(decoders: .simulated)

    init(control: PlayoutControl) { self.control = control }

    var feederSnapshot: PacketFeederSnapshot { feeder.snapshot }

    /// What the queue's thread does from time to time.
    func turn(_ handler: (AudioQueueEvent) -> Void) {
        feed()
        var events: [PlayoutEvent] = []
        control.takeEvents { events.append($0) }
        for event in events { handler(.playout(event)) }
    }

    private func feed() {
        while feeder.feed() == .fed {}
    }

    // MARK: ListenOutlet

    var playout: PlayoutSnapshot { control.snapshot }

    func begin(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) throws(AudioDecodingError) {
        guard let format = stream.format else { return }
        control.play(
            try feeder.begin(
                AudioQueueStream(
                    epoch: epoch, format: format, magicCookie: stream.magicCookie,
                    primingFrameCount: stream.packetTable?.primingFrameCount ?? 0, firstFrame: firstFrame,
                    fadesIn: firstFrame > .zero)))
    }

    func enqueue(_ bytes: RawSpan, frame: FramePosition, frameCount: Int, epoch: Epoch) {
        _ = feeder.enqueue(bytes, frame: frame, frameCount: frameCount, epoch: epoch)
        highestQueuedByteCount = max(highestQueuedByteCount, feeder.snapshot.queuedByteCount)
        feed()
    }

    func reenter(at frame: FramePosition, epoch: Epoch) { feeder.reenter(at: frame, epoch: epoch) }

    func finish(at end: FramePosition, epoch: Epoch) {
        feeder.finish(at: end, packetsFollow: false, epoch: epoch)
        control.finish(at: end, epoch: epoch)
    }

    func setTimeline(_ timeline: HostTimeline) {
        var timeline = timeline
        timeline.host += lateness
        if lateness > .zero { hasBeenLate = true }
        control.setTimeline(timeline)
    }

    func hold(fade: TimeSpan) { control.hold(fade: fade) }

    func stop(fade: TimeSpan) {
        feeder.flush()
        control.stop(fade: fade)
    }
}
