import Synchronization

/// The memory between the control side and the real-time thread.
struct SharedState: ~Copyable {
    var directive = LatestValue(Directive())
    var snapshot = LatestValue(PlayoutSnapshot())
    let events = EventRing()
    /// The serial of the oldest source that the real-time thread may still touch; all older ones may go. `.max` while
    /// there is no such thread.
    let oldestSerialInUse = Atomic<UInt64>(.max)
}
