import AudioCore

/// The capacity of a queue. It never grows beyond this: more is refused and counted.
public struct TimelineQueueLimits: Hashable, Sendable {
    /// Encoded packets held, in seconds of the song: a little more than the broadcaster's horizon of 10 s.
    public var queuedSpan = TimeSpan.seconds(12)
    /// Encoded packets held, in bytes: 10 s of 96 kHz, 24-bit stereo, or three times that of 48 kHz, 32-bit stereo.
    public var queuedByteCount = 12 << 20
    /// Decoded frames held ahead of the sound; the device may hold half a second of them.
    public var decodedSpan = TimeSpan.seconds(3)

    public init() {}

    /// Positions beyond this are invalid: 1,400 years at 192 kHz, and exact in a `Double`.
    static let positionRange: ClosedRange<Int64> = -(1 << 53)...(1 << 53)
}
