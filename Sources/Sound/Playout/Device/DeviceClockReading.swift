import AudioCore

/// Why a loop read its device's clock.
///
/// With a fine pointer all readings tell the same. A coarse one shows the clock only when it moves: a reading of a
/// search (``BurstSearch``) shows that moment; a wake comes somewhat later; a poll shows that the pointer moved at some
/// time since the previous reading, and limits how late the line may be.
public enum ReadingOccasion: Sendable, BitwiseCopyable {
    /// The device woke the loop by moving its pointer.
    case wake
    /// The loop looked by itself.
    case poll
    /// The loop was looking for a burst, again and again.
    case search
}

/// A reading of a device's clock: this frame leaves the DAC, or reaches the ADC, at this host time.
///
/// The device loop makes it from one driver status: frames written minus delay, at the driver's own timestamp. A
/// pointer that stands still between bursts makes frames seem late, never early; the model relies on that.
public struct DeviceClockReading: Hashable, Sendable, BitwiseCopyable {
    public var frame: DeviceFrame
    public var host: HostTime
    public var occasion: ReadingOccasion
    /// How much earlier the frame may have left, as far as the reading itself shows.
    public var slack: TimeSpan

    public init(frame: DeviceFrame, host: HostTime, occasion: ReadingOccasion = .wake, slack: TimeSpan = .zero) {
        self.frame = frame
        self.host = host
        self.occasion = occasion
        self.slack = slack
    }
}
