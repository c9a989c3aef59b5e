import TOML

/// All places of the configuration, the weakest first: files for all users, the user's own, the environment. The
/// command line is stronger than all of them.
///
/// A value of a stronger layer replaces all of a weaker one. Within a layer that of one command's table, or variable,
/// replaces what is for all commands.
struct ConfigurationLayers: Sendable {
    /// The weakest first, also those that are not there.
    let files: [ConfigurationFile]
    private let variables: [String: String]

    /// No file, no variable.
    static let none = ConfigurationLayers(files: [], variables: [:])

    private init(files: [ConfigurationFile], variables: [String: String]) {
        self.files = files
        self.variables = variables
    }

    /// Reads all files. Where there are none this takes a few failed calls of open(2).
    static func load(environment: ConfigurationEnvironment = .standard) -> ConfigurationLayers {
        if let text = environment.variables[ConfigurationEnvironment.ignoringVariable],
            ConfigurationEnvironment.toggle(text) == true
        {
            return .none
        }
        let directories = [environment.systemDirectory] + [environment.userDirectory].compactMap(\.self)
        return ConfigurationLayers(
            files: directories.flatMap(ConfigurationFile.files(in:)), variables: environment.variables)
    }

    /// Returns what there is for a command, before the command itself has looked at it.
    func settings(for syntax: CommandSyntax) -> ConfigurationSettings {
        var settings = ConfigurationSettings()
        let keys = ConfigurationKeys(syntax)
        for (layer, file) in files.enumerated() {
            if let problem = file.content.problem {
                settings.note(.init(place: .file(file.path, line: nil), key: nil, problem: problem))
            }
            if case .document(let document) = file.content {
                LayerReading(path: file.path, layer: layer, keys: keys).read(document, into: &settings)
            }
        }
        VariableReading(variables: variables, layer: files.count, keys: keys).read(into: &settings)
        return settings
    }
}
