import AudioCore
import ProgrammeJSON
import TerminalIO
import TuttiRuntime

/// `tutti config [COMMAND]`
struct ConfigCommand: Command {
    static let check = CommandSyntax.Option.flag(
        "--check", "Say what is wrong, a line each, for all commands; exit code 1 if anything is."
    ).scoped(.nowhere)
    static let files = CommandSyntax.Option.flag(
        "--files", "List the files that are looked for, the weakest first, and which of them are there."
    ).scoped(.nowhere)

    static let syntax = CommandSyntax(
        name: "config",
        summary: "Shows which options the configuration gives, and from where.",
        operands: [.init(name: "COMMAND", isRequired: false, help: "Only what this command takes of it.")],
        options: [check, files, DisplayFlags.json.scoped(.nowhere), .help],
        notes: [
            "Any option can stand in TOML files: /etc/tutti/tutti.toml, the files of /etc/tutti/tutti.toml.d, "
                + "~/.config/tutti/tutti.toml ($XDG_CONFIG_HOME), and those of tutti.toml.d beside it; later ones are "
                + "stronger. A key is an option without its dashes, such as max-volume = 60 or no-mdns = true. Above "
                + "all tables it is for every command that has the option, below [join] for 'tutti join' alone.",
            "The environment is stronger: TUTTI_MAX_VOLUME, or TUTTI_JOIN_MAX_VOLUME for one command; and the command "
                + "line is strongest: --no-mdns=false turns off what the configuration turns on.",
            "A line with a mistake counts as not written; every command that it concerns warns of it.",
            "Exit code: 0; 1 for mistakes, with --check; 64 for a wrong command line.",
        ],
        examples: [
            .init(command: "tutti config", meaning: "all that is in force"),
            .init(command: "tutti config join", meaning: "what 'tutti join' takes of it"),
            .init(command: "tutti config --check", meaning: "before a service is reloaded"),
            .init(command: "tutti --no-configuration join", meaning: "as if there were none"),
        ])

    enum Request: Hashable {
        case list(command: String?)
        case check(command: String?)
        case files
    }

    let request: Request
    let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        let command = arguments.operand
        if let command, !ConfigurationKeys.isCommand(command) {
            let near = command.nearest(among: Tutti.commands.map { $0.syntax.name })
            throw UsageError("there is no command '\(command)'" + (near.map { "; did you mean '\($0)'?" } ?? ""))
        }
        isJSON = arguments.has(DisplayFlags.json)
        switch (arguments.has(Self.check), arguments.has(Self.files)) {
        case (true, true): throw UsageError(exclusive: [Self.check, Self.files])
        case (true, false): request = .check(command: command)
        case (false, true): request = .files
        case (false, false): request = .list(command: command)
        }
    }

    func run() -> Int32 {
        let layers = ConfigurationLayers.load()
        switch request {
        case .list(let command): list(ConfigurationReview(of: layers, command: command))
        case .check(let command): return check(ConfigurationReview(of: layers, command: command), layers)
        case .files: list(layers.files)
        }
        return 0
    }

    private func list(_ review: ConfigurationReview) {
        for mistake in review.mistakes { SessionRunner.warn("\(mistake)") }
        guard !isJSON else { return ListOutput.write(review.entries.map(\.json)) }
        guard !review.entries.isEmpty else {
            StandardStream.output.write("The configuration gives no options. 'tutti config --files' lists its files.\n")
            return
        }
        ListOutput.write(Self.table(review.entries, home: StateDirectory.home()))
    }

    static func table(_ entries: [ConfigurationReview.Entry], home: String?) -> Table {
        var table = Table(columns: [.init(title: "option", dropOrder: 0), .init(title: "from", dropOrder: 1)])
        table.rows = entries.map { entry in
            let setting = entry.setting
            return [
                .init(text: "\(entry.command).\(setting.key.key) = \(setting.valueText)".terminalSafe),
                .init(text: setting.place.shortened(home: home).terminalSafe),
            ]
        }
        return table
    }

    private func check(_ review: ConfigurationReview, _ layers: ConfigurationLayers) -> Int32 {
        if isJSON {
            ListOutput.write(review.mistakes.map(\.json))
        } else if review.mistakes.isEmpty {
            let count = layers.files.count { $0.content != .absent }
            StandardStream.output.write("No mistakes in \(count) \(count == 1 ? "file" : "files").\n")
        } else {
            StandardStream.output.write(review.mistakes.map { "\($0)".terminalSafe + "\n" }.joined())
        }
        return review.mistakes.isEmpty ? 0 : 1
    }

    private func list(_ files: [ConfigurationFile]) {
        if isJSON {
            return ListOutput.write(
                files.map { .object(["file": .string($0.path), "state": .string($0.content.reading)]) })
        }
        var table = Table(columns: [.init(title: "file", dropOrder: 0), .init(title: "state", dropOrder: 1)])
        table.rows = files.map { [.init(text: $0.path.terminalSafe), .init(text: $0.content.reading)] }
        ListOutput.write(table)
    }
}

extension ConfigurationReview.Entry {
    fileprivate var json: JSONValue {
        let members: [JSONValue.Member] = [
            .init(key: "command", value: .string(command)), .init(key: "key", value: .string(setting.key.key)),
            .init(key: "value", value: setting.json),
        ]
        return .object(members + setting.place.json)
    }
}

extension ConfigurationMistake {
    fileprivate var json: JSONValue {
        let members: [JSONValue.Member] = [
            .init(key: "key", value: .optional(key)),
            .init(key: "message", value: .string(problem.withoutCredentials)),
        ]
        return .object(place.json + members)
    }
}

extension ConfigurationFile.Content {
    fileprivate var reading: String {
        switch self {
        case .absent: "not there"
        case .unreadable(let reason): "cannot be read: \(reason)"
        case .crowded: "has too many files"
        case .document(let document): document.problems.isEmpty ? "read" : "read, with mistakes"
        }
    }
}
