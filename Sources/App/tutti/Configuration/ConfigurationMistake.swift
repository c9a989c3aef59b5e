import AudioCore

/// Where a value of the configuration stands.
enum ConfigurationPlace: Hashable, Sendable {
    /// A line of a file; no line for the file itself.
    case file(String, line: Int?)
    /// An environment variable.
    case variable(String)
}

extension ConfigurationPlace: CustomStringConvertible {
    /// `/etc/tutti/tutti.toml:5`, or the variable's name.
    var description: String {
        switch self {
        case .file(let path, let line): path + (line.map { ":\($0)" } ?? "")
        case .variable(let name): name
        }
    }
}

/// What is wrong with a line of the configuration, which then counts as not written.
struct ConfigurationMistake: Hashable, Sendable {
    let place: ConfigurationPlace
    /// Nil where no key can be told.
    let key: String?
    let problem: String

    /// Whether somebody can mend it while the process runs.
    var isOfFile: Bool { if case .file = place { true } else { false } }
}

extension ConfigurationMistake: CustomStringConvertible {
    /// `FILE:LINE: KEY: what is wrong`, without credentials.
    var description: String {
        let parts = [place.description, key, problem].compactMap(\.self)
        return parts.joined(separator: ": ").withoutCredentials
    }
}
