import Peering
import TuttiRuntime
import WebRemote

extension Tutti {
    static let purpose =
        "One machine broadcasts a song, others join, and all loudspeakers play the same sample at the same instant."
    static let ports = [
        "Tutti listens on TCP and UDP port \(NetworkAddress.defaultPort), and finds others by mDNS (UDP 5353).",
        "A broadcast has a page for browsers on TCP port \(WebOptions.standardPort).",
    ]
    static let examples: [CommandSyntax.Example] = [
        .init(command: "tutti broadcast song.mp3", meaning: "on the machine that has the song"),
        .init(command: "tutti join", meaning: "on every machine that has loudspeakers"),
        .init(command: "tutti record --from Attic evening.wav", meaning: "a broadcast, into a file"),
        .init(command: "tutti pause", meaning: "silence on all of them, at the same sample"),
        .init(command: "tutti peers", meaning: "who is there, and what is playing"),
        .init(command: "tutti check", meaning: "whether the listeners keep in step"),
        .init(command: "tutti status --qr", meaning: "where the page for browsers is, for phones"),
        .init(command: "tutti inspect song.m4a", meaning: "what the file is, and what is wrong with it"),
    ]

    /// The text of `tutti --help`.
    static var help: String {
        var lines =
            ["Usage: tutti COMMAND [OPTION]...", ""] + purpose.wrapped(width: 80) + [
                "", "Commands:",
            ]
        for command in commands {
            lines += CommandSyntax.entry(command.syntax.name, command.syntax.summary, width: 80, column: 16)
        }
        lines += CommandSyntax.entry("help COMMAND", "Same as tutti COMMAND --help.", width: 80, column: 16)
        lines += [
            "", "Options:", "  --version     Show the version.", "  --help        Show this help.",
            "  --no-configuration  Ignore files and variables of the configuration.", "",
            "Examples:",
        ]
        for example in examples {
            let gap = String(repeating: " ", count: max(3, 30 - example.command.count))
            lines.append("  \(example.command)\(gap)\(example.meaning)")
        }
        lines += [""] + ports
        return lines.joined(separator: "\n") + "\n"
    }
}
