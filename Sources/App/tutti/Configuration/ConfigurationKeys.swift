import AudioCore

/// Which keys there are, as one command sees them.
struct ConfigurationKeys {
    let command: String
    /// The command's own.
    let own: [ConfigurationKey]
    private let options: [CommandSyntax.Option]
    /// By commands' names.
    private static let all = Tutti.commands.map { ($0.syntax.name, $0.syntax.configurationKeys) }

    init(_ syntax: CommandSyntax) {
        command = syntax.name
        own = syntax.configurationKeys
        options = syntax.options
    }

    static func isCommand(_ name: String) -> Bool { all.contains { $0.0 == name } }

    func key(_ key: String) -> ConfigurationKey? { own.first { $0.key == key } }

    /// Returns the names of the commands that have a key.
    static func commands(with key: String, scope: ConfigurationScope? = nil) -> [String] {
        all.filter { $0.1.contains { $0.key == key && (scope == nil || $0.scope == scope) } }.map(\.0)
    }

    /// Says what is wrong with a key of the command's table that the command does not know.
    func advice(on key: String) -> String {
        if options.contains(where: { $0.name == "--" + key }) { return "it is for the command line alone" }
        if let near = Self.nearest(key, among: own.map(\.key)) { return "no such key; did you mean '\(near)'?" }
        let others = Self.commands(with: key)
        if let other = others.first { return "'tutti \(command)' has no such option; it goes into [\(other)]" }
        return "no such key; 'tutti \(command) --help' names the options"
    }

    /// Says what is wrong with a key above all tables that no command takes there.
    static func advice(onTopLevel key: String) -> String {
        if let command = commands(with: key, scope: .ownTable).first { return "it goes into [\(command)]" }
        let keys = Set(all.flatMap(\.1).filter { $0.scope == .everywhere }.map(\.key)).sorted()
        if let near = nearest(key, among: keys) { return "no such key; did you mean '\(near)'?" }
        if isCommand(key) { return "it is a command; its options stand below [\(key)]" }
        return "no such key; 'tutti COMMAND --help' names the options"
    }

    /// Says what is wrong with a table of no command.
    static func advice(onTable name: String) -> String {
        guard let near = nearest(name, among: all.map(\.0)) else {
            return "no command has this name; 'tutti --help' names all"
        }
        return "no command has this name; did you mean [\(near)]?"
    }

    /// As dashes are often written: `max_volume`, `--max-volume`.
    private static func nearest(_ key: String, among candidates: [String]) -> String? {
        let plain = String(key.lowercased().map { $0 == "_" ? "-" : $0 }.drop { $0 == "-" })
        return candidates.first { $0 == plain } ?? plain.nearest(among: candidates)
    }
}
