import AudioCore

/// A device that captures sound, on a thread of its own.
///
/// Opened when it is made, closed when it goes: its format holds for its life. It may be started and stopped any number of
/// times; from `start` to `stop` it gives every frame that it captures to a ``CaptureWriter``, and tells it which frame was
/// in the air when.
public protocol InputDevice: AnyObject, Sendable {
    var description: InputDeviceDescription { get }

    /// Starts the device and its thread.
    /// - Parameters:
    ///   - control: where frames go; each start has one of its own.
    ///   - events: called from a thread that is not, or no longer, a real-time one; it may lock and allocate, and must not
    ///     call `stop`.
    func start(
        filling control: CaptureControl, events: @escaping @Sendable (InputDeviceEvent) -> Void
    ) throws(InputDeviceError)

    /// Stops at once, and waits for the thread. What was captured stays in the control. Harmless when it was stopped or
    /// lost before.
    func stop()
}

/// What a device that captures is, as found when it was opened.
public struct InputDeviceDescription: Hashable, Sendable {
    /// The name that opens it again.
    public var name: String
    /// Which sound card is behind the name, as far as one can tell; at most 200 bytes, fit to be shown.
    public var identity: String?
    /// Linear PCM, interleaved, little-endian, one frame to a packet; its sample rate is the nominal one.
    public var format: AudioStreamFormat
    /// Frames that it gives at a time.
    public var chunkFrameCount: Int
    /// What it holds before frames are lost, as long as its thread sleeps.
    public var buffer: TimeSpan

    public init(
        name: String, identity: String? = nil, format: AudioStreamFormat, chunkFrameCount: Int, buffer: TimeSpan
    ) {
        self.name = name
        self.identity = identity
        self.format = format
        self.chunkFrameCount = chunkFrameCount
        self.buffer = buffer
    }
}

/// What a running device tells its owner.
public enum InputDeviceEvent: Hashable, Sendable {
    /// Worth one line to people.
    case notice(String)
    /// The device is gone and its thread has ended.
    case lost(InputDeviceError)
}

/// Why a device cannot capture, or cannot go on. Its description is one line.
public struct InputDeviceError: Error, Hashable, Sendable, CustomStringConvertible {
    public var cause: OutputDeviceError

    public init(_ cause: OutputDeviceError) { self.cause = cause }

    public var description: String {
        switch cause {
        case .noDevice: "no sound card found that records"
        case .unknownDevice(let name): "no sound device that records is called '\(name)'"
        case .standsStill(let device): "sound device '\(device)' stands still: it gives no more sound"
        default: cause.description
        }
    }
}
