import ALSADevices
import Playout

/// A device of ALSA, as `tutti devices` shows it.
public struct DeviceEntry: Hashable, Sendable {
    /// As `--device` takes it.
    public var name: String
    /// For people, one line.
    public var description: String
    /// What it takes or gives, of a sound card without conversion; nil where ``trouble`` says why it cannot be opened now.
    public var capabilities: Capabilities?
    /// For people, some words.
    public var trouble: String?
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

    public init(name: String, description: String, capabilities: Capabilities? = nil, trouble: String? = nil) {
        self.name = name
        self.description = description
        self.capabilities = capabilities
        self.trouble = trouble
    }
}

/// Which sound devices this machine has.
public enum DeviceList {
    /// All devices that ALSA names, in its order: those that play, then those that record. Opens every one for a moment.
    public static func all() -> [DeviceEntry] {
        let outputs = ALSADevice.all(.playback)
        let inputs = ALSADevice.all(.capture)
        // Few names tell which way they go: opening them does. One that goes neither way is told of once.
        let names = Set(outputs.map(\.name))
        let recording = Set(inputs.filter { !$0.isMissing }.map(\.name))
        let played = outputs.filter { !$0.isMissing || !recording.contains($0.name) }
        let recorded = inputs.filter { !$0.isMissing || !names.contains($0.name) }
        return played.map { DeviceEntry($0, records: false) } + recorded.map { DeviceEntry($0, records: true) }
    }
}

extension ALSADevice {
    /// There is nothing behind the name that goes this way.
    fileprivate var isMissing: Bool {
        switch trouble {
        case .noDevice, .unknownDevice, .lost: true
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
            trouble: device.trouble?.inShort)
        self.records = records
    }
}

extension OutputDeviceError {
    /// In a list, beside the device's name.
    fileprivate var inShort: String {
        switch self {
        case .noDevice, .unknownDevice, .lost: "there is no such device"
        case .busy: "in use by another program"
        case .notPermitted: "no permission: is this user in the group 'audio'?"
        case .unsupportedConfiguration(_, let reason): reason
        case .standsStill: "stands still"
        case .cannotWrite(_, let reason): reason
        case .failed(_, let operation, let code, let reason): "cannot \(operation): \(reason) (\(code))"
        }
    }
}
