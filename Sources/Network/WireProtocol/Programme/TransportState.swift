/// Whether a programme sounds.
public enum TransportState: UInt8, CaseIterable, Hashable, Sendable {
    /// The queue is empty, or was played to its end.
    case idle = 0
    case playing = 1
    /// Silent within an item, and goes on there.
    case paused = 2
    /// Silent, and begins with the current item.
    case stopped = 3
}
