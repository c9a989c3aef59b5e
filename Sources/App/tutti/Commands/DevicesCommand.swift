import Playout
import ProgrammeJSON
import TerminalIO
import TuttiRuntime

/// `tutti devices`
struct DevicesCommand: Command {
    static let syntax = CommandSyntax(
        name: "devices",
        summary: "Lists the sound devices that --device takes, for playing and for recording.",
        operands: [],
        options: [DisplayFlags.json, .help],
        notes: [
            "Names that begin with hw: are sound cards themselves, in step to the sample; the others pass through "
                + "ALSA's plugins or a sound server. What a device takes or gives is what it does without conversion.",
            "Left out are names with nothing behind them: cards that are not there, sound servers that do not run.",
            "Exit code: 0, also without any device; 64 for a wrong command line.",
        ],
        examples: [
            .init(command: "tutti devices", meaning: "a table of names and descriptions"),
            .init(command: "tutti devices --json", meaning: "one JSON object a line"),
        ])

    private static let noCard = "no sound card: is one plugged in? 'tutti join --output null' works without."
    private static let notPermitted = """
        no permission to use the sound card: add this user to the group 'audio' (sudo usermod -aG audio $USER), then \
        log in again. 'tutti join --output null' works without.
        """

    let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(DisplayFlags.json)
    }

    func run() -> Int32 {
        let devices = StandardStream.silencingOthers { DeviceList.all() }
        if isJSON {
            ListOutput.write(devices.map(\.json))
        } else if !devices.isEmpty {
            ListOutput.write(Self.table(devices))
        }
        if !devices.contains(where: \.isHeard) {
            let isForbidden = devices.contains(where: \.isForbidden)
            StandardStream.error.write("tutti: \(isForbidden ? Self.notPermitted : Self.noCard)\n")
        }
        return 0
    }

    static func table(_ devices: [DeviceEntry]) -> Table {
        var table = Table(columns: [
            .init(title: "name", dropOrder: 0),
            .init(title: "use", dropOrder: 3),
            .init(title: "takes", dropOrder: 2),
            .init(title: "description", dropOrder: 1),
        ])
        table.rows = devices.map { device in
            [
                .init(text: device.name.terminalSafe, style: .strong),
                .init(text: device.records ? "records" : "plays"),
                .init(text: device.takes.terminalSafe, style: device.trouble == nil ? .plain : .warning),
                .init(text: device.description.terminalSafe),
            ]
        }
        return table
    }
}

extension DeviceEntry {
    fileprivate var isHeard: Bool { !records && capabilities != nil && name != "null" }
    fileprivate var isForbidden: Bool {
        if case .notPermitted = trouble { true } else { false }
    }

    /// `32-bit/24-bit/16-bit, 44.1-192.0 kHz, 2 channels`
    fileprivate var takes: String {
        if let trouble { return trouble.inShort }
        guard let capabilities else { return "" }
        let rates = capabilities.ratesHertz
        let kilohertz = [rates.lowerBound, rates.upperBound].map { (Double($0) / 1_000).fixed(1) }
        let rate = rates.count == 1 ? kilohertz[0] : kilohertz.joined(separator: "-")
        let most = capabilities.channels.upperBound
        let formats = capabilities.sampleFormats.joined(separator: "/")
        return "\(formats.isEmpty ? "" : formats + ", ")\(rate) kHz, \(most) channel\(most == 1 ? "" : "s")"
    }

    fileprivate var json: JSONValue {
        .object([
            "name": .string(name), "direction": .string(records ? "capture" : "playback"),
            "description": .string(description),
            "sampleFormats": .array((capabilities?.sampleFormats ?? []).map { .string($0) }),
            "lowestRateHertz": .integer(capabilities?.ratesHertz.lowerBound),
            "highestRateHertz": .integer(capabilities?.ratesHertz.upperBound),
            "fewestChannels": .integer(capabilities?.channels.lowerBound),
            "mostChannels": .integer(capabilities?.channels.upperBound), "trouble": .optional(trouble?.inShort),
        ])
    }
}

extension OutputDeviceError {
    /// The short form for a list, beside the device's name.
    fileprivate var inShort: String {
        switch self {
        case .noDevice, .unknownDevice, .lost: "there is no such device"
        case .busy: "in use by another program"
        case .notPermitted: "no permission (group audio)"
        case .unsupportedConfiguration(_, let reason): reason
        case .standsStill: "stands still"
        case .cannotWrite(_, let reason): reason
        case .failed(_, let operation, let code, let reason): "cannot \(operation): \(reason) (\(code))"
        }
    }
}

extension JSONValue {
    fileprivate static func integer(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }
}
