import AudioCore
import AudioDecoding
import AudioQueueServices
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
    /// What the next turn tells.
    private var pending: [TimelineQueueEvent] = []

    init(control: PlayoutControl) { self.control = control }

    var feederSnapshot: PacketFeederSnapshot { feeder.snapshot }

    /// What the queue's thread does from time to time.
    func turn(_ handler: (TimelineQueueEvent) -> Void) {
        feed()
        control.takeEvents { pending.append(.playout($0)) }
        let events = pending
        pending = []
        for event in events { handler(event) }
    }

    private func feed() {
        var step = PacketFeederStep.fed
        while step == .fed { step = feeder.feed() }
        guard case .cannotDecode(let error) = step, let epoch = feeder.snapshot.epoch else { return }
        failed(error, epoch)
    }

    private func failed(_ error: AudioDecodingError, _ epoch: Epoch) {
        control.stop(fade: .milliseconds(10))
        pending.append(.cannotDecode(epoch: epoch, error))
    }

    // MARK: ListenOutlet

    var playout: PlayoutSnapshot { control.snapshot }

    func begin(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) {
        guard let stream = TimelineQueueStream(epoch, stream, firstFrame: firstFrame) else { return }
        do {
            control.play(try feeder.begin(stream))
        } catch {
            failed(error, epoch)
        }
    }

    func append(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) {
        guard let stream = TimelineQueueStream(epoch, stream, firstFrame: firstFrame), control.hasRoom else { return }
        do {
            if !control.append(try feeder.append(stream)) { feeder.drop { $0 == epoch } }
        } catch {
            pending.append(.cannotDecode(epoch: epoch, error))
        }
    }

    func resume(_ epoch: Epoch) {}

    func cut(at frame: FramePosition, epoch: Epoch) {
        control.cut(at: frame, epoch: epoch)
        feeder.cut(epoch)
    }

    func drop(_ epoch: Epoch) {
        control.drop(epoch, fade: .milliseconds(10))
        feeder.drop { $0 == epoch }
    }

    func enqueue(_ packets: [AudioPacketDescription], data: RawSpan, at position: FramePosition, epoch: Epoch) {
        feeder.enqueue(packets.span, data: data, at: position, epoch: epoch)
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
        feeder.resume(timeline.epoch)
        feeder.drop { !control.holds($0) }
    }

    func hold(fade: TimeSpan) { control.hold(fade: fade) }

    func stop(fade: TimeSpan) {
        feeder.flush()
        control.stop(fade: fade)
    }
}

extension TimelineQueueStream {
    /// Nil if the stream has no format.
    fileprivate init?(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) {
        guard let format = stream.format else { return nil }
        self.init(
            epoch: epoch, format: format, magicCookie: stream.magicCookie,
            primingFrameCount: stream.packetTable?.primingFrameCount ?? 0, firstFrame: firstFrame,
            fadesIn: firstFrame > .zero, gain: stream.gain)
    }
}
