import AudioCore
import Synchronization

/// The door between control threads and the real-time thread of one output.
///
/// Every method may be called from any thread except the real-time one, takes a short lock that the real-time thread
/// never takes, and returns at once; the effect is heard as soon as the device allows. It outlives devices: when an
/// output was lost, a new ``Renderer`` for the same control takes up the current rendition on its timeline.
public final class PlayoutControl: Sendable {
    public init() {}

    /// Begins a new epoch: what sounds fades out within 10 ms, then `rendition` sounds, placed on its timeline.
    ///
    /// Silent until a timeline of the same epoch is known; one that was set before this call counts. The table of
    /// filter coefficients is made here, on the caller's thread (some milliseconds where rates differ).
    public func play(_ rendition: Rendition) {}

    /// Sets or revises which frame is due when; the latest wins. One of another epoch than the rendition's is kept
    /// for the next ``play(_:)``.
    public func setTimeline(_ timeline: HostTimeline) {}

    /// States the position after the last audible frame: the sound runs up to there, and ``PlayoutEvent/finished`` is
    /// reported when that was heard. Ignored for an epoch that is not current.
    public func finish(at end: FramePosition, epoch: Epoch) {}

    /// Fades out as soon as the device allows, then is silent; reports ``PlayoutEvent/stopped``.
    ///
    /// The rendition is let go; sounding again takes a new ``play(_:)``.
    public func stop(fade: TimeSpan) {}

    /// Changes the gain, linearly over `ramp`; it holds for all renditions. 1 leaves samples untouched.
    public func setVolume(_ gain: Float, ramp: TimeSpan) {}

    /// Silences or restores without forgetting the volume, over 10 ms.
    public func setMuted(_ muted: Bool) {}

    /// Hands over what happened since the last call, oldest first. At most 256 events are kept; newer ones are then
    /// lost and counted in the snapshot.
    public func takeEvents(_ body: (PlayoutEvent) -> Void) {}

    /// How playout stands as of the newest rendered block.
    public var snapshot: PlayoutSnapshot { PlayoutSnapshot() }
}
