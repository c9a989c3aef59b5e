/// What went wrong since the listener joined.
public struct ListenerCounters: Hashable, Sendable {
    public var xruns: UInt32 = 0
    /// Silences because packets were lacking.
    public var underruns: UInt32 = 0
    /// Faded jumps to the exact place, of all causes: the three below, and underruns that were got over.
    public var replacements: UInt32 = 0
    /// Re-placements because the timeline moved farther than resampling can follow.
    public var timelineSteps: UInt32 = 0
    /// Re-placements because the sound card's clock did.
    public var deviceClockSteps: UInt32 = 0
    /// Re-placements because the sound card ran dry, or its machine slept.
    public var deviceRestarts: UInt32 = 0
    /// Packets that the broadcaster dropped for this listener.
    public var lostPackets: UInt32 = 0

    public init() {}
}
