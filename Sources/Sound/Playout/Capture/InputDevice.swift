import AudioCore

/// A device that captures sound on a thread of its own.
///
/// A device opens when it is made and closes when it is released; its format never changes. It may start and stop any
/// number of times. From `start` to `stop` it gives every captured frame to a ``CaptureWriter``, and reports which
/// frame was at the microphone when.
public protocol InputDevice: AnyObject, Sendable {
    var description: InputDeviceDescription { get }

    /// Starts the device and its thread.
    /// - Parameters:
    ///   - control: where frames go; each start has its own.
    ///   - events: called from a thread that is not real-time, or no longer; it may lock and allocate, and must not
    ///     call `stop`.
    func start(
        filling control: CaptureControl, events: @escaping @Sendable (InputDeviceEvent) -> Void
    ) throws(InputDeviceError)

    /// Stops at once and joins the thread. Captured frames stay in the control. Does nothing if the device was stopped
    /// or lost before.
    func stop()
}

/// The properties of a capture device, as found when it was opened.
public struct InputDeviceDescription: Hashable, Sendable {
    /// The name that opens it again.
    public var name: String
    /// The sound card behind the name, as far as known; at most 200 bytes, can be displayed.
    public var identity: String?
    /// Linear PCM, interleaved, little-endian, one frame to a packet; its sample rate is the nominal one.
    public var format: AudioStreamFormat
    /// The number of frames given at a time.
    public var chunkFrameCount: Int
    /// How long its thread may sleep before frames are lost.
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

/// What a running device reports to its owner.
public enum InputDeviceEvent: Hashable, Sendable {
    /// Worth one line to people.
    case notice(String)
    /// The device is gone and its thread has ended.
    case lost(InputDeviceError)
}

/// Why a device cannot capture or continue. Its description is one line.
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
