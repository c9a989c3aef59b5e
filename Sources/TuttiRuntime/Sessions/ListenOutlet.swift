import AudioCore
import AudioQueue
import NIOCore
import Playout

/// Where a listen driver takes what its session receives: to loudspeakers, or into a file.
///
/// The methods are what the session's actions ask for, in their order. None but ``close()`` waits, for sound, a decoder
/// or a disk: what fails is told as an event.
protocol ListenOutlet: AnyObject {
    /// The sound device, where there is one.
    var device: OutputDeviceDescription? { get }
    /// What the renderer says of itself; nothing where there is none.
    var playout: PlayoutSnapshot { get }

    func begin(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition)
    /// Takes a copy of packets that follow one another.
    /// - Parameters:
    ///   - packets: each within `data`.
    ///   - position: of the first frame of the first packet.
    func enqueue(_ packets: [AudioPacketDescription], data: RawSpan, at position: FramePosition, epoch: Epoch)
    func reenter(at frame: FramePosition, epoch: Epoch)
    func finish(at end: FramePosition, epoch: Epoch)
    func setTimeline(_ timeline: HostTimeline)
    func hold(fade: TimeSpan)
    func stop(fade: TimeSpan)
    func setVolume(_ gain: Float)
    /// Ends: sound at once, a recording when it has what came. No event comes afterwards.
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

/// Brings the outlet's events to the event loop; the driver is not yet made when the outlet is.
final class OutletEventRelay {
    private let loop: any EventLoop
    /// Set and read on the event loop only.
    weak var driver: ListenDriver?

    init(loop: any EventLoop) { self.loop = loop }

    func pass(_ event: ListenOutletEvent) {
        loop.execute { self.driver?.note(event) }
    }
}

// `loop` never changes, `driver` is touched on the event loop only.
extension OutletEventRelay: @unchecked Sendable {}
