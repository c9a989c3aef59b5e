import Glibc

/// Where the configuration of a process is looked for.
struct ConfigurationEnvironment: Sendable {
    /// Holds tutti.toml and tutti.toml.d for all users.
    var systemDirectory = "/etc/tutti"
    /// The same for this user: `$XDG_CONFIG_HOME/tutti` (XDG Base Directory Specification), `~/.config/tutti` by
    /// default. Nil without a home directory.
    var userDirectory: String?
    /// Returns an environment variable that is set, and not empty.
    var variable: @Sendable (String) -> String?

    /// That of this process.
    static var standard: ConfigurationEnvironment {
        let home = StateDirectory.home()
        let configuration = StateDirectory.environment("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        return ConfigurationEnvironment(
            userDirectory: (configuration ?? home.map { $0 + "/.config" }).map { $0 + "/tutti" },
            variable: { StateDirectory.environment($0) })
    }

    /// Set to a true value, this has all files and other variables ignored, as `--no-configuration` does.
    static let ignoringVariable = "TUTTI_NO_CONFIGURATION"

    /// A toggle's value in an environment variable; nil if it is none.
    static func toggle(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "1", "true", "yes", "on": true
        case "0", "false", "no", "off": false
        default: nil
        }
    }
}
