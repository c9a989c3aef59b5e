import AudioCore
import HostSystem
import Playout

/// Records from a device into buffers, each frame with its instant.
///
/// Works like Audio Queue Services: make buffers and enqueue them; the queue fills one after the other with what the
/// device captures and passes each to its handler; the handler returns it to be filled again. Every frame captured
/// between start and stop, except during pauses, comes in exactly one buffer, in order. Frames that are missing are
/// reported with their position (``InputQueueEvent/framesLost(at:count:_:)``).
///
/// ```swift
/// let queue = try InputQueue(input: device) { event in … } handler: { buffer in
///     buffer.withBytes { write($0, capturedAt: buffer.time.host) }
///     return buffer
/// }
/// for _ in 0..<3 { queue.enqueue(queue.makeBuffer(frameCapacity: 4_800)) }
/// try queue.start()
/// ```
///
/// All methods may be called from any thread except a real-time one; none waits for sound. Releasing the handle ends
/// the queue and stops the device.
public struct InputQueue: ~Copyable, Sendable {
    private let core: InputQueueCore
    private let thread: HostThread

    /// Starts the queue's own thread; the device does not run yet.
    /// - Parameters:
    ///   - input: an opened device, owned by the queue from now on.
    ///   - events: called from the queue's own thread, one call at a time.
    ///   - handler: takes each filled buffer, on the queue's own thread, one at a time. The buffer that it returns is
    ///     enqueued again; nil if it keeps the buffer to ``enqueue(_:)`` it later. It may take as long as the enqueued
    ///     buffers last, plus two seconds. Neither closure may release the queue's handle.
    /// - Throws: if the system has no thread or file descriptor left.
    public init(
        input: any InputDevice, events: @escaping @Sendable (InputQueueEvent) -> Void,
        handler: @escaping @Sendable (consuming InputBuffer) -> InputBuffer?
    ) throws(TimelineQueueError) {
        let (core, thread) = try Self.begin(input, events, handler)
        self.core = core
        self.thread = thread
    }

    private static func begin(
        _ input: any InputDevice, _ events: @escaping @Sendable (InputQueueEvent) -> Void,
        _ handler: @escaping InputQueueCore.Handler
    ) throws(TimelineQueueError) -> (InputQueueCore, HostThread) {
        let core: InputQueueCore
        do {
            core = InputQueueCore(device: input, wake: try WakeSignal(), handler: handler, events: events)
        } catch {
            throw .outOfResources(code: error.code)
        }
        do {
            return (core, try HostThread(name: "tutti input") { core.run() })
        } catch {
            throw .outOfResources(code: error.code)
        }
    }

    deinit {
        core.end()
        thread.join()
    }

    /// The description of the input.
    public var device: InputDeviceDescription { core.device.description }
    /// The format of the buffers: interleaved linear PCM, as the device gives it.
    public var format: AudioStreamFormat { core.device.description.format }

    /// Makes a buffer for `frameCapacity` frames, at least 1.
    public func makeBuffer(frameCapacity: Int) -> InputBuffer {
        InputBuffer(
            InputBufferStorage(frameCapacity: max(1, frameCapacity), bytesPerFrame: max(1, format.bytesPerFrame)))
    }

    /// Enqueues one of the queue's own buffers to be filled. Its present contents are dropped.
    public func enqueue(_ buffer: consuming InputBuffer) {
        precondition(buffer.storage.bytesPerFrame == max(1, format.bytesPerFrame), "a buffer of another queue's format")
        core.enqueue(buffer.storage)
    }

    /// Starts the device, or continues after a pause.
    /// - Parameter host: the first frame is the first one at the microphone at that instant or later; nil: now. A
    ///   future instant is exact to the frame; the device runs meanwhile.
    /// - Throws: if the device is gone or cannot be started.
    public func start(at host: HostTime? = nil) throws(InputDeviceError) {
        try core.start(at: host ?? .now())
    }

    /// Stops recording until ``start(at:)``. Frames captured before this call are still handed over.
    ///
    /// The device keeps running, so that resuming takes no time and the frame count keeps time.
    public func pause() { core.pause(at: .now()) }

    /// Stops; ``InputQueueEvent/runningChanged(_:)`` reports when it has stopped. Buffers stay enqueued. The next start
    /// counts frames from zero.
    public func stop(_ kind: InputQueueStop = .drained) { core.stop(kind, at: .now()) }

    /// The present state of the queue.
    public var snapshot: InputQueueSnapshot { core.snapshot }
}
