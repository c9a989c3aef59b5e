import ALSADevices
import Glibc
import Playout

/// A device of ALSA, as `tutti devices` shows it.
public struct DeviceEntry: Hashable, Sendable {
    /// As `--device` takes it.
    public var name: String
    /// For people, one line.
    public var description: String
    /// What it takes or gives, of a sound card without conversion; nil where ``trouble`` says why it cannot be opened now.
    public var capabilities: Capabilities?
    public var trouble: OutputDeviceError?
    /// Whether it records; else it plays. One that does both is listed twice.
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

/// Which sound devices this machine has.
public enum DeviceList {
    /// The devices that ALSA names, in its order: those that play, then those that record. Few names tell which way they
    /// go, so every one is opened for a moment, either way; libraries of sound servers may print then.
    ///
    /// Left out is what has nothing behind its name: a card that is not there, a plugin for one, a sound server that
    /// does not run. What cannot be opened now for another reason is there, with the reason.
    public static func all() -> [DeviceEntry] {
        entries(.playback) + entries(.capture)
    }

    private static func entries(_ direction: PCMDirection) -> [DeviceEntry] {
        ALSADevice.all(direction).filter { !$0.isMissing }.map { DeviceEntry($0, records: direction == .capture) }
    }
}

extension ALSADevice {
    /// There is nothing behind the name that goes this way.
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
