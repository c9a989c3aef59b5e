import AudioCore
import ProgrammeJSON

extension ConfigurationSetting {
    /// The value as TOML has it, on one line, without credentials.
    var valueText: String {
        switch key.kind {
        case .toggle: words.isEmpty ? "false" : "true"
        case .value: Self.quoted(words.last ?? "")
        case .values:
            words.count == 1 ? Self.quoted(words[0]) : "[" + words.map(Self.quoted).joined(separator: ", ") + "]"
        }
    }

    /// Without credentials.
    var json: JSONValue {
        switch key.kind {
        case .toggle: .bool(!words.isEmpty)
        case .value: .string((words.last ?? "").withoutCredentials)
        case .values: .array(words.map { .string($0.withoutCredentials) })
        }
    }

    private static func quoted(_ text: String) -> String {
        if let number = Int64(text), "\(number)" == text { return text }
        let escaped = text.withoutCredentials.unicodeScalars.map { scalar in
            if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
            guard scalar.properties.generalCategory == .control else { return String(scalar) }
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "\"" + escaped.joined() + "\""
    }
}

extension ConfigurationPlace {
    /// Members of a JSON object: `file` and `line`, or `variable`.
    var json: [JSONValue.Member] {
        switch self {
        case .file(let path, let line):
            [
                .init(key: "file", value: .string(path)),
                .init(key: "line", value: line.map { .integer(Int64($0)) } ?? .null),
            ]
        case .variable(let name): [.init(key: "variable", value: .string(name))]
        }
    }

    /// The place with `~` for a home directory.
    func shortened(home: String?) -> String {
        let text = description
        guard case .file = self, let home, text.hasPrefix(home + "/") else { return text }
        return "~" + text.dropFirst(home.count)
    }
}
