import AudioCore

/// A reading of the DAC clock: "this device frame leaves (or left) the DAC at this host time".
///
/// The device loop builds it from one status of the driver, as frames written - delay at the driver's own timestamp.
/// A driver whose pointer stands still between bursts makes frames seem late, never early; the model relies on it.
public struct DeviceTimestamp: Hashable, Sendable, BitwiseCopyable {
    public var frame: DeviceFrame
    public var host: HostTime

    public init(frame: DeviceFrame, host: HostTime) {
        self.frame = frame
        self.host = host
    }
}
