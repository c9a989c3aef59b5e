import AudioCore

/// The options of `tutti record` without a broadcaster; acted on by ``DeviceRecorder``.
public struct DeviceRecordOptions: Sendable {
    /// The file; its extension chooses the kind of file.
    public var path: String
    /// Whether to replace an existing file.
    public var replaces = false
    public var samples = RecordOptions.Samples.asTheyAre
    /// The length; nil records until stopped.
    public var duration: TimeSpan?
    public var deviceName = "default"
    /// In hertz. Nil: the device's own, 48 kHz if it can.
    public var rate: Int?
    /// Nil: the device's own, two if it can.
    public var channelCount: Int?

    public init(path: String) { self.path = path }
}
