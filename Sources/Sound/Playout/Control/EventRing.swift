import Synchronization

/// A bounded ring of events from the real-time thread to the control side. When it is full, new events are dropped and
/// counted.
struct EventRing: ~Copyable {
    static let capacity = 256

    private let slots: UnsafeMutablePointer<PlayoutEvent>
    private let head = Atomic<Int>(0)
    private let tail = Atomic<Int>(0)
    private let lost = Atomic<Int>(0)

    init() {
        slots = .allocate(capacity: Self.capacity)
        slots.initialize(repeating: .xrun(frame: .zero), count: Self.capacity)
    }

    deinit { slots.deallocate() }

    var lostCount: Int { lost.load(ordering: .relaxed) }

    /// Adds an event; called on the real-time side.
    @inline(__always)
    func push(_ event: PlayoutEvent) {
        let position = head.load(ordering: .relaxed)
        guard position &- tail.load(ordering: .acquiring) < Self.capacity else {
            lost.wrappingAdd(1, ordering: .relaxed)
            return
        }
        slots[position & (Self.capacity - 1)] = event
        head.store(position &+ 1, ordering: .releasing)
    }

    /// Removes the oldest event; called on the control side, by one thread at a time.
    func pop() -> PlayoutEvent? {
        let position = tail.load(ordering: .relaxed)
        guard position != head.load(ordering: .acquiring) else { return nil }
        let event = slots[position & (Self.capacity - 1)]
        tail.store(position &+ 1, ordering: .releasing)
        return event
    }
}
