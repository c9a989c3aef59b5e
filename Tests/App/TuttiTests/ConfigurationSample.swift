import Glibc
import StreamTestKit

@testable import tutti

/// A configuration of files in a directory of its own, and of variables: nothing of this machine's.
struct ConfigurationSample: ~Copyable {
    private let directory = TemporaryDirectory()
    var variables: [String: String] = [:]

    var system: String { directory.path + "/etc" }
    var user: String { directory.path + "/user" }

    init() {
        for path in [system, user, system + "/tutti.toml.d", user + "/tutti.toml.d"] { mkdir(path, 0o700) }
    }

    func write(_ text: String, to path: String) throws { try Tool.writeFile(path, Array(text.utf8)) }

    /// The user's tutti.toml.
    func write(_ text: String) throws { try write(text, to: user + "/tutti.toml") }

    var layers: ConfigurationLayers {
        .load(
            environment: ConfigurationEnvironment(
                systemDirectory: system, userDirectory: user, variables: variables))
    }

    func command<Content: tutti.Command>(
        _ command: Content.Type, _ words: String...
    ) throws(UsageError) -> ConfiguredCommand<Content> {
        try ConfiguredCommand<Content>(words, layers)
    }

    /// As they are printed, without the directory.
    func mistakes(_ mistakes: [ConfigurationMistake]) -> [String] {
        mistakes.map { mistake in
            let text = "\(mistake)"
            return text.hasPrefix(directory.path + "/") ? String(text.dropFirst(directory.path.count + 1)) : text
        }
    }
}
