import AudioCore
import Playout
import HostSystem

/// Sound in, buffers out: what a device captures, each frame with its instant.
///
/// In the manner of Audio Queue Services: buffers are made and enqueued; the queue fills them one after the other with
/// what the device captures, and hands each to its handler; the handler gives it back to be filled again. Every frame that
/// was in the air between start and stop, and not while the queue was paused, comes in exactly one buffer, in order. Where
/// that cannot be, the frames that are missing are told with their place (``InputQueueEvent/framesLost(at:count:_:)``).
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
/// All methods may be called from any thread but a real-time one; none waits for sound. The queue ends, and the device with
/// it, when its handle goes.
public struct InputQueue: ~Copyable, Sendable {
    private let core: InputQueueCore
    private let thread: HostThread

    /// Starts the queue's own thread; the device does not run yet.
    /// - Parameters:
    ///   - input: an opened device, which is the queue's from now on.
    ///   - events: called from the queue's own thread, one call at a time.
    ///   - handler: takes each buffer that was filled, on the queue's own thread, one at a time. What it returns is enqueued
    ///     again; nil where it keeps the buffer, to ``enqueue(_:)`` it later. It may take as long as the enqueued
    ///     buffers, and two seconds on top, last. Neither may let go of the queue's handle.
    /// - Throws: where the system has no thread or file descriptor left.
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

    /// What the input is.
    public var device: InputDeviceDescription { core.device.description }
    /// What is in the buffers: interleaved linear PCM, as the device gives it.
    public var format: AudioStreamFormat { core.device.description.format }

    /// Makes a buffer for so many frames, 1 at least.
    public func makeBuffer(frameCapacity: Int) -> InputBuffer {
        InputBuffer(
            InputBufferStorage(frameCapacity: max(1, frameCapacity), bytesPerFrame: max(1, format.bytesPerFrame)))
    }

    /// Gives the queue a buffer of its own making to fill. What it holds is forgotten.
    public func enqueue(_ buffer: consuming InputBuffer) {
        precondition(buffer.storage.bytesPerFrame == max(1, format.bytesPerFrame), "a buffer of another queue's format")
        core.enqueue(buffer.storage)
    }

    /// Starts the device, or goes on after a pause.
    /// - Parameter host: the first frame is the first one in the air at that instant or later; nil: now. An instant to come
    ///   is kept to, to the frame; the device runs meanwhile.
    /// - Throws: where the device is gone or cannot be started.
    public func start(at host: HostTime? = nil) throws(InputDeviceError) {
        try core.start(at: host ?? .now())
    }

    /// What is in the air from now until ``start(at:)`` is not recorded. What was before it is handed over.
    ///
    /// The device runs on, so that going on costs no time and the count of frames keeps time.
    public func pause() { core.pause(at: .now()) }

    /// Comes to a stop; ``InputQueueEvent/runningChanged(_:)`` says when it has. Buffers stay enqueued. A start after it
    /// counts frames anew.
    public func stop(_ kind: InputQueueStop = .drained) { core.stop(kind, at: .now()) }

    /// How the queue stands now.
    public var snapshot: InputQueueSnapshot { core.snapshot }
}
