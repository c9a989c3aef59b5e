import AudioCore
import AudioDecoding
import Playout

/// Where a ``ListenExecutor`` takes what its session receives: to loudspeakers, or into a file.
///
/// The methods are what the session's actions ask for, in their order. None waits for sound or for a disk.
public protocol ListenOutlet: AnyObject {
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
}
