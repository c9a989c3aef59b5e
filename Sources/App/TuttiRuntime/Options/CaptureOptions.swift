import AudioCore

/// The sound device that a broadcast captures.
public struct CaptureOptions: Hashable, Sendable {
    public var deviceName: String
    /// From the microphone to all loudspeakers.
    public var latency = TimeSpan.milliseconds(500)

    public init(deviceName: String) { self.deviceName = deviceName }

    /// Less leaves no time for a network and the buffers of sound cards; more is no live sound.
    public static let latencyRange: ClosedRange<TimeSpan> = .milliseconds(200) ... .seconds(9)
}
