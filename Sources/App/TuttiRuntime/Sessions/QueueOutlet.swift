import AudioCore
import AudioQueueServices
import Playout
import SessionExecution
import WireProtocol

/// An audio queue and its sound device.
final class QueueOutlet: MachineOutlet {
    private let queue: TimelineQueue

    init(_ queue: TimelineQueue) { self.queue = queue }

    /// Returns a closure that makes an audio queue, and the outlet for it.
    static func maker(_ makeQueue: @escaping ListenDriver.QueueMaker) -> ListenDriver.OutletMaker {
        { (events) throws(RuntimeFailure) in QueueOutlet(try makeQueue { events(.queue($0)) }) }
    }

    var device: OutputDeviceDescription? { queue.device }

    var playout: PlayoutSnapshot { queue.snapshot.playout }

    func begin(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) {
        if let stream = TimelineQueueStream(epoch, stream, firstFrame: firstFrame) { queue.begin(stream) }
    }

    func append(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) {
        if let stream = TimelineQueueStream(epoch, stream, firstFrame: firstFrame) { queue.append(stream) }
    }

    func enqueue(_ packets: [AudioPacketDescription], data: RawSpan, at position: FramePosition, epoch: Epoch) {
        queue.enqueue(packets.span, data: data, at: position, epoch: epoch)
    }

    func reenter(at frame: FramePosition, epoch: Epoch) { queue.reenter(at: frame, epoch: epoch) }

    func finish(at end: FramePosition, epoch: Epoch) { queue.finish(at: end, epoch: epoch) }

    func cut(at frame: FramePosition, epoch: Epoch) { queue.cut(at: frame, epoch: epoch) }

    /// Does nothing: the timeline that follows ends the cut.
    func resume(_ epoch: Epoch) {}

    func drop(_ epoch: Epoch) { queue.drop(epoch) }

    func setTimeline(_ timeline: HostTimeline) { queue.setTimeline(timeline) }

    func hold(fade: TimeSpan) { queue.hold(fade: fade) }

    func stop(fade: TimeSpan) { queue.stop(fade: fade) }

    func apply(_ settings: LoudspeakerSettings, group: VolumeSetting) {
        queue.setVolume(settings.volume.gain * Volume(percent: group.level).gain)
        queue.setMuted(settings.isMuted || group.isMuted)
        queue.setRole(settings.role)
    }

    func close() { queue.close() }
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
