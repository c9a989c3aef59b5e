import AudioCore

/// A device's clock relative to host time, learned from readings. Works for an ADC as for a DAC.
///
/// Readings err in the same direction for both: a pointer that stands still between bursts makes a frame seem to leave
/// the loudspeaker, or to reach the microphone, later than it did; hardly anything makes it seem earlier. Real-time
/// safe after `init`: constant memory, at most some 50 us of work per call. Not thread-safe.
public struct DeviceClock: ~Copyable {
    private var model: DeviceClockModel

    /// - Parameters:
    ///   - rate: nominal frames per second.
    ///   - rateHint: this device's rate as remembered from an earlier run.
    public init(rate: Double, rateHint: PartsPerMillion? = nil) {
        model = DeviceClockModel(deviceRate: rate, rateHint: rateHint?.value)
    }

    /// How often readings are worthwhile, beside those of wakes, because the clock is not known well yet; nil once they
    /// are not.
    public var readingInterval: TimeSpan? { model.readingInterval }

    /// The device's rate relative to its nominal rate; nil while unknown.
    public var rate: PartsPerMillion? { model.line.map { PartsPerMillion($0.ppm) } }

    public mutating func note(_ reading: DeviceClockReading) {
        model.note(
            frame: reading.frame.index, hostNanoseconds: reading.host.nanoseconds, occasion: reading.occasion,
            slack: reading.slack.seconds)
    }

    /// Drops all readings, because the device's clock stopped and started again. The rate is kept.
    public mutating func restart() { model.restart() }

    /// The instant at which a frame is at the loudspeaker or the microphone; nil while unknown.
    public func instant(of frame: DeviceFrame) -> DeviceInstant? {
        guard let line = model.line else { return nil }
        return DeviceInstant(
            frame: frame, host: HostTime(nanoseconds: line.hostNanoseconds(of: frame.index)),
            secondsPerFrame: line.secondsPerFrame,
            bound: TimeSpan(seconds: line.bound(at: frame.index) + model.wakeDuration))
    }
}

/// A point on a device's clock: the host time of a frame, the time per frame, and the error bound.
public struct DeviceInstant: Hashable, Sendable, BitwiseCopyable {
    public var frame: DeviceFrame
    public var host: HostTime
    /// Host seconds. Zero if the device shows nothing of its clock.
    public var secondsPerFrame: Double
    /// How far ``host`` may be off.
    public var bound: TimeSpan

    public init(frame: DeviceFrame, host: HostTime, secondsPerFrame: Double, bound: TimeSpan) {
        self.frame = frame
        self.host = host
        self.secondsPerFrame = secondsPerFrame
        self.bound = bound
    }

    /// The device's own rate, in frames per second of host time. Zero if the device shows nothing of its clock.
    public var framesPerSecond: Double { secondsPerFrame > 0 ? 1 / secondsPerFrame : 0 }

    /// The host time of another frame of the same run.
    public func host(of other: DeviceFrame) -> HostTime {
        host + TimeSpan(seconds: Double(other - frame) * secondsPerFrame)
    }
}
