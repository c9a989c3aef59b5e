import TOML

/// All places of the configuration, the weakest first: files for all users, the user's own, the environment. The
/// command line is stronger than all of them.
///
/// A value of a stronger layer replaces all of a weaker one. Within a layer that of one command's table, or variable,
/// replaces what is for all commands.
struct ConfigurationLayers: Sendable {
    /// The weakest first, also those that are not there.
    let files: [ConfigurationFile]
    private let variable: @Sendable (String) -> String?

    /// No file, no variable.
    static let none = ConfigurationLayers(files: []) { _ in nil }

    private init(files: [ConfigurationFile], variable: @escaping @Sendable (String) -> String?) {
        self.files = files
        self.variable = variable
    }

    /// Reads all files. Where there are none this takes a few failed calls of open(2).
    static func load(environment: ConfigurationEnvironment = .standard) -> ConfigurationLayers {
        if let text = environment.variable(ConfigurationEnvironment.ignoringVariable),
            ConfigurationEnvironment.toggle(text) == true
        {
            return .none
        }
        let directories = [environment.systemDirectory] + [environment.userDirectory].compactMap(\.self)
        return ConfigurationLayers(
            files: directories.flatMap(ConfigurationFile.files(in:)), variable: environment.variable)
    }

    /// Returns what there is for a command, before the command itself has looked at it.
    func settings(for syntax: CommandSyntax) -> ConfigurationSettings {
        var settings = ConfigurationSettings()
        let keys = ConfigurationKeys(syntax)
        for (layer, file) in files.enumerated() {
            switch file.content {
            case .absent: break
            case .unreadable(let reason):
                settings.note(
                    .init(place: .file(file.path, line: nil), key: nil, problem: "it cannot be read: \(reason)"))
            case .document(let document):
                LayerReading(path: file.path, layer: layer, keys: keys).read(document, into: &settings)
            }
        }
        addVariables(keys.own, of: syntax.name, to: &settings)
        return settings
    }

    private func addVariables(_ keys: [ConfigurationKey], of command: String, to settings: inout ConfigurationSettings)
    {
        for key in keys {
            for name in [key.variable, key.variable(of: command)].compactMap(\.self) {
                guard let text = variable(name) else { continue }
                let place = ConfigurationPlace.variable(name)
                if let words = Self.words(text, for: key) {
                    settings.add(.init(key: key, words: words, place: place, layer: files.count))
                } else {
                    settings.note(.init(place: place, key: nil, problem: "takes true or false, not '\(text)'"))
                }
            }
        }
    }

    /// Returns nil for what is neither true nor false.
    private static func words(_ text: String, for key: ConfigurationKey) -> [String]? {
        switch key.kind {
        case .toggle: ConfigurationEnvironment.toggle(text).map { $0 ? [""] : [] }
        case .value: [text]
        case .values: text.split(separator: "\n").map(String.init)
        }
    }
}
