import AudioCore

/// What `tutti record` was asked to do without a broadcaster; acted on by ``DeviceRecorder``.
public struct DeviceRecordOptions: Sendable {
    /// The file; its ending says what kind it is.
    public var path: String
    /// A file of that name is replaced.
    public var replaces = false
    public var samples = RecordOptions.Samples.asTheyAre
    /// Ends after so much; nil: when it is stopped.
    public var duration: TimeSpan?
    public var deviceName = "default"
    /// In hertz; nil: what the device has, 48 kHz if it can.
    public var rate: Int?
    /// Nil: what the device has, two if it can.
    public var channelCount: Int?

    public init(path: String) { self.path = path }
}
