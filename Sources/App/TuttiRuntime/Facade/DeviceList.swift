import ALSADevices
import Glibc
import Playout

/// An ALSA device, as `tutti devices` shows it.
public struct DeviceEntry: Hashable, Sendable {
    /// The name that `--device` takes.
    public var name: String
    /// One line for people.
    public var description: String
    /// What the sound card takes or gives without conversion; nil if it cannot be opened now (see ``trouble``).
    public var capabilities: Capabilities?
    public var trouble: OutputDeviceError?
    /// Whether it records rather than plays. A device that does both is listed twice.
    public var records = false

    public struct Capabilities: Hashable, Sendable {
        /// Best first; for people.
        public var sampleFormats: [String]
        public var ratesHertz: ClosedRange<Int>
        public var channels: ClosedRange<Int>

        public init(sampleFormats: [String], ratesHertz: ClosedRange<Int>, channels: ClosedRange<Int>) {
            self.sampleFormats = sampleFormats
            self.ratesHertz = ratesHertz
            self.channels = channels
        }
    }

    public init(
        name: String, description: String, capabilities: Capabilities? = nil, trouble: OutputDeviceError? = nil
    ) {
        self.name = name
        self.description = description
        self.capabilities = capabilities
        self.trouble = trouble
    }
}

/// The sound devices of this machine.
public enum DeviceList {
    /// Returns the devices that ALSA names, in its order: those that play, then those that record. Few names tell their
    /// direction, so every device is opened for a moment in both; libraries of sound servers may print then.
    ///
    /// A name with nothing behind it is left out: a card that is not there, a plugin for one, a sound server that does
    /// not run. A device that cannot be opened for another reason is listed with that reason.
    public static func all() -> [DeviceEntry] {
        entries(.playback) + entries(.capture)
    }

    private static func entries(_ direction: PCMDirection) -> [DeviceEntry] {
        ALSADevice.all(direction).filter { !$0.isMissing }.map { DeviceEntry($0, records: direction == .capture) }
    }
}

extension ALSADevice {
    /// Whether nothing behind the name goes this way.
    fileprivate var isMissing: Bool {
        switch trouble {
        case .noDevice, .unknownDevice, .lost, .failed(_, _, ECONNREFUSED, _): true
        default: false
        }
    }
}

extension DeviceEntry {
    fileprivate init(_ device: ALSADevice, records: Bool) {
        self.init(
            name: device.name, description: device.details,
            capabilities: device.capabilities.map {
                Capabilities(sampleFormats: $0.sampleFormats, ratesHertz: $0.rates, channels: $0.channels)
            },
            trouble: device.trouble)
        self.records = records
    }
}
