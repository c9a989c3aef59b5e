import Controlling
import Songs
import TuttiRuntime
import WebRemote
import WireProtocol

/// `tutti`, and `tutti player`
struct PlayerScreenCommand: Command {
    static let syntax = CommandSyntax(
        name: "player",
        summary: "Opens the player in the terminal; so does 'tutti' alone.",
        operands: [
            .init(
                name: CommandSyntax.Operand.song, isRequired: false, repeats: true, key: "song",
                help: "Songs to play at once, behind all others: files, directories, playlists and URLs.",
                candidates: .files)
        ],
        options: [ControlFlags.at] + OutputFlags.options + PageFlags.certificateOptions + [.help],
        notes: [
            "It shows and commands a broadcast: this machine's own, else the one that it listens to, else the only one on the "
                + "network. If there is none it begins one, which plays on this machine and on all that join, and ends "
                + "with the player. --device, --output and --certificate are for that one.",
            "Pages: the queue, the library (with search as you type), the listeners. ? shows all keys; the mouse selects, "
                + "seeks and scrolls.",
            "Exit code: 0; 64 without a terminal, or if several broadcasts could be meant; 65 for a certificate without "
                + "use, 66 for a missing one, 68 for a broadcast that is "
                + "nowhere, 69 for a port that is not to be had, 74 for a lost terminal, 77 for what the broadcaster "
                + "does not allow, or when others may use this machine's key.",
        ],
        examples: [
            .init(command: "tutti", meaning: "what plays, or music to choose from"),
            .init(command: "tutti player song.mp3", meaning: "plays it, here and on all that join"),
            .init(command: "tutti player --at Attic", meaning: "the broadcast of another machine"),
        ])

    let target: ControlTarget
    let output: OutputSelection?
    let certificate: PageCertificate.Files?
    let songs: [String]

    init(_ arguments: CommandArguments) throws(UsageError) {
        songs = arguments.operands
        guard !songs.contains(""), !songs.contains("-") else {
            throw UsageError(valueOf: CommandSyntax.Operand.song, "it is a file, a directory, a playlist or a URL")
        }
        target = try ControlFlags.target(arguments)
        output = try OutputFlags.parse(arguments)
        certificate = try PageFlags.certificateFiles(arguments)
    }

    func run() -> Int32 {
        SignalWatcher.block()
        guard let terminal = Terminal(readsKeys: true, isWhole: true) else {
            SessionRunner.report(
                RuntimeFailure(
                    .usage, .other("the player needs a terminal; 'tutti status' and 'tutti queue' need none")))
            return RuntimeFailure.Kind.usage.rawValue
        }
        return SessionRunner.exitCode { () throws(RuntimeFailure) in
            var page = WebOptions()
            page.certificate = try PageFlags.certificate(in: certificate)
            let own = OwnBroadcast.Options(output: output, page: page)
            try PlayerSession(target: target, own: own, opening: sources(), terminal: terminal).run()
        }
    }

    private func sources() throws(RuntimeFailure) -> [ItemSource] {
        do throws(SongFailure) {
            return songs.isEmpty ? [] : try QueuedSongs(songs).sources
        } catch {
            throw RuntimeFailure(error)
        }
    }
}
