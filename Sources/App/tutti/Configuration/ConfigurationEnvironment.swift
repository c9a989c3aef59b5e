/// Where the configuration of a process is looked for.
struct ConfigurationEnvironment: Sendable {
    /// Holds tutti.toml and tutti.toml.d for all users.
    var systemDirectory = "/etc/tutti"
    /// The same for this user: `$XDG_CONFIG_HOME/tutti` (XDG Base Directory Specification), `~/.config/tutti` by
    /// default. Nil without a home directory.
    var userDirectory: String?
    /// By their names: environment variables that begin with ``prefix``. An empty one counts as not set.
    var variables: [String: String]

    /// That of this process.
    static var standard: ConfigurationEnvironment {
        let home = StateDirectory.home()
        let configuration = StateDirectory.environment("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        return ConfigurationEnvironment(
            userDirectory: (configuration ?? home.map { $0 + "/.config" }).map { $0 + "/tutti" },
            variables: variables(in: ProcessEnvironment.entries(beginningWith: prefix)))
    }

    /// - Parameter entries: `NAME=VALUE`. Of two with one name the first counts, as for getenv(3).
    static func variables(in entries: [String]) -> [String: String] {
        let pairs = entries.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
            .filter { $0.count == 2 && !$0[1].isEmpty }
        return Dictionary(pairs.map { (String($0[0]), String($0[1])) }) { first, _ in first }
    }

    static let prefix = "TUTTI_"

    /// Set to a true value, this has all files and other variables ignored, as `--no-configuration` does.
    static let ignoringVariable = prefix + "NO_CONFIGURATION"

    /// A toggle's value in an environment variable; nil if it is none.
    static func toggle(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "1", "true", "yes", "on": true
        case "0", "false", "no", "off": false
        default: nil
        }
    }
}
