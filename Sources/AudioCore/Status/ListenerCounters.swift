/// What went wrong since the listener joined.
public struct ListenerCounters: Hashable, Sendable {
    public var xruns: UInt32 = 0
    /// Silences because packets were lacking.
    public var underruns: UInt32 = 0
    /// Faded jumps to the exact place.
    public var replacements: UInt32 = 0
    /// Packets that the broadcaster dropped for this listener.
    public var lostPackets: UInt32 = 0

    public init() {}
}
