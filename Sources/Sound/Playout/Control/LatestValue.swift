import Synchronization

// A triple buffer: the writer owns one slot, the reader another, and the third lies between them. Publishing and taking
// each exchange one slot index. Neither side ever waits, and no value is ever seen half written.

/// The latest value that one thread has published for another.
struct LatestValue<Value: BitwiseCopyable>: ~Copyable {
    private let slots: UnsafeMutablePointer<Value>
    /// The index of the slot between the sides; `fresh` is set if the reader has not seen it.
    private let middle: Atomic<UInt8>
    private var writerSlot: UInt8 = 0
    private var readerSlot: UInt8 = 2
    private let fresh: UInt8 = 4

    init(_ value: Value) {
        slots = .allocate(capacity: 3)
        slots.initialize(repeating: value, count: 3)
        middle = Atomic(1)
    }

    deinit { slots.deallocate() }

    /// Publishes a value; called by the writer.
    @inline(__always)
    mutating func publish(_ value: Value) {
        slots[Int(writerSlot)] = value
        writerSlot = middle.exchange(writerSlot | fresh, ordering: .acquiringAndReleasing) & 3
    }

    /// Whether something was published since the last ``take()``; for the reader.
    @inline(__always)
    var isFresh: Bool { middle.load(ordering: .relaxed) & fresh != 0 }

    /// Returns the latest value; called by the reader.
    @inline(__always)
    mutating func take() -> Value {
        if isFresh { readerSlot = middle.exchange(readerSlot, ordering: .acquiringAndReleasing) & 3 }
        return slots[Int(readerSlot)]
    }
}
