import AudioCore

/// A sound device, real or virtual, that runs a ``Renderer`` on a thread of its own.
///
/// A device opens when it is made; its rate and channels never change. From `start` to `stop` it asks the renderer for
/// every frame that leaves it, including silence, and reports which frame leaves when. A device starts once.
public protocol OutputDevice: AnyObject, Sendable {
    var description: OutputDeviceDescription { get }

    /// Starts the device and its thread.
    /// - Parameters:
    ///   - control: the control whose renditions it plays.
    ///   - events: called from a thread that is not real-time, or no longer; it may lock and allocate, and must not
    ///     call `stop`.
    func start(
        driving control: PlayoutControl, events: @escaping @Sendable (OutputDeviceEvent) -> Void
    ) throws(OutputDeviceError)

    /// Stops at once, drops what was not heard yet, joins the thread and closes the device. To end without a click,
    /// fade out first (``PlayoutControl/stop(fade:)``). Does nothing if the device was stopped or lost before.
    func stop()
}

/// The properties of a device, as found when it was opened.
public struct OutputDeviceDescription: Hashable, Sendable {
    /// The name that opens it again.
    public var name: String
    /// The sound card behind the name, as far as known: what is learned of a clock is stored under it. Can be
    /// displayed; at most 200 bytes. Nil for outputs without a clock of their own.
    public var identity: String?
    /// Whether ``identity`` names a sound card: behind the name of a plugin or a sound server, the card may change.
    public var hasKnownCard: Bool
    /// Nominal frames per second.
    public var rate: Double
    public var channelCount: Int
    /// The sample format, for people.
    public var sampleFormat: String
    /// How far ahead frames are written.
    public var buffer: TimeSpan
    /// How often it wakes its thread.
    public var period: TimeSpan

    public init(
        name: String, identity: String? = nil, hasKnownCard: Bool = false, rate: Double, channelCount: Int,
        sampleFormat: String, buffer: TimeSpan,
        period: TimeSpan
    ) {
        self.name = name
        self.identity = identity
        self.hasKnownCard = hasKnownCard
        self.rate = rate
        self.channelCount = channelCount
        self.sampleFormat = sampleFormat
        self.buffer = buffer
        self.period = period
    }
}

/// What a running device reports to its owner. Xruns are reported as ``PlayoutEvent/xrun(frame:)``.
public enum OutputDeviceEvent: Hashable, Sendable {
    /// Worth one line to people: a right that was not granted, missing timestamps.
    case notice(String)
    /// The device is gone and its thread has ended. ``OutputDevice/stop()`` must still be called.
    case lost(OutputDeviceError)
    /// The device is gone and nothing is heard; sent by an output that waits for its device to come back.
    case vanished(OutputDeviceError)
    /// The device is back, perhaps at another rate.
    case returned(OutputDeviceDescription)
}
