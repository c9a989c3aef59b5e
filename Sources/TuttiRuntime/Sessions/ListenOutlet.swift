import AudioCore
import AudioDecoding
import AudioQueue
import Playout

/// Where a listen driver takes what its session receives: to loudspeakers, or into a file.
///
/// The methods are what the session's actions ask for, in their order. None waits for sound or for a disk.
protocol ListenOutlet: AnyObject {
    /// The sound device, where there is one.
    var device: OutputDeviceDescription? { get }
    /// What the renderer says of itself; nothing where there is none.
    var playout: PlayoutSnapshot { get }

    /// - Throws: where the stream cannot be decoded.
    func begin(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition) throws(AudioDecodingError)
    func enqueue(_ bytes: RawSpan, frame: FramePosition, frameCount: Int, epoch: Epoch)
    func reenter(at frame: FramePosition, epoch: Epoch)
    func finish(at end: FramePosition, epoch: Epoch)
    func setTimeline(_ timeline: HostTimeline)
    func hold(fade: TimeSpan)
    func stop(fade: TimeSpan)
    func setVolume(_ gain: Float)
    /// Ends at once. No event comes afterwards.
    func close()
}

/// What an outlet tells its driver, from a thread of its own.
enum ListenOutletEvent: Sendable {
    case queue(AudioQueueEvent)
    /// The last frame of the epoch was recorded.
    case recordedEnd(Epoch)
    /// All that was asked for was recorded.
    case isComplete
    case failed(RuntimeFailure)
}

/// An audio queue and its sound device.
final class QueueOutlet: ListenOutlet {
    private let queue: AudioQueue

    init(_ queue: AudioQueue) { self.queue = queue }

    /// What makes an audio queue, and this of it.
    static func maker(_ makeQueue: @escaping ListenDriver.QueueMaker) -> ListenDriver.OutletMaker {
        { (events) throws(RuntimeFailure) in QueueOutlet(try makeQueue { events(.queue($0)) }) }
    }

    var device: OutputDeviceDescription? { queue.device }

    var playout: PlayoutSnapshot { queue.snapshot.playout }

    func begin(
        _ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition
    ) throws(AudioDecodingError) {
        guard let format = stream.format else { return }
        try queue.begin(
            AudioQueueStream(
                epoch: epoch, format: format, magicCookie: stream.magicCookie,
                primingFrameCount: stream.packetTable?.primingFrameCount ?? 0, firstFrame: firstFrame,
                fadesIn: firstFrame > .zero))
    }

    func enqueue(_ bytes: RawSpan, frame: FramePosition, frameCount: Int, epoch: Epoch) {
        queue.enqueue(bytes, frame: frame, frameCount: frameCount, epoch: epoch)
    }

    func reenter(at frame: FramePosition, epoch: Epoch) { queue.reenter(at: frame, epoch: epoch) }

    func finish(at end: FramePosition, epoch: Epoch) { queue.finish(at: end, epoch: epoch) }

    func setTimeline(_ timeline: HostTimeline) { queue.setTimeline(timeline) }

    func hold(fade: TimeSpan) { queue.hold(fade: fade) }

    func stop(fade: TimeSpan) { queue.stop(fade: fade) }

    func setVolume(_ gain: Float) { queue.setVolume(gain) }

    func close() { queue.close() }
}
