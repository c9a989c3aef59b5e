import AudioCore
import Synchronization

// A single-producer, single-consumer ring of interleaved Float32 frames, addressed by song position.
//
// Frame p is in slot p mod capacity. The writer owns `end`, the reader owns `floor`. The frames floor ..< end are
// readable, in any order and repeatedly, until the reader raises the floor. The reader keeps the floor far enough
// behind the sound for rewinds of the device and for the interpolator's left half.
//
// Capacity: frames ahead of the sound + frames of the longest device buffer + the interpolator's taps. `historySeconds`
// is the second term; a device with a longer buffer can rewind only that far.

/// The ring of frames from a decoder to the renderer.
///
/// One thread writes; the renderer reads. Neither ever waits for the other.
public final class FrameRing {
    /// How long frames are kept after they were due, in seconds.
    public static let historySeconds = 0.5

    let storage: UnsafeMutablePointer<FrameRingStorage>

    init(firstFrame: FramePosition, channelCount: Int, capacity: Int) {
        storage = .allocate(capacity: 1)
        storage.initialize(
            to: FrameRingStorage(first: firstFrame.index, channelCount: channelCount, capacity: capacity))
    }

    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    /// The position of the next written frame.
    public var writePosition: FramePosition { FramePosition(storage.pointee.nextWrite) }

    /// Frames that ``write(_:)`` would take now. Silence pending from ``skip(to:)`` comes first.
    public var writableFrameCount: Int { storage.pointee.writableFrameCount() }

    /// Frames written and not yet released by the renderer: those still to be heard, and up to ``historySeconds``
    /// before them.
    public var readableFrameCount: Int {
        let readable = storage.pointee.readable
        return Int(readable.end &- readable.floor)
    }

    /// The memory that it takes.
    var byteCount: Int { storage.pointee.capacity * storage.pointee.channelCount * MemoryLayout<Float>.stride }

    /// Appends interleaved frames at the write position.
    /// - Returns: the number of frames taken; fewer than given if the ring is full.
    @discardableResult
    public func write(_ samples: UnsafeBufferPointer<Float>) -> Int { storage.pointee.write(samples) }

    /// Moves the write position forward; the gap becomes silence. A position already past changes nothing.
    public func skip(to position: FramePosition) { storage.pointee.skip(to: position.index) }
}

// The pointer never changes. Each side writes only its own part of the memory, and hands it over by atomics.
extension FrameRing: @unchecked Sendable {}
