import ALSADevices

/// A device of ALSA, as `tutti devices` shows it.
public struct DeviceEntry: Hashable, Sendable {
    /// As `--device` takes it.
    public var name: String
    /// For people, one line.
    public var description: String
    /// What a sound card takes without conversion; nil for devices made by ALSA's configuration, and where
    /// ``trouble`` says why it cannot be opened now.
    public var capabilities: Capabilities?
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
    /// All output devices that ALSA names, in its order. Opens every sound card for a moment.
    public static func outputs() -> [DeviceEntry] { ALSADevice.all().map(DeviceEntry.init) }

    /// All devices that record, likewise.
    public static func inputs() -> [DeviceEntry] {
        ALSADevice.all(.capture).map { device in
            var entry = DeviceEntry(device)
            entry.records = true
            return entry
        }
    }
}

extension DeviceEntry {
    fileprivate init(_ device: ALSADevice) {
        self.init(
            name: device.name, description: device.details,
            capabilities: device.capabilities.map {
                Capabilities(sampleFormats: $0.sampleFormats, ratesHertz: $0.rates, channels: $0.channels)
            },
            trouble: device.trouble.map { "\($0)" })
    }
}
