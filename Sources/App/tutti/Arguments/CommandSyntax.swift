/// What a command accepts. The parser and the help both read it.
struct CommandSyntax: Sendable {
    /// A flag of the command line, with or without a value.
    struct Option: Sendable {
        /// The name with its two dashes: `--name`.
        var name: String
        var short: Character?
        /// The value's name in the help; nil for a switch.
        var value: String?
        var repeats = false
        var help: String
        /// What shells offer as its value.
        var candidates = CompletionCandidates.none
        /// Where the configuration can give it.
        var scope = ConfigurationScope.everywhere

        static func flag(_ name: String, short: Character? = nil, _ help: String) -> Option {
            Option(name: name, short: short, value: nil, help: help)
        }

        static func value(
            _ name: String, _ value: String, repeats: Bool = false, candidates: CompletionCandidates = .none,
            _ help: String
        ) -> Option {
            Option(name: name, short: nil, value: value, repeats: repeats, help: help, candidates: candidates)
        }
    }

    /// A word without a flag.
    struct Operand: Sendable {
        var name: String
        var isRequired: Bool
        /// Whether it takes all further words; the last operand only.
        var repeats = false
        /// Its key in the configuration; nil for none. Operands of a command have one key at most.
        var key: String?
        var help: String
        /// What shells offer for it.
        var candidates = CompletionCandidates.none
    }

    struct Example: Sendable {
        var command: String
        var meaning: String
    }

    /// The word after `tutti`.
    var name: String
    var summary: String
    /// In the order of the command line.
    var operands: [Operand]
    var options: [Option]
    /// Paragraphs after the options: exit codes, formats.
    var notes: [String]
    var examples: [Example]
}

extension CommandSyntax.Option {
    static let help = flag("--help", short: "h", "Show this help.").scoped(.nowhere)
}

extension CommandSyntax.Operand {
    /// The name of songs that are named by their files.
    static let song = "SONG"
}
