import AudioCore

/// What the renderer is doing.
public enum PlayoutState: Hashable, Sendable, BitwiseCopyable {
    /// No rendition: digital silence.
    case idle
    /// Silent with a rendition: its timeline, its start, its frames or the DAC clock model is missing.
    case waiting
    case playing
    /// The ring ran dry: silent until it holds enough frames again.
    case starved
    /// All of the rendition was rendered.
    case finished
}

/// The state of playout as of the newest rendered block; see ``PlayoutControl/snapshot``.
public struct PlayoutSnapshot: Hashable, Sendable, BitwiseCopyable {
    public var state: PlayoutState = .idle
    /// The rendition that plays or waits.
    public var epoch: Epoch?
    /// The sound's position minus the position that is due, at the newest rendered frame; positive: ahead (early). Nil
    /// while nothing sounds.
    public var timelineError: TimeSpan?
    /// The error bound of the DAC clock model's host times (four standard deviations, plus what a coarse pointer
    /// hides). Nil until the model is usable.
    public var modelBound: TimeSpan?
    /// The DAC's rate relative to its nominal rate, measured by host time.
    public var dacRate: PartsPerMillion = PartsPerMillion(0)
    /// The DAC's rate as ``dacRate``, if no sound card can have such a rate: the device does not run at its stated
    /// rate, and nothing sounds. Known some seconds after the device was opened.
    public var impossibleRate: PartsPerMillion?
    /// What the controller adds to the rates of the DAC and the timeline to remove the error.
    public var correction: PartsPerMillion = PartsPerMillion(0)
    /// Song frames in the ring ahead of the newest rendered one.
    public var bufferedFrameCount: Int = 0
    /// Sound in the rings ahead of the newest rendered frame, of this epoch and of those behind it.
    public var bufferedSpan: TimeSpan = .zero
    /// The least ``bufferedFrameCount`` since the rendition began to sound, excluding the end of the song.
    public var lowWaterFrameCount: Int = 0
    public var xrunCount: Int = 0
    public var underrunCount: Int = 0
    public var timelineStepCount: Int = 0
    public var deviceClockStepCount: Int = 0
    public var deviceRestartCount: Int = 0
    /// Events that were lost because nobody took them in time.
    public var lostEventCount: Int = 0
    /// The song position of the newest rendered frame, and when it leaves the DAC. Nil while nothing sounds.
    public var newestPosition: FractionalFramePosition?
    public var newestHost: HostTime = HostTime(nanoseconds: 0)
    /// The newest rendered frame, and the device's frames per second of host time; nil while its clock is unknown.
    public var newestFrame: DeviceFrame = .zero
    public var deviceFramesPerSecond: Double?
    /// For a free-running rendition, the song position at the DAC at the newest reading. It rises while sound is heard,
    /// and stays where the sound was broken off. Nil before the first sound.
    public var heardPosition: FractionalFramePosition?
    /// The epoch of ``heardPosition``; ``epoch`` may be another one by now, or nil.
    public var heardEpoch: Epoch?
    /// How much sound the device holds when it is full and does not give back: whatever is to be heard sooner comes
    /// late. If written frames can be taken back, what lies behind the buffer from which they are; zero if that is
    /// nothing.
    public var irrevocableSpan: TimeSpan = .zero
    /// Song frames per second of host time at which ``newestPosition`` moves.
    public var framesPerSecond: Double = 0

    public init() {}

    /// The song position that leaves the DAC at `host`; nil while nothing sounds.
    ///
    /// The newest rendered frame is ahead of what is heard by the device's buffer; this calculates back from it.
    public func position(at host: HostTime) -> FractionalFramePosition? {
        newestPosition.map { $0 + (host - newestHost).seconds * framesPerSecond }
    }

    /// For a free-running rendition, the song position that leaves the DAC at `host`: no earlier than ``heardPosition``
    /// and no later than what was rendered; nil before the first sound.
    public func heardPosition(at host: HostTime) -> FractionalFramePosition? {
        guard let heardPosition, let newestPosition, let position = position(at: host) else { return heardPosition }
        return min(max(position, heardPosition), newestPosition)
    }

    /// The device frame that leaves the DAC at `host`; nil while the device's clock is unknown.
    public func deviceFrame(at host: HostTime) -> Double? {
        deviceFramesPerSecond.map { Double(newestFrame.index) + (host - newestHost).seconds * $0 }
    }

    /// Re-placements of all causes.
    public var replacementCount: Int { timelineStepCount + deviceClockStepCount + deviceRestartCount + underrunCount }
}
