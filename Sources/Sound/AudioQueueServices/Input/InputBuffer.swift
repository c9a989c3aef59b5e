import AudioCore
import Playout

/// Memory for captured frames.
///
/// Made by ``InputQueue/makeBuffer(frameCapacity:)``, given to the queue with ``InputQueue/enqueue(_:)``, and passed to
/// the queue's handler when it is full, or when the sound breaks off. It has one holder at a time, on any thread. Its
/// frames are consecutive, so one time tells when each of them was at the microphone.
public struct InputBuffer: ~Copyable, Sendable {
    let storage: InputBufferStorage

    init(_ storage: InputBufferStorage) { self.storage = storage }

    /// The number of frames that it can hold.
    public var frameCapacity: Int { storage.frameCapacity }
    /// The number of frames that it holds.
    public var frameCount: Int { storage.frameCount }
    /// The number of the first frame, and when it was at the microphone.
    ///
    /// Frames are counted from the first one captured after the queue's start. Those that were lost, or captured while
    /// the queue was paused, count too.
    public var time: DeviceInstant { storage.time }

    /// Passes the frames to `body`, in the queue's format.
    public borrowing func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(storage.memory).prefix(storage.byteCount)))
    }
}

/// The memory behind a buffer.
///
/// Held by one ``InputBuffer`` or by its queue, never by both.
final class InputBufferStorage {
    let memory: UnsafeMutableRawBufferPointer
    let bytesPerFrame: Int
    let frameCapacity: Int
    private(set) var frameCount = 0
    var time = DeviceInstant(frame: .zero, host: HostTime(nanoseconds: 0), secondsPerFrame: 0, bound: .zero)

    init(frameCapacity: Int, bytesPerFrame: Int) {
        self.frameCapacity = frameCapacity
        self.bytesPerFrame = bytesPerFrame
        memory = .allocate(byteCount: frameCapacity * bytesPerFrame, alignment: 16)
    }

    deinit { memory.deallocate() }

    var byteCount: Int { frameCount * bytesPerFrame }
    var room: Int { frameCapacity - frameCount }

    /// Appends the first frames of `bytes`; the caller ensures that there is room.
    func append(_ bytes: UnsafeRawBufferPointer, frameCount count: Int) {
        UnsafeMutableRawBufferPointer(rebasing: memory[byteCount...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<(count * bytesPerFrame)]))
        frameCount += count
    }

    func removeAll() { frameCount = 0 }
}

// One holder at a time; see above.
extension InputBufferStorage: @unchecked Sendable {}
