import AudioCore

/// A reading of a device's clock: this frame leaves the DAC, or reaches the ADC, at this host time.
///
/// The device loop makes it from one driver status: frames written minus delay, at the driver's own timestamp. A
/// pointer that stands still between bursts makes frames seem late, never early; the model relies on that.
public struct DeviceClockReading: Hashable, Sendable, BitwiseCopyable {
    public var frame: DeviceFrame
    public var host: HostTime
    /// Whether the device triggered this reading by moving its pointer (a wake). With a coarse pointer, wakes show the
    /// clock; a poll reading only limits how late the line may be. Without wakes, the pointer moved at some time since
    /// the previous poll reading, and the bound allows for it.
    public var isWake: Bool
    /// How much earlier the frame may have left, as far as the reading itself shows.
    public var slack: TimeSpan

    public init(frame: DeviceFrame, host: HostTime, isWake: Bool = true, slack: TimeSpan = .zero) {
        self.frame = frame
        self.host = host
        self.isWake = isWake
        self.slack = slack
    }
}
