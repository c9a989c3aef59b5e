import AudioCore

// A variable that begins as Tutti's do need not be an option's: scripts and other programs have theirs, and none of
// them is listed anywhere. So one that is nobody's is spoken of only if it can hardly be meant otherwise: it is a
// typing error or two away from a right one, or begins with a command's name, as TUTTI_JOIN_ does.

/// What is said to one command of environment variables that are probably misspelt.
struct VariableAdvice {
    private let command: String
    /// Those that the command takes.
    private let own: Set<String>
    /// Those of all commands, the own ones first: of two that are equally near, the first is meant.
    private let right: [(name: String, word: [Character])]

    private static let all = Set(
        Tutti.commands.flatMap { names(of: $0.syntax.configurationKeys, $0.syntax.name) }
            + [ConfigurationEnvironment.ignoringVariable])
    /// Longer ones are no typing errors.
    private static let nameCountLimit = 64
    /// In words that are shorter two errors leave too little to tell which word it was.
    private static let longWordCount = 6

    init(_ keys: ConfigurationKeys) {
        command = keys.command
        own = Set(Self.names(of: keys.own, command) + [ConfigurationEnvironment.ignoringVariable])
        right = (own.sorted() + Self.all.subtracting(own).sorted()).map { ($0, Self.word($0)) }
    }

    private static func names(of keys: [ConfigurationKey], _ command: String) -> [String] {
        keys.flatMap { [$0.variable, $0.variable(of: command)].compactMap(\.self) }
    }

    /// The letters behind the prefix, which all have: it is no likeness.
    private static func word(_ name: String) -> [Character] {
        Array(name.dropFirst(ConfigurationEnvironment.prefix.count))
    }

    /// Whether some command takes it.
    static func isRight(_ name: String) -> Bool { all.contains(name) }

    /// Says what is wrong with a variable; nil if nothing is, or if it does not concern the command.
    func problem(with name: String) -> String? {
        guard !Self.isRight(name), name.count <= Self.nameCountLimit else { return nil }
        if let near = nearest(to: name) {
            return own.contains(near) ? "no such variable; did you mean \(near)?" : nil
        }
        guard name.uppercased().hasPrefix(ConfigurationKey.variable([command, ""])) else { return nil }
        return "no such variable; 'tutti \(command) --help' names the options"
    }

    private func nearest(to name: String) -> String? {
        let word = Self.word(name.uppercased())
        let limit = word.count < Self.longWordCount ? 1 : 2
        var distances = EditDistance(to: word)
        let near = right.compactMap { name, word in
            distances.distance(of: word, atMost: limit).map { (distance: $0, name: name) }
        }
        return near.min { $0.distance < $1.distance }?.name
    }
}
