import AudioCore
import Playout

/// What an input queue reports to its owner.
public enum InputQueueEvent: Hashable, Sendable {
    /// The queue runs, or has stopped; the last buffer was handed over before.
    case runningChanged(Bool)
    /// Frames are missing: the previous buffer ends at `frame`, the next one begins `count` frames later.
    case framesLost(at: Int64, count: Int64, InputLossCause)
    /// The device is gone; what it captured was handed over. ``runningChanged(_:)`` follows.
    case deviceLost(InputDeviceError)
    /// Worth one line to people.
    case notice(String)
}

/// Why captured frames were lost.
public enum InputLossCause: Hashable, Sendable {
    /// The device was interrupted: its own buffer was full, or the machine slept.
    case overrun
    /// All buffers were in use for longer than the queue can wait (``Capture/CaptureControl/span``).
    case noBuffer
}

/// The state of an input queue.
public struct InputQueueSnapshot: Hashable, Sendable {
    public var isRunning = false
    public var isPaused = false
    /// Buffers waiting to be filled, without the one being filled.
    public var enqueuedBufferCount = 0
    /// Frames handed over, and frames lost, since the queue was made.
    public var deliveredFrameCount: Int64 = 0
    public var lostFrameCount: Int64 = 0
    /// How often frames were lost because the device was interrupted, since the queue was made.
    public var overrunCount = 0

    public init() {}
}

/// How an input queue stops.
public enum InputQueueStop: Hashable, Sendable {
    /// Hands over everything captured until now; the last buffer may be partly filled.
    case drained
    /// Stops at once: what was not handed over is dropped, and counts as not recorded rather than lost.
    case immediate
}
