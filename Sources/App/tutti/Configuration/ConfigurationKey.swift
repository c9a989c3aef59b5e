/// A key of the configuration: an option without its dashes, or an operand that has a key.
struct ConfigurationKey: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// true or false.
        case toggle
        case value
        /// One value, or an array of them.
        case values
    }

    let key: String
    /// The option's or the operand's own: `--device`, `SONG`.
    let name: String
    let kind: Kind
    /// The value's name in the help; nil for a toggle.
    let valueName: String?
    let scope: ConfigurationScope

    /// The environment variable for every command that has the key; nil if there is none.
    var variable: String? { scope == .everywhere ? Self.variable([key]) : nil }

    /// The environment variable for one command.
    func variable(of command: String) -> String { Self.variable([command, key]) }

    /// - Parameter words: a command, a key, or both.
    static func variable(_ words: [String]) -> String {
        let letters = words.joined(separator: "_").uppercased().map { $0 == "-" ? "_" : $0 }
        return ConfigurationEnvironment.prefix + String(letters)
    }
}

extension CommandSyntax {
    /// What the configuration can give to this command, in the order of its help.
    var configurationKeys: [ConfigurationKey] {
        let operands = operands.compactMap { operand in
            operand.key.map { key in
                ConfigurationKey(
                    key: key, name: operand.name, kind: operand.repeats ? .values : .value, valueName: operand.name,
                    scope: .everywhere)
            }
        }
        return operands
            + options.filter { $0.scope != .nowhere }.map { option in
                ConfigurationKey(
                    key: String(option.name.dropFirst(2)), name: option.name,
                    kind: option.value == nil ? .toggle : option.repeats ? .values : .value, valueName: option.value,
                    scope: option.scope)
            }
    }
}
