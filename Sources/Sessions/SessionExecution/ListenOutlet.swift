import AudioCore
import Playout

/// Where a ``ListenExecutor`` takes what its session receives: to loudspeakers, or into a file.
///
/// The methods are what the session's actions ask for, in their order. None waits, for sound, a decoder or a disk: what
/// fails is told as an event.
public protocol ListenOutlet: AnyObject {
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
}
