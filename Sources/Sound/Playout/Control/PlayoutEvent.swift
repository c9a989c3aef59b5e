import AudioCore

/// What the real-time thread reports to its control side; read with ``PlayoutControl/takeEvents(_:)``.
public enum PlayoutEvent: Hashable, Sendable, BitwiseCopyable {
    /// The first frame of an epoch was placed: `position` leaves the DAC with `frame`, at `host` according to the DAC
    /// clock model; zero if the device has shown nothing of its clock yet. Reported again after
    /// ``PlayoutControl/hold(fade:)`` and ``PlayoutControl/cut(at:epoch:)``.
    case started(epoch: Epoch, frame: DeviceFrame, host: HostTime, position: FractionalFramePosition)
    /// The ring ran dry before the end: the sound fades out up to `frame`.
    case underrun(epoch: Epoch, frame: DeviceFrame)
    /// The sound faded out and was re-placed at `frame`. `error` is its distance from the timeline before that
    /// (positive: the sound was ahead).
    case replaced(epoch: Epoch, cause: ReplacementCause, frame: DeviceFrame, error: TimeSpan)
    /// The last frame of the epoch was heard.
    case finished(epoch: Epoch)
    /// The last audible frame was heard after ``PlayoutControl/stop(fade:)``, ``PlayoutControl/hold(fade:)`` or
    /// ``PlayoutControl/cut(at:epoch:)``.
    case stopped(epoch: Epoch)
    /// The device loop reported an xrun; the next frame that it wrote was `frame`.
    case xrun(frame: DeviceFrame)
    /// The renderer no longer uses this epoch's rendition; its ring may be released.
    case retired(epoch: Epoch)
}

/// Why a running sound was re-placed.
public enum ReplacementCause: Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// The timeline moved farther than slewing can follow.
    case timelineStep
    /// The DAC clock model moved farther than slewing can follow.
    case deviceClockStep
    /// The device restarted after an xrun or a suspend, or skipped frames.
    case deviceRestart
    /// Data came back after an underrun.
    case underrun
}
