import AudioCore
import TuttiRuntime

/// `tutti record --from BROADCASTER OUT.{wav,aiff,caf}`
struct RecordCommand: Command {
    static let from = CommandSyntax.Option.value(
        "--from", "NAME,...", repeats: true, "Record what these broadcasters play: the first that is found.")
    static let host = CommandSyntax.Option.value(
        "--host", "HOST[:PORT]", "The broadcaster's address; needed only where mDNS does not reach it.")
    static let force = CommandSyntax.Option.flag("--force", "Replace a file of that name.")
    static let seconds = CommandSyntax.Option.value("--seconds", "N", "End after so much. Default: with the broadcast.")
    static let format = CommandSyntax.Option.value(
        "--format", "16|24|32|float",
        "Write integers of so many bits, or 32-bit floats. Default: integers in the song's own width where it has one "
            + "(PCM, FLAC, ALAC and the like), else floats.")
    static let follow = CommandSyntax.Option.flag(
        "--follow", "Go on with the broadcaster's next songs, until Ctrl-C.")
    static let name = CommandSyntax.Option.value(
        "--name", "NAME", "Name on the network. Default: the host name and '(recording)'.")

    static let syntax = CommandSyntax(
        name: "record",
        summary: "Records a broadcast into a WAVE, AIFF or CAF file, frame by frame as it is on the timeline.",
        operands: [
            .init(
                name: "OUT.wav", isRequired: true,
                help: "Where to write: .wav, .aiff (.aif, .aifc) or .caf; the ending says what is written.")
        ],
        options: [from, host, force, seconds, format, follow, name] + NetworkFlags.options + DisplayFlags.options
            + [.help],
        notes: [
            "Frame n of the file is frame n of the song; where the song was joined in the middle, the first frame is "
                + "told at the end. What could not be had is silence, and counted. A song comes up to 10 s ahead of "
                + "what is heard: what has come by Ctrl-C is kept.",
            "When the broadcaster is lost, it is waited for 30 s. When it goes on with other music, that is appended; "
                + "another sample rate or other channels begin another file (OUT-2.wav).",
            "The file is whole at any moment, also when this process is killed or the disk is full. Above 4 GiB a WAVE "
                + "file is RF64; an AIFF file ends at 2 GiB.",
            "Exit code: 0 after the broadcast's end or, if anything was recorded, Ctrl-C; 130 after Ctrl-C with nothing "
                + "recorded; 64 for a wrong command line, 65 for music that cannot be decoded, 69 for a port that is "
                + "not to be had, 73 where the file cannot be written, 74 for a lost broadcaster.",
        ],
        examples: [
            .init(command: "tutti record --from Attic evening.wav", meaning: "one broadcast of Attic's"),
            .init(command: "tutti record --host 192.168.1.10 --seconds 60 minute.caf", meaning: "a minute, by address"),
        ])

    private(set) var options: RecordOptions
    let display: DisplayFlags

    init(_ arguments: CommandArguments) throws(UsageError) {
        guard let path = arguments.operand, !path.isEmpty else { throw UsageError("the file's name is empty") }
        options = RecordOptions(path: path)
        options.from = try arguments.peerNames(Self.from)
        options.address = try arguments.value(of: Self.host).map { text throws(UsageError) in
            try CommandArguments.address(text, for: Self.host.name)
        }
        guard !options.from.isEmpty || options.address != nil else {
            throw UsageError("whom to record is missing: --from NAME or --host HOST")
        }
        options.replaces = arguments.has(Self.force)
        options.duration = try arguments.seconds(Self.seconds, in: 0.001...31_536_000)
        options.samples = try Self.samples(arguments)
        options.follows = arguments.has(Self.follow)
        options.name = try arguments.peerName(Self.name)
        options.network = try NetworkFlags.parse(arguments)
        display = try DisplayFlags(arguments)
    }

    private static func samples(_ arguments: CommandArguments) throws(UsageError) -> RecordOptions.Samples {
        switch arguments.value(of: format) {
        case nil: return .asTheyAre
        case "float": return .float
        case let text?:
            guard let bits = Int(text), [16, 24, 32].contains(bits) else {
                throw UsageError("--format takes 16, 24, 32 or float, not '\(text)'")
            }
            return .integer(bits: bits)
        }
    }

    func run() -> Int32 {
        let session = SessionRunner(flags: display, codeWhenInterrupted: { 128 + $0 })
        return session.run(warnings: []) { identity in
            let recorder = Recorder(options: options, identity: identity)
            return .init(
                run: { handler throws(RuntimeFailure) in try recorder.run(handler) }, stop: { recorder.stop() })
        }
    }
}
