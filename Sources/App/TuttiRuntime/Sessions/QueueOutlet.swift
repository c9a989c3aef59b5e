import AudioCore
import AudioQueueServices
import Playout
import SessionExecution
import WireProtocol

/// An audio queue and its sound device.
final class QueueOutlet: MachineOutlet {
    private let queue: TimelineQueue
    private let limit: VolumeLimit

    init(_ queue: TimelineQueue, limit: VolumeLimit = .none) { (self.queue, self.limit) = (queue, limit) }

    /// Returns a closure that makes an audio queue, and the outlet for it.
    /// - Parameter limit: what no song's gain may exceed.
    static func maker(
        _ makeQueue: @escaping ListenDriver.QueueMaker, limit: VolumeLimit = .none
    ) -> ListenDriver.OutletMaker {
        { (events) throws(RuntimeFailure) in QueueOutlet(try makeQueue { events(.queue($0)) }, limit: limit) }
    }

    var device: OutputDeviceDescription? { queue.device }

    var playout: PlayoutSnapshot { queue.snapshot.playout }

    func begin(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) {
        let stream = TimelineQueueStream(epoch, stream, firstFrame: firstFrame, limit: limit)
        if let stream { queue.begin(stream) }
    }

    func append(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) {
        let stream = TimelineQueueStream(epoch, stream, firstFrame: firstFrame, limit: limit)
        if let stream { queue.append(stream) }
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
    init?(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition, limit: VolumeLimit) {
        guard let format = stream.format else { return nil }
        self.init(
            epoch: epoch, format: format, magicCookie: stream.magicCookie,
            primingFrameCount: stream.packetTable?.primingFrameCount ?? 0, firstFrame: firstFrame,
            fadesIn: firstFrame > .zero, gain: limit.gain(of: stream.gain))
    }
}
