import AudioCore
import CALSA
import HostSystem
import Playout
import Synchronization

/// A sound device of ALSA.
public final class ALSAOutput: OutputDevice {
    public let description: OutputDeviceDescription

    /// Opens a device and sets it up: 48 kHz and two channels where it can, else what is nearest.
    public init(deviceName: String = "default") throws(OutputDeviceError) {
        throw .noDevice
    }

    public func start(
        driving control: PlayoutControl, events: @escaping @Sendable (OutputDeviceEvent) -> Void
    ) throws(OutputDeviceError) {}

    public func stop() {}
}
