import AudioCore

/// The clock of a device against host time, learned from readings: of an ADC as of a DAC.
///
/// What is known of readings holds both ways. A pointer that stands still between bursts makes a frame seem to leave
/// the loudspeaker, or to have been at the microphone, later than it did; hardly anything makes it seem earlier. Real-time
/// safe once it is made: constant memory, at most some 50 us of work a call. Not thread-safe.
public struct DeviceClock: ~Copyable {
    private var model: DACClockModel

    /// - Parameters:
    ///   - rate: nominal frames per second.
    ///   - rateHint: what is remembered of this device's rate.
    public init(rate: Double, rateHint: PartsPerMillion? = nil) {
        model = DACClockModel(deviceRate: rate, rateHint: rateHint?.value)
    }

    /// Whether many readings are worth their trouble: the clock is not known well yet.
    public var wantsReadings: Bool { model.wantsReadings }

    /// The device's rate against its nominal one; nil while it is not known.
    public var rate: PartsPerMillion? { model.line.map { PartsPerMillion($0.ppm) } }

    public mutating func note(_ reading: DeviceTimestamp) {
        model.note(
            frame: reading.frame.index, hostNanoseconds: reading.host.nanoseconds, isPrompt: reading.isPrompt,
            slack: reading.slack.seconds)
    }

    /// The device's clock stopped and started again: readings so far are void, the rate is kept.
    public mutating func restart() { model.restart() }

    /// When this frame is at the loudspeaker or the microphone; nil while that is not known.
    public func instant(of frame: DeviceFrame) -> DeviceInstant? {
        guard let line = model.line else { return nil }
        return DeviceInstant(
            frame: frame, host: HostTime(nanoseconds: line.hostNanoseconds(of: frame.index)),
            secondsPerFrame: line.secondsPerFrame,
            bound: TimeSpan(seconds: line.bound(at: frame.index) + model.wakeDuration))
    }
}

/// A place on a device's clock: which frame when, how frames follow, and how far that may be off.
public struct DeviceInstant: Hashable, Sendable, BitwiseCopyable {
    public var frame: DeviceFrame
    public var host: HostTime
    /// Host seconds.
    public var secondsPerFrame: Double
    public var bound: TimeSpan

    public init(frame: DeviceFrame, host: HostTime, secondsPerFrame: Double, bound: TimeSpan) {
        self.frame = frame
        self.host = host
        self.secondsPerFrame = secondsPerFrame
        self.bound = bound
    }

    /// When another frame of the same run is due.
    public func host(of other: DeviceFrame) -> HostTime {
        host + TimeSpan(seconds: Double(other - frame) * secondsPerFrame)
    }
}
