import AudioCore

/// A sound device, real or virtual, that runs a ``Renderer`` on a thread of its own.
///
/// Opened when it is made: its rate and channels hold for its life. From `start` to `stop` it asks the renderer for
/// every frame that leaves it, silence included, and tells it which frame leaves when. A device is started once.
public protocol OutputDevice: AnyObject, Sendable {
    var description: OutputDeviceDescription { get }

    /// Starts the device and its thread.
    /// - Parameters:
    ///   - control: whose renditions it plays.
    ///   - events: called from a thread that is not, or no longer, a real-time one; it may lock and allocate, and
    ///     must not call `stop`.
    func start(
        driving control: PlayoutControl, events: @escaping @Sendable (OutputDeviceEvent) -> Void
    ) throws(OutputDeviceError)

    /// Stops at once, drops what was not heard yet, waits for the thread and closes the device. To end without a
    /// click fade out first (``PlayoutControl/stop(fade:)``). Harmless when it was stopped or lost before.
    func stop()
}

/// What a device is, as found when it was opened.
public struct OutputDeviceDescription: Hashable, Sendable {
    /// The name that opens it again.
    public var name: String
    /// Which sound card is behind the name, as far as one can tell: what is learned of its clock belongs to this. Fit
    /// to be shown, at most 200 bytes. Nil for outputs that have no clock of their own.
    public var identity: String?
    /// Whether ``identity`` names a sound card: behind a plugin's or a sound server's name may be now this one, now
    /// that.
    public var hasKnownCard: Bool
    /// Nominal frames per second.
    public var rate: Double
    public var channelCount: Int
    /// How its samples are stored; for people.
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

/// What a running device tells its owner. Xruns are told by ``PlayoutEvent/xrun(frame:)``.
public enum OutputDeviceEvent: Hashable, Sendable {
    /// Worth one line to people: a right that was not granted, timestamps that are missing.
    case notice(String)
    /// The device is gone and its thread has ended. ``OutputDevice/stop()`` is still due.
    case lost(OutputDeviceError)
    /// Of an output that waits for its device to come back: it is gone, and nothing is heard.
    case vanished(OutputDeviceError)
    /// It is back, perhaps with another rate.
    case returned(OutputDeviceDescription)
}
