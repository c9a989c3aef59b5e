import Synchronization

/// The memory of a ``FrameRing``; on the heap, so that the real-time thread reaches it without a class.
struct FrameRingStorage: ~Copyable {
    /// The position of the first frame to be written; silence before it.
    let first: Int64
    let channelCount: Int
    /// A power of two.
    let capacity: Int
    private let samples: UnsafeMutablePointer<Float>
    /// Frames below this position may be overwritten. Raised by the reader.
    private let floor: Atomic<Int64>
    /// Frames from this position on do not exist yet. Raised by the writer.
    private let end: Atomic<Int64>
    /// The end of the silence still to be written. Used by the writer only.
    private var owedSilenceEnd: Int64

    init(first: Int64, channelCount: Int, capacity wanted: Int) {
        var capacity = 1024
        while capacity < wanted { capacity <<= 1 }
        self.first = first
        self.channelCount = channelCount
        self.capacity = capacity
        samples = .allocate(capacity: capacity * channelCount)
        samples.initialize(repeating: 0, count: capacity * channelCount)
        floor = Atomic(first)
        end = Atomic(first)
        owedSilenceEnd = first
    }

    deinit { samples.deallocate() }

    // MARK: Writer

    var nextWrite: Int64 { max(owedSilenceEnd, end.load(ordering: .relaxed)) }

    mutating func writableFrameCount() -> Int {
        writeOwedSilence()
        let writeEnd = end.load(ordering: .relaxed)
        return owedSilenceEnd > writeEnd ? 0 : room(at: writeEnd)
    }

    mutating func write(_ source: UnsafeBufferPointer<Float>) -> Int {
        guard let base = source.baseAddress else { return 0 }
        let count = min(writableFrameCount(), source.count / channelCount)
        let position = end.load(ordering: .relaxed)
        forEachRun(at: position, count: count) { slot, offset, run in
            (samples + slot * channelCount).update(from: base + offset * channelCount, count: run * channelCount)
        }
        end.store(position &+ Int64(count), ordering: .releasing)
        return count
    }

    mutating func skip(to position: Int64) {
        owedSilenceEnd = max(owedSilenceEnd, position)
        writeOwedSilence()
    }

    private mutating func writeOwedSilence() {
        let position = end.load(ordering: .relaxed)
        guard owedSilenceEnd > position else { return }
        let count = Int(min(owedSilenceEnd &- position, Int64(room(at: position))))
        forEachRun(at: position, count: count) { slot, _, run in
            (samples + slot * channelCount).update(repeating: 0, count: run * channelCount)
        }
        end.store(position &+ Int64(count), ordering: .releasing)
    }

    private func room(at position: Int64) -> Int {
        max(0, capacity - Int(position &- floor.load(ordering: .acquiring)))
    }

    // MARK: Reader

    /// The positions that may be read now.
    var readable: (floor: Int64, end: Int64) {
        (floor.load(ordering: .relaxed), end.load(ordering: .acquiring))
    }

    /// Releases frames below `position` to the writer; never beyond what was written.
    func release(below position: Int64) {
        let bounded = min(position, end.load(ordering: .relaxed))
        if bounded > floor.load(ordering: .relaxed) { floor.store(bounded, ordering: .releasing) }
    }

    /// Calls `body` for each contiguous run of the frames `position ..< position + count`, which must be readable:
    /// (first sample, offset in frames, frames).
    @inline(__always)
    func forEachReadableRun(
        at position: Int64, count: Int, _ body: (UnsafePointer<Float>, _ offset: Int, _ frames: Int) -> Void
    ) {
        forEachRun(at: position, count: count) { slot, offset, run in
            body(UnsafePointer(samples + slot * channelCount), offset, run)
        }
    }

    @inline(__always)
    private func forEachRun(at position: Int64, count: Int, _ body: (_ slot: Int, _ offset: Int, _ run: Int) -> Void) {
        var offset = 0
        while offset < count {
            let slot = Int(truncatingIfNeeded: (position &+ Int64(offset)) & Int64(capacity - 1))
            let run = min(count - offset, capacity - slot)
            body(slot, offset, run)
            offset += run
        }
    }
}
