import AudioCore

/// Turns a rendition's frames into the device's, each at its instant.
///
/// Lives on the real-time thread of one open device; owns no thread and reads no clock. After `init` nothing here
/// allocates, locks, retains or throws. One renderer at a time may belong to a control.
public struct Renderer: ~Copyable {
    /// - Parameters:
    ///   - deviceRate: the device's nominal rate, in hertz.
    ///   - channels: interleaved channels of the device.
    ///   - maximumFrameCount: the device's buffer in frames: how far ``rewind(to:)`` may go back.
    ///   - rateHint: the DAC's rate as remembered from an earlier run of this device.
    public init(
        control: PlayoutControl, deviceRate: Double, channels: Int, maximumFrameCount: Int,
        rateHint: PartsPerMillion? = nil
    ) {
        precondition(deviceRate > 0 && channels > 0 && maximumFrameCount > 0)
        self.channels = channels
    }

    private let channels: Int

    /// Feeds the DAC clock model with one reading. Call it with every status of the driver that was quick to obtain.
    public mutating func note(_ timestamp: DeviceTimestamp) {}

    /// Renders the device frames that begin at `first`: interleaved, as many as `output` holds.
    ///
    /// `first` is normally the frame after the last rendered one, or what ``rewind(to:)`` said. Frames that were left
    /// out count as a device restart whose clock still holds.
    public mutating func render(into output: UnsafeMutableBufferPointer<Float>, from first: DeviceFrame) {
        output.update(repeating: 0)
    }

    /// Whether a command should be heard sooner than the device's buffer lasts: the loop may take frames back from the
    /// device, say so by ``rewind(to:)``, and render again. Looks into the mailbox; false again after the next render.
    public var wantsEarlierFrame: Bool { mutating get { false } }

    /// The device took frames back: the next render begins at `first`. Without a new command the samples come out the
    /// same again.
    public mutating func rewind(to first: DeviceFrame) {}

    /// The device lost its running clock (xrun, suspend): older readings are void, its rate is kept, and the sound is
    /// placed anew from `first`, the next frame to be rendered.
    public mutating func deviceDidRestart(at first: DeviceFrame) {}
}
