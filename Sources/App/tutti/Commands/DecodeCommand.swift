import Glibc
import HostSystem
import Synchronization
import TerminalIO
import TuttiRuntime

/// `tutti decode FILE OUT.wav`
struct DecodeCommand: Command {
    static let float = CommandSyntax.Option.flag("--float", "Write 32-bit floats also where the file has integers.")

    static let syntax = CommandSyntax(
        name: "decode",
        summary: "Writes the frames that a listener would put out to a WAVE file.",
        operands: [
            .init(name: "FILE", isRequired: true, help: "An audio file.", candidates: .files),
            .init(
                name: "OUT.wav", isRequired: true,
                help: "Where to write; - is standard output. A file of that name is replaced when all is decoded.",
                candidates: .files),
        ],
        options: [float, .help],
        notes: [
            "Without loss as the file has it: PCM, FLAC and ALAC in their own width (up to 32 bits, exactly; a listener "
                + "puts out 24 of them), mu-law, A-law and IMA ADPCM in 16 bits. Lossy codecs (MP3, AAC, Vorbis, Opus, AC-3, AMR) have no "
                + "width of their own: they are written as 32-bit floats always. What the encoder padded is cut off.",
            "Above 4 GiB the file is RF64.",
            "Of an Ogg chain all links are written, one behind the other, up to one of another sample rate or with other "
                + "channels, which a WAVE file cannot hold: a line says from which byte on the rest is left out.",
            "Exit code: 0 when all was written, 130 after Ctrl-C (128 + N after signal N), 64 for a wrong command "
                + "line, 65 for a file that cannot be decoded or of which something was left out, 66 for a missing one, 73 "
                + "where nothing can be written.",
        ],
        examples: [
            .init(command: "tutti decode song.flac song.wav", meaning: "in FLAC's own bit depth"),
            .init(command: "tutti decode --float song.wav - | sox - -n stat", meaning: "into a pipe"),
        ])

    let path: String
    let output: String
    let isFloat: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        path = arguments.operands[0]
        output = arguments.operands[1]
        guard !path.isEmpty, !output.isEmpty else { throw UsageError("a file's name is empty") }
        isFloat = arguments.has(Self.float)
    }

    func run() -> Int32 {
        if output == "-", StandardStream.output.isTerminal {
            StandardStream.error.write("tutti: standard output is a terminal; name a file or a pipe\n")
            return RuntimeFailure.Kind.cannotCreate.rawValue
        }
        // Signals are blocked, so that a half-written file is removed.
        SignalWatcher.block()
        let interruption = Interruption()
        do throws(HostThreadError) {
            try SignalWatcher.start { signal in
                switch signal {
                case SIGTSTP: kill(getpid(), SIGSTOP)
                case SIGCONT, SIGWINCH, SIGQUIT: break
                default: interruption.raise(signal, now: .now())
                }
            }
        } catch {
            StandardStream.error.write("tutti: the system cannot start another thread\n")
            return RuntimeFailure.Kind.general.rawValue
        }
        do throws(RuntimeFailure) {
            let outcome = try SongTools.decode(
                path: path, to: output, asFloat: isFloat, isStopped: { interruption.signal != nil })
            for problem in outcome.warnings {
                StandardStream.error.write("tutti: '\(path)': \(problem)".terminalSafe + "\n")
            }
            return outcome.omission == nil ? 0 : RuntimeFailure.Kind.unusableInput.rawValue
        } catch {
            if let signal = interruption.signal { return 128 + signal }
            SessionRunner.report(error)
            return error.kind.rawValue
        }
    }
}

extension SongTools.DecodingOutcome {
    /// What was skipped, and what became silence.
    fileprivate var warnings: [String] {
        problems
            + (damagedPacketCount > 0
                ? ["\(damagedPacketCount) damaged packet\(damagedPacketCount == 1 ? "" : "s") became silence"] : [])
            + (omission.map { [$0] } ?? [])
    }
}
