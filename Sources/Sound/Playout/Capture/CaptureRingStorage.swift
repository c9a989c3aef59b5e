import AudioCore
import Synchronization

// A single-producer, single-consumer ring of chunks. A chunk holds the frames of one read of the device, their number,
// and the device's clock as known at that moment.
//
// Two numbers place a frame. The writer counts the frames that it reads; right after an xrun nobody knows how many were
// lost. That shows once the new run's clock is known: the writer then gives all chunks of the run their *shift*, the
// total of frames lost before the run. A chunk without a shift is not readable yet, and the reader waits at it.

/// The description of a chunk.
struct ChunkHeader: BitwiseCopyable {
    /// The first frame's number among the frames read.
    var frame: Int64 = 0
    var frameCount = 0
    /// Numbers the starts of the device, including those after xruns.
    var run = 0
    /// The device's clock as known when this chunk was read, in numbers of frames read.
    var clock = DeviceInstant(frame: .zero, host: HostTime(nanoseconds: 0), secondsPerFrame: 0, bound: .zero)
    /// Whether ``clock`` is known.
    var hasClock = false
}

/// The memory of a ``CaptureControl``; on the heap, so that the real-time thread reaches it without a class.
struct CaptureRingStorage: ~Copyable {
    static let unknownShift = Int64.min

    let slotCount: Int
    let chunkFrameCount: Int
    let bytesPerFrame: Int
    private let headers: UnsafeMutablePointer<ChunkHeader>
    private let shifts: UnsafeMutablePointer<Atomic<Int64>>
    /// One slot more than `slotCount`: when the ring is full, frames are read into the spare one and dropped.
    private let bytes: UnsafeMutableRawPointer
    private let head = Atomic<Int>(0)
    private let tail = Atomic<Int>(0)
    /// Frames that found the ring full; and restarts.
    let overflowFrameCount = Atomic<Int64>(0)
    let restartCount = Atomic<Int>(0)

    init(slotCount wanted: Int, chunkFrameCount: Int, bytesPerFrame: Int) {
        var count = 8
        while count < wanted { count <<= 1 }
        slotCount = count
        self.chunkFrameCount = chunkFrameCount
        self.bytesPerFrame = bytesPerFrame
        headers = .allocate(capacity: count)
        headers.initialize(repeating: ChunkHeader(), count: count)
        shifts = .allocate(capacity: count)
        for index in 0..<count { (shifts + index).initialize(to: Atomic(Self.unknownShift)) }
        let byteCount = (count + 1) * chunkFrameCount * bytesPerFrame
        bytes = .allocate(byteCount: byteCount, alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }

    deinit {
        headers.deallocate()
        shifts.deinitialize(count: slotCount)
        shifts.deallocate()
        bytes.deallocate()
    }

    /// The real-time thread's working memory, to be locked.
    var workingMemory: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: bytes, count: (slotCount + 1) * chunkFrameCount * bytesPerFrame)
    }

    private func memory(_ slot: Int) -> UnsafeMutableRawPointer { bytes + slot * chunkFrameCount * bytesPerFrame }

    // MARK: Writer

    var writePosition: Int { head.load(ordering: .relaxed) }
    var isFull: Bool { writePosition &- tail.load(ordering: .acquiring) >= slotCount }

    /// Where to read the next chunk's frames into.
    var nextMemory: UnsafeMutableRawPointer { memory(isFull ? slotCount : writePosition & (slotCount - 1)) }

    /// Publishes the chunk whose frames were read into ``nextMemory``, unless that was the spare slot.
    func push(_ header: ChunkHeader, shift: Int64) {
        let position = writePosition
        let slot = position & (slotCount - 1)
        headers[slot] = header
        shifts[slot].store(shift, ordering: .relaxed)
        head.store(position &+ 1, ordering: .releasing)
    }

    /// Sets the shift of the chunks from `position` on, none of which was readable before.
    func settle(from position: Int, shift: Int64) {
        for index in max(position, writePosition &- slotCount)..<max(position, writePosition) {
            shifts[index & (slotCount - 1)].store(shift, ordering: .releasing)
        }
    }

    // MARK: Reader

    /// The oldest chunk; nil if there is none, or if its shift is not known yet.
    func peek() -> (header: ChunkHeader, shift: Int64, bytes: UnsafeRawPointer)? {
        let position = tail.load(ordering: .relaxed)
        guard position != head.load(ordering: .acquiring) else { return nil }
        let slot = position & (slotCount - 1)
        let shift = shifts[slot].load(ordering: .acquiring)
        guard shift != Self.unknownShift else { return nil }
        return (headers[slot], shift, UnsafeRawPointer(memory(slot)))
    }

    /// The clock in the newest chunk of a run, which is the oldest chunk's run.
    func newestClock(ofRun run: Int) -> DeviceInstant? {
        var position = head.load(ordering: .acquiring)
        let end = tail.load(ordering: .relaxed)
        while position != end {
            position &-= 1
            let header = headers[position & (slotCount - 1)]
            if header.run == run { return header.hasClock ? header.clock : nil }
        }
        return nil
    }

    /// Releases the oldest chunk's slot.
    func pop() { tail.store(tail.load(ordering: .relaxed) &+ 1, ordering: .releasing) }
}
