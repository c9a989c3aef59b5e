import AudioCore

/// How much a queue holds. What comes on top is refused and counted, never grown into.
public struct TimelineQueueLimits: Hashable, Sendable {
    /// Encoded packets held, in seconds of the song: the broadcaster's horizon of 10 s, and some.
    public var queuedSpan = TimeSpan.seconds(12)
    /// Encoded packets held, in bytes: 10 s of 96 kHz, 24-bit stereo, or of three times 48 kHz, 32-bit stereo.
    public var queuedByteCount = 12 << 20
    /// Decoded frames held ahead of the sound.
    public var decodedSpan = TimeSpan.seconds(2)

    public init() {}

    /// Positions beyond this are nonsense: 1,400 years at 192 kHz, and exact in a `Double`.
    static let positionRange: ClosedRange<Int64> = -(1 << 53)...(1 << 53)
}
