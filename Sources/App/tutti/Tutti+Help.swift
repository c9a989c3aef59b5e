import Peering
import TuttiRuntime
import WebRemote

extension Tutti {
    /// The text of `tutti --help`.
    static var help: String {
        var lines = [
            "Usage: tutti COMMAND [OPTION]...", "",
            "One machine broadcasts a song, others join, and all loudspeakers play the same",
            "sample at the same instant.",
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
            "  tutti broadcast song.mp3      on the machine that has the song",
            "  tutti join                    on every machine that has loudspeakers",
            "  tutti record --from Attic evening.wav   a broadcast, into a file",
            "  tutti pause                   silence on all of them, at the same sample",
            "  tutti peers                   who is there, and what is playing",
            "  tutti check                   whether the listeners keep in step",
            "  tutti status --qr             where the page for browsers is, for phones",
            "  tutti inspect song.m4a        what the file is, and what is wrong with it", "",
            "Tutti listens on TCP and UDP port \(NetworkAddress.defaultPort), and finds others by mDNS (UDP 5353).",
            "A broadcast has a page for browsers on TCP port \(WebOptions.standardPort).",
        ]
        return lines.joined(separator: "\n") + "\n"
    }
}
