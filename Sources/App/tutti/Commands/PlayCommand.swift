import AudioCore
import DesktopRemote
import Glibc
import Songs
import TuttiRuntime

/// `tutti play SONG...`
struct PlayCommand: Command {
    static let volume = CommandSyntax.Option.value(
        "--volume", "PERCENT", "From 0 to 100, which leaves samples untouched. Default: 100.")

    static let loudness = CommandSyntax.Option.value(
        "--loudness", "track|album|off", candidates: .choices(["track", "album", "off"]),
        "Make songs equally loud by their ReplayGain or R128 tags, or whole albums; never so that a song clips. "
            + "Default: off.")

    static let syntax = CommandSyntax(
        name: "play",
        summary: "Plays songs on this machine's loudspeakers alone.",
        operands: [
            .init(
                name: CommandSyntax.Operand.song, isRequired: false, repeats: true, key: "song",
                help:
                    "A file, directory or playlist, a FIFO, or - for standard input, as 'tutti broadcast' takes them.",
                candidates: .files)
        ],
        options: SongFlags.options + [volume, loudness, BroadcastCommand.raw] + OutputFlags.options
            + [DesktopFlags.noMediaKeys, DesktopFlags.notify] + DisplayFlags.options + [.help],
        notes: [
            "On a terminal: space pauses and goes on; left and right seek by 5 s; + and -, or up and down, change the volume; m "
                + "mutes; "
                + "n goes to the next song, p to the beginning or the song before; q ends.",
            "The sound card is opened at the first song's rate where it has that; it then gets the very samples of the song.",
            "Exit code: 0 when the last frame of every song was heard and after q, 130 after Ctrl-C (128 + N after signal "
                + "N), 64 for a wrong command line, 65 for a song that cannot be played, 66 for a missing one, 69 for a "
                + "sound card that is not to be had, 1, 73 for other failures.",
        ],
        examples: [
            .init(command: "tutti play song.flac", meaning: "one song"),
            .init(command: "tutti play Music/Album", meaning: "an album in its order"),
            .init(command: "tutti play --random-album --artist \"Nina Simone\"", meaning: "one of her albums"),
            .init(command: "tutti play --output file:heard.wav song.mp3", meaning: "what a sound card would get"),
        ])

    /// The songs, in order.
    let paths: [String]
    /// Songs that follow these.
    let further: SongFlags?
    private(set) var options = PlayOptions()
    let desktop: DesktopRemote.Uses
    let display: DisplayFlags

    init(_ arguments: CommandArguments) throws(UsageError) {
        paths = arguments.operands
        further = try SongFlags(arguments)
        guard !paths.isEmpty || further != nil else { throw UsageError("SONG is missing: tutti play SONG") }
        guard !paths.contains("") else { throw UsageError(valueOf: CommandSyntax.Operand.song, "the name is empty") }
        if let output = try OutputFlags.parse(arguments) { options.output = output }
        if let volume = try arguments.volume(Self.volume) { options.volume = volume }
        options.raw = try BroadcastCommand.raw(arguments)
        options.loudness = try arguments.loudness(Self.loudness)
        desktop = DesktopFlags.uses(arguments)
        display = try DisplayFlags(arguments)
        options.statusInterval = display.statusInterval
    }

    func run() -> Int32 { SongFlags.run(paths, further) { run($0) } }

    private func run(_ songs: [String]) -> Int32 {
        let player = Player(paths: songs, options: options)
        let quit = QuitKey()
        // If the song comes through standard input, keys cannot.
        let session = SessionRunner(
            flags: display, codeWhenInterrupted: { quit.wasPressed ? 0 : 128 + $0 }, readsKeys: !paths.contains("-"))
        return session.run(warnings: []) { _ in
            .init(
                run: { handler throws(RuntimeFailure) in try player.run(handler) }, stop: { player.stop() },
                onKey: { quit.take($0, player) }, desktop: .of(player, desktop))
        }
    }
}
