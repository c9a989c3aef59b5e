/// Counts of what went wrong since the listener joined.
public struct ListenerCounters: Hashable, Sendable {
    public var xruns: UInt32 = 0
    /// Times the ring ran out of frames because packets were missing.
    public var underruns: UInt32 = 0
    /// Re-placements of any cause: the three below, and underruns that ended.
    public var replacements: UInt32 = 0
    /// Re-placements because the timeline moved farther than resampling can correct.
    public var timelineSteps: UInt32 = 0
    /// Re-placements because the sound card's clock stepped.
    public var deviceClockSteps: UInt32 = 0
    /// Re-placements because the sound card ran out of frames, or its machine slept.
    public var deviceRestarts: UInt32 = 0
    /// Packets that the broadcaster dropped for this listener.
    public var lostPackets: UInt32 = 0

    public init() {}
}
