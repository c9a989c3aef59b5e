import AudioCore

/// What the real-time thread tells its control side; read with ``PlayoutControl/takeEvents(_:)``.
public enum PlayoutEvent: Hashable, Sendable, BitwiseCopyable {
    /// The first frame of an epoch was placed: `position` leaves the DAC with `frame`, at `host` as far as the DAC
    /// model knows; zero where the device has told nothing of its clock yet. Comes again after
    /// ``PlayoutControl/hold(fade:)``.
    case started(epoch: Epoch, frame: DeviceFrame, host: HostTime, position: FractionalFramePosition)
    /// The ring ran dry before the end: the sound was faded out, to end at `frame`.
    case underrun(epoch: Epoch, frame: DeviceFrame)
    /// The sound was faded out and placed anew at `frame`. `error` is the distance from the timeline before
    /// (positive: the sound was ahead).
    case replaced(epoch: Epoch, cause: ReplacementCause, frame: DeviceFrame, error: TimeSpan)
    /// The last frame of the epoch was heard.
    case finished(epoch: Epoch)
    /// After ``PlayoutControl/stop(fade:)`` or ``PlayoutControl/hold(fade:)``: the last audible frame was heard.
    case stopped(epoch: Epoch)
    /// The device loop reported an xrun; the next frame that it wrote was `frame`.
    case xrun(frame: DeviceFrame)
    /// The renderer no longer touches this epoch's rendition; its ring may go.
    case retired(epoch: Epoch)
}

/// Why a sound that was running was placed anew.
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
