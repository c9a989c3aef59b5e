/// What Scripts/package puts into manual pages and completions, from the same table as the help:
///
///     tutti help --man [COMMAND | tutti.toml]
///     tutti help --completion bash|zsh|fish
///     tutti help --names KIND              what completions ask for
enum Manual {
    /// Writes what is asked for.
    /// - Parameter words: those behind `tutti help`.
    /// - Returns: the exit code; nil if nothing of the above is asked for.
    static func answer(_ words: ArraySlice<String>) -> Int32? {
        let rest = words.dropFirst()
        guard rest.count <= 1 else { return nil }
        switch words.first {
        case "--man": return write(page(of: rest.first), or: "--man takes a command")
        case "--completion": return write(completion(for: rest.first), or: "--completion takes bash, zsh or fish")
        case "--names":
            let kinds = KnownNames.allCases.map(\.rawValue).joined(separator: ", ")
            guard let names = rest.first.flatMap(KnownNames.init) else {
                return write(nil, or: "--names takes \(kinds)")
            }
            names.write()
            return 0
        default: return nil
        }
    }

    private static func write(_ text: String?, or advice: String) -> Int32 {
        guard let text else {
            StandardStream.error.write("tutti help: \(advice)\n")
            return UsageError.exitCode
        }
        return StandardStream.output.write(text) ? 0 : 1
    }

    /// Returns a manual page; nil if there is none.
    /// - Parameter name: a command, or the configuration's file; nil for the program.
    static func page(of name: String?) -> String? {
        guard let name else { return Tutti.manualPage }
        if name == ConfigurationPage.name { return ConfigurationPage.text(commands) }
        return commands.first { $0.name == name }?.manualPage
    }

    /// Returns a shell's script; nil for a shell without one.
    static func completion(for shell: String?) -> String? {
        switch shell {
        case "bash": BashCompletion.script(commands)
        case "zsh": ZshCompletion.script(commands)
        case "fish": FishCompletion.script(commands)
        default: nil
        }
    }

    private static var commands: [CommandSyntax] { Tutti.commands.map { $0.syntax } }
}
