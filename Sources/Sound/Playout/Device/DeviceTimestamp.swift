import AudioCore

/// A reading of the DAC clock: "this device frame leaves (or left) the DAC at this host time".
///
/// The device loop builds it from one status of the driver, as frames written - delay at the driver's own timestamp.
/// A driver whose pointer stands still between bursts makes frames seem late, never early; the model relies on it.
public struct DeviceTimestamp: Hashable, Sendable, BitwiseCopyable {
    public var frame: DeviceFrame
    public var host: HostTime
    /// Whether the device called for this reading by moving its pointer. Of a coarse pointer such readings tell the
    /// clock, and those between them only that it is no later. One that is merely looked at now and then moved at some
    /// time since the last look: the bound says so.
    public var isPrompt: Bool
    /// How much sooner the frame may have left, as far as the reading itself tells.
    public var slack: TimeSpan

    public init(frame: DeviceFrame, host: HostTime, isPrompt: Bool = true, slack: TimeSpan = .zero) {
        self.frame = frame
        self.host = host
        self.isPrompt = isPrompt
        self.slack = slack
    }
}
