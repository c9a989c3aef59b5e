import AudioCore

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
    public var time: InputTime { storage.time }

    /// Passes the frames to `body`, in the queue's format.
    public borrowing func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(storage.memory).prefix(storage.byteCount)))
    }
}

/// The time of captured frames.
public struct InputTime: Hashable, Sendable, BitwiseCopyable {
    /// The first frame's number, counted from the first frame captured after the queue's start. Frames that were lost,
    /// or captured while the queue was paused, count too.
    public var frame: Int64
    /// When the first frame was at the microphone.
    public var host: HostTime
    /// How far ``host`` may be off.
    public var bound: TimeSpan
    /// The device's own rate, in frames per second of host time.
    public var framesPerSecond: Double

    public init(frame: Int64, host: HostTime, bound: TimeSpan, framesPerSecond: Double) {
        self.frame = frame
        self.host = host
        self.bound = bound
        self.framesPerSecond = framesPerSecond
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
    var time = InputTime(frame: 0, host: HostTime(nanoseconds: 0), bound: .zero, framesPerSecond: 0)

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
