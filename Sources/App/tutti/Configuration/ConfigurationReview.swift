/// What the configuration is for all commands: what each would take of it, and all mistakes.
struct ConfigurationReview {
    struct Entry {
        let command: String
        let setting: ConfigurationSetting
    }

    private(set) var entries: [Entry] = []
    /// Each once, by files, lines and keys.
    private(set) var mistakes: [ConfigurationMistake] = []

    /// - Parameter command: the only one to look at; nil for all.
    init(of layers: ConfigurationLayers, command name: String?) {
        for command in Tutti.commands where name == nil || command.syntax.name == name {
            add(Self.settings(command, layers), command.syntax)
        }
        mistakes.sort { ($0.place.description, $0.key ?? "") < ($1.place.description, $1.key ?? "") }
        mistakes.sort { $0.place.fileAndLine < $1.place.fileAndLine }
    }

    private mutating func add(_ settings: ConfigurationSettings, _ syntax: CommandSyntax) {
        entries += syntax.configurationKeys.compactMap { settings.strongest($0) }.map {
            Entry(command: syntax.name, setting: $0)
        }
        for mistake in settings.mistakes where !mistakes.contains(mistake) { mistakes.append(mistake) }
    }

    /// Returns what a command leaves of its settings when it is called in a usual way.
    private static func settings<Content: Command>(
        _ command: Content.Type, _ layers: ConfigurationLayers
    ) -> ConfigurationSettings {
        let settings = layers.settings(for: command.syntax)
        let hasOperand = command.syntax.operands.contains { $0.key != nil && settings.words[$0.name] != nil }
        let words = hasOperand ? [] : command.syntax.usualWords
        return (try? ConfiguredCommand<Content>(words, layers))?.settings ?? settings
    }
}

extension CommandSyntax {
    /// Operands with which the command can be called.
    var usualWords: [String] {
        switch name {
        case "broadcast", "play", "inspect", "search": ["song.mp3"]
        case "record": ["song.wav"]
        case "decode": ["song.mp3", "song.wav"]
        case "seek": ["1:30"]
        case "volume": ["40"]
        case "offset": ["Kitchen", "0"]
        case "role": ["Kitchen", "stereo"]
        default: []
        }
    }
}

extension ConfigurationPlace {
    fileprivate var fileAndLine: (String, Int) {
        switch self {
        case .file(let path, let line): (path, line ?? 0)
        // Behind all files.
        case .variable(let name): ("~" + name, 0)
        }
    }
}
