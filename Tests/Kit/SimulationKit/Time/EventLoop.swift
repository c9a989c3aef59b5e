import AudioCore

/// What is to happen when, on true time: the one thread of a simulation.
///
/// Events of the same instant happen in the order in which they were asked for, so a run depends on its seed alone.
public final class EventLoop {
    /// Moving one about in the heap touches no reference count.
    private struct Event: BitwiseCopyable {
        var time: Int64
        var number: UInt64
        /// Where its body is.
        var slot: Int

        func precedes(_ other: Event) -> Bool { time == other.time ? number < other.number : time < other.time }
    }

    public private(set) var now = TrueTime.start
    /// Events that have happened.
    public private(set) var eventCount: UInt64 = 0
    /// Events that are waited for.
    public var pendingCount: Int { heap.count }
    private var nextNumber: UInt64 = 0
    /// A binary heap: the parent of `i` is `(i - 1) / 2` and precedes it.
    private var heap: [Event] = []
    private var bodies: [(() -> Void)?] = []
    private var freeSlots: [Int] = []

    public init() {}

    /// An instant that has passed means now.
    public func at(_ time: TrueTime, _ body: @escaping () -> Void) {
        let slot = freeSlots.popLast() ?? bodies.count
        if slot == bodies.count { bodies.append(body) } else { bodies[slot] = body }
        heap.append(Event(time: max(time, now).nanoseconds, number: nextNumber, slot: slot))
        nextNumber += 1
        siftUp(heap.count - 1)
    }

    public func after(_ span: TimeSpan, _ body: @escaping () -> Void) { at(now + span, body) }

    /// Lets everything happen that is due by `end`.
    public func run(until end: TrueTime) {
        while let first = heap.first, first.time <= end.nanoseconds {
            removeFirst()
            let body = bodies[first.slot].take()
            freeSlots.append(first.slot)
            now = TrueTime(nanoseconds: first.time)
            eventCount += 1
            body?()
        }
        now = end
    }

    /// Forgets all events, and with them whatever they hold.
    public func removeAll() {
        heap.removeAll()
        freeSlots.removeAll()
        bodies.removeAll()
    }

    private func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].precedes(heap[parent]) else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].precedes(heap[least]) {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
