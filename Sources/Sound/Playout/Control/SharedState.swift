import Synchronization

/// The memory shared by the control side and the real-time thread.
struct SharedState: ~Copyable {
    var directive = LatestValue(Directive())
    var snapshot = LatestValue(PlayoutSnapshot())
    let events = EventRing()
    /// The serial of the oldest source that the real-time thread may still use; older ones may be released. `.max`
    /// without such a thread.
    let oldestSerialInUse = Atomic<UInt64>(.max)
}
