import AudioCore
import Playout

/// Where a ``ListenExecutor`` plays what its session receives: loudspeakers, or a file.
///
/// The methods perform the session's actions, in order. None waits for sound, a decoder or a disk: failures are
/// reported as events.
public protocol ListenOutlet: AnyObject {
    /// The renderer's state; empty if there is no renderer.
    var playout: PlayoutSnapshot { get }

    func begin(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition)
    /// Takes an epoch that stands behind the newest one.
    func append(_ epoch: Epoch, _ stream: AudioStreamSummary, firstFrame: FramePosition)
    /// Takes a copy of contiguous packets.
    /// - Parameters:
    ///   - packets: each within `data`.
    ///   - position: of the first packet's first frame.
    func enqueue(_ packets: [AudioPacketDescription], data: RawSpan, at position: FramePosition, epoch: Epoch)
    func reenter(at frame: FramePosition, epoch: Epoch)
    func finish(at end: FramePosition, epoch: Epoch)
    /// Ends an epoch's sound before `frame`, until it is resumed.
    func cut(at frame: FramePosition, epoch: Epoch)
    /// Resumes an epoch that was cut; its timeline follows once the clock is known.
    func resume(_ epoch: Epoch)
    /// Drops an epoch of which nothing is to be heard any more.
    func drop(_ epoch: Epoch)
    func setTimeline(_ timeline: HostTimeline)
    func hold(fade: TimeSpan)
    func stop(fade: TimeSpan)
}
