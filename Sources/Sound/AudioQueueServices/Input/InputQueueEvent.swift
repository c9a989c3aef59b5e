import AudioCore
import Playout

/// What an input queue tells its owner.
public enum InputQueueEvent: Hashable, Sendable {
    /// It runs, or has come to a stop: the last buffer was handed over before.
    case runningChanged(Bool)
    /// These frames are missing: the buffer before ends at `frame`, the next one begins `count` frames later.
    case framesLost(at: Int64, count: Int64, InputLossCause)
    /// The device is gone; what it had captured was handed over. ``runningChanged(_:)`` follows.
    case deviceLost(InputDeviceError)
    /// Worth one line to people.
    case notice(String)
}

/// Why captured frames were lost.
public enum InputLossCause: Hashable, Sendable {
    /// The device broke off: its own buffer was full, or the machine slept.
    case overrun
    /// All buffers were in use for longer than the queue can wait (``Capture/CaptureControl/span``).
    case noBuffer
}

/// How an input queue stands.
public struct InputQueueSnapshot: Hashable, Sendable {
    public var isRunning = false
    public var isPaused = false
    /// Buffers that wait to be filled, the one in work not among them.
    public var enqueuedBufferCount = 0
    /// Since the queue was made: frames that were handed over, and frames that were lost.
    public var deliveredFrameCount: Int64 = 0
    public var lostFrameCount: Int64 = 0
    /// Since the queue was made: how often frames were lost because the device broke off.
    public var overrunCount = 0

    public init() {}
}

/// How a queue comes to a stop.
public enum InputQueueStop: Hashable, Sendable {
    /// All that was in the air until now is handed over; the last buffer may not be full.
    case drained
    /// At once: what was not handed over is dropped, and counts as not recorded rather than lost.
    case immediate
}
