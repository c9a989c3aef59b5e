import AudioCore
import TuttiRuntime

/// `tutti record OUT.{wav,aiff,caf}`: a sound device, or with `--from BROADCASTER` a broadcast.
struct RecordCommand: Command {
    static let from = CommandSyntax.Option.value(
        "--from", "NAME,...", repeats: true, candidates: .nameList(.peers),
        "Record what these broadcasters play: the first that is found.")
    static let host = CommandSyntax.Option.value(
        "--host", "HOST[:PORT]", "The broadcaster's address; needed only where mDNS does not reach it.")
    static let force = CommandSyntax.Option.flag("--force", "Replace a file of that name.")
    static let seconds = CommandSyntax.Option.value(
        "--seconds", "N", "End after so much. Default: with the broadcast, or at Ctrl-C.")
    static let format = CommandSyntax.Option.value(
        "--format", "16|24|32|float", candidates: .choices(["16", "24", "32", "float"]),
        "Write integers of so many bits, or 32-bit floats. Default: integers in the song's or the device's own width "
            + "where it has one (PCM, FLAC, ALAC and the like), else floats.")
    static let follow = CommandSyntax.Option.flag(
        "--follow", "Go on with the broadcaster's next songs, until Ctrl-C.")
    static let name = CommandSyntax.Option.value(
        "--name", "NAME", "Name on the network. Default: the host name and '(recording)'.")

    static let syntax = CommandSyntax(
        name: "record",
        summary: "Records a sound device or a broadcast into a WAVE, AIFF or CAF file.",
        operands: [
            .init(
                name: "OUT.wav", isRequired: true,
                help: "Where to write: .wav, .aiff (.aif, .aifc) or .caf; the ending says what is written.",
                candidates: .files)
        ],
        options: [from, AccessFlags.broadcast, host, force, seconds, format, follow, name] + CaptureFlags.options
            + NetworkFlags.options
            + DisplayFlags.options
            + [.help],
        notes: [
            "Without --from and --host a sound device is recorded. What it lost is silence of the same length, and "
                + "told; all that was in the air by Ctrl-C is in the file.",
            "Of a broadcast, frame n of the file is frame n of the song; where the song was joined in the middle, the "
                + "first frame is told at the end. What could not be had is silence, and counted. A song comes up to 10 "
                + "s ahead of what is heard: what has come by Ctrl-C is kept.",
            "When the broadcaster is lost, it is waited for 30 s. When it goes on with other music, that is appended; "
                + "another sample rate or other channels begin another file (OUT-2.wav).",
            "The file is whole at any moment, also when this process is killed or the disk is full. Above 4 GiB a WAVE "
                + "file is RF64; an AIFF file ends at 2 GiB.",
            "Exit code: 0 after the broadcast's end or, if anything was recorded, Ctrl-C; 130 after Ctrl-C with "
                + "nothing recorded; 64 for a wrong command line, 65 for music that cannot be decoded, 69 for a port or "
                + "a device that is not to be had, 73 where the file cannot be written, 74 for a lost broadcaster or "
                + "device, 77 when others may use this machine's key.",
        ],
        examples: [
            .init(command: "tutti record evening.wav", meaning: "the default device, until Ctrl-C"),
            .init(
                command: "tutti record --device hw:1 --rate 44100 --seconds 60 minute.aiff",
                meaning: "a minute of a sound card"),
            .init(command: "tutti record --from Attic evening.wav", meaning: "one broadcast of Attic's"),
            .init(command: "tutti record --host 192.168.1.10 --seconds 60 minute.caf", meaning: "a minute, by address"),
        ])

    private enum Source {
        case broadcast(RecordOptions)
        case device(DeviceRecordOptions)
    }

    private let source: Source
    let display: DisplayFlags

    init(_ arguments: CommandArguments) throws(UsageError) {
        guard let path = arguments.operand, !path.isEmpty else { throw UsageError("the file's name is empty") }
        let isBroadcast = arguments.value(of: Self.from) != nil || arguments.value(of: Self.host) != nil
        source =
            isBroadcast
            ? .broadcast(try Self.broadcast(path, arguments)) : .device(try Self.device(path, arguments))
        display = try DisplayFlags(arguments)
    }

    private static func broadcast(
        _ path: String, _ arguments: CommandArguments
    ) throws(UsageError) -> RecordOptions {
        var options = RecordOptions(path: path)
        options.from = try arguments.peerNames(from)
        options.address = try arguments.value(of: host).map { text throws(UsageError) in
            try CommandArguments.address(text, for: host.name)
        }
        try CaptureFlags.refuse(arguments)
        options.replaces = arguments.has(force)
        options.duration = try duration(arguments)
        options.samples = try samples(arguments)
        options.follows = arguments.has(follow)
        options.name = try arguments.peerName(name)
        options.network = try NetworkFlags.parse(arguments)
        return options
    }

    private static func device(
        _ path: String, _ arguments: CommandArguments
    ) throws(UsageError) -> DeviceRecordOptions {
        for option in [follow, name] where arguments.has(option) {
            throw UsageError(
                "\(option.name) is for broadcasts: --from NAME or --host HOST is missing", unfitting: [option])
        }
        var options = DeviceRecordOptions(path: path)
        try CaptureFlags.parse(arguments, into: &options)
        options.replaces = arguments.has(force)
        options.duration = try duration(arguments)
        options.samples = try samples(arguments)
        return options
    }

    private static func duration(_ arguments: CommandArguments) throws(UsageError) -> TimeSpan? {
        try arguments.seconds(seconds, in: 0.001...31_536_000)
    }

    private static func samples(_ arguments: CommandArguments) throws(UsageError) -> RecordOptions.Samples {
        switch arguments.value(of: format) {
        case nil: return .asTheyAre
        case "float": return .float
        case let text?:
            guard let bits = Int(text), [16, 24, 32].contains(bits) else {
                throw UsageError(format, "takes 16, 24, 32 or float, not '\(text)'")
            }
            return .integer(bits: bits)
        }
    }

    func run() -> Int32 {
        let session = SessionRunner(flags: display, codeWhenInterrupted: { 128 + $0 })
        return session.run(warnings: []) { identity throws(RuntimeFailure) in
            switch source {
            case .broadcast(var options):
                options.pins = PinFile.standard()
                let recorder = try Recorder(options: options, identity: identity())
                return .init(
                    run: { handler throws(RuntimeFailure) in try recorder.run(handler) }, stop: { recorder.stop() })
            case .device(let options):
                let recorder = DeviceRecorder(options: options)
                return .init(
                    run: { handler throws(RuntimeFailure) in try recorder.run(handler) }, stop: { recorder.stop() })
            }
        }
    }
}
