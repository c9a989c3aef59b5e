/// "This frame leaves the loudspeakers at this session time, and frames follow at this rate."
///
/// One anchor places a whole epoch. The rate is the song's sample rate in session time; a live source may revise it
/// during playback.
public struct Anchor: Hashable, Sendable, BitwiseCopyable {
    public var epoch: Epoch
    public var frame: FramePosition
    public var session: SessionTime
    /// Frames per second of session time. Finite and positive: see ``isValid``.
    public var framesPerSecond: Double

    public init(epoch: Epoch, frame: FramePosition, session: SessionTime, framesPerSecond: Double) {
        self.epoch = epoch
        self.frame = frame
        self.session = session
        self.framesPerSecond = framesPerSecond
    }

    /// Whether the rate is possible for sound (``Limits/sampleRateRange``, with margin for a live source's ppm).
    public var isValid: Bool {
        framesPerSecond.isFinite
            && framesPerSecond >= Limits.sampleRateRange.lowerBound * 0.99
            && framesPerSecond <= Limits.sampleRateRange.upperBound * 1.01
    }

    public func session(of position: FramePosition) -> SessionTime {
        session + TimeSpan(seconds: Double(position - frame) / framesPerSecond)
    }

    public func position(at instant: SessionTime) -> FractionalFramePosition {
        FractionalFramePosition(Double(frame.index) + (instant - session).seconds * framesPerSecond)
    }

    /// Returns the same placement in one listener's host time.
    public func hostTimeline(through clock: ClockMapping) -> HostTimeline {
        HostTimeline(
            epoch: epoch, host: clock.host(at: session), frame: frame,
            framesPerSecond: framesPerSecond * clock.skew.ratio)
    }
}

/// An ``Anchor`` in this machine's host time: which frame is due when.
///
/// The renderer follows it. It changes slightly with every clock estimate.
public struct HostTimeline: Hashable, Sendable, BitwiseCopyable {
    public var epoch: Epoch
    public var host: HostTime
    public var frame: FramePosition
    /// Frames per second of *host* time.
    public var framesPerSecond: Double

    public init(epoch: Epoch, host: HostTime, frame: FramePosition, framesPerSecond: Double) {
        self.epoch = epoch
        self.host = host
        self.frame = frame
        self.framesPerSecond = framesPerSecond
    }

    public func position(at instant: HostTime) -> FractionalFramePosition {
        FractionalFramePosition(Double(frame.index) + (instant - host).seconds * framesPerSecond)
    }

    public func host(of position: FractionalFramePosition) -> HostTime {
        host + TimeSpan(seconds: (position.frames - Double(frame.index)) / framesPerSecond)
    }
}
