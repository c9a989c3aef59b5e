/// The table of all keys, for the documentation.
enum ConfigurationTable {
    struct Row: Hashable {
        let key: String
        /// How the value is written: true, "NAME", ["FROM-TO"].
        let value: String
        /// By name, in the order of the help.
        let commands: [String]
        /// For each of these commands; nil where there is one for each command alone.
        let variable: String?
    }

    /// By key; commands that take another kind of value for the same key have a row of their own.
    static var rows: [Row] {
        var rows: [Row] = []
        for command in Tutti.commands {
            for key in command.syntax.configurationKeys {
                let same = rows.firstIndex {
                    $0.key == key.key && $0.value == value(key) && ($0.variable == nil) == (key.variable == nil)
                }
                let earlier = same.map { rows.remove(at: $0).commands } ?? []
                rows.append(
                    Row(
                        key: key.key, value: value(key), commands: earlier + [command.syntax.name],
                        variable: key.variable))
            }
        }
        return rows.sorted { ($0.key, $0.value) < ($1.key, $1.value) }
    }

    /// As Markdown.
    static var markdown: String {
        let head = ["| key | value | commands | environment |", "|---|---|---|---|"]
        let lines = rows.map { row in
            let variable = row.variable ?? ConfigurationTable.ownVariable(row)
            let value = row.value.map { $0 == "|" ? "\\|" : String($0) }.joined()
            let commands = row.commands.joined(separator: ", ") + (row.variable == nil ? " (in its table alone)" : "")
            return "| `\(row.key)` | `\(value)` | \(commands) | `\(variable)` |"
        }
        return (head + lines).joined(separator: "\n") + "\n"
    }

    private static func ownVariable(_ row: Row) -> String {
        let letters = "\(row.commands[0])_\(row.key)".uppercased().map { $0 == "-" ? "_" : $0 }
        return "TUTTI_" + String(letters)
    }

    private static func value(_ key: ConfigurationKey) -> String {
        switch key.kind {
        case .toggle: "true"
        case .value: key.valueName ?? ""
        case .values: "[\(key.valueName ?? "")]"
        }
    }
}
