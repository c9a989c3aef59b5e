import AudioCore
import Synchronization

// A single-producer, single-consumer ring of interleaved Float32 frames, addressed by song position.
//
// Frame p lies in slot p mod capacity. The writer owns `end`, the reader owns `floor`; frames of floor ..< end are
// readable, in any order and as often as the reader likes, until it raises the floor. The reader keeps the floor
// behind the sound by what the device may take back (rewind) and what the interpolator needs to its left.
//
// Capacity rule: frames ahead of the sound + frames of the longest device buffer + the interpolator's taps.
// `historySeconds` is that second part; a device with a longer buffer than this can rewind only by so much.

/// The ring of frames between a decoder and the renderer.
///
/// One thread writes; the renderer reads. Neither ever waits for the other.
public final class FrameRing {
    /// How far behind the sound frames are kept, in seconds.
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

    /// The position that the next written frame will have.
    public var writePosition: FramePosition { FramePosition(storage.pointee.nextWrite) }

    /// Frames that ``write(_:)`` would take now. Silence that a ``skip(to:)`` still owes comes first.
    public var writableFrameCount: Int { storage.pointee.writableFrameCount() }

    /// Frames that were written and not given back by the renderer: those that are still to be heard, and up to
    /// ``historySeconds`` before them.
    public var readableFrameCount: Int {
        let readable = storage.pointee.readable
        return Int(readable.end &- readable.floor)
    }

    /// Appends interleaved frames at the write position.
    /// - Returns: frames taken; fewer than given when the ring is full.
    @discardableResult
    public func write(_ samples: UnsafeBufferPointer<Float>) -> Int { storage.pointee.write(samples) }

    /// Moves the write position forward; the frames between are silence. A position behind it changes nothing.
    public func skip(to position: FramePosition) { storage.pointee.skip(to: position.index) }
}

// The pointer is set once; what it points to is written by one side each, and handed over by atomics.
extension FrameRing: @unchecked Sendable {}
