import Songs
import TuttiRuntime

/// `tutti inspect FILE...`
struct InspectCommand: Command {
    static let syntax = CommandSyntax(
        name: "inspect",
        summary: "Explains audio files, and says what is wrong with them.",
        operands: [
            .init(
                name: "FILE", isRequired: true, repeats: true, help: "An audio file; it is read whole.",
                candidates: .files)
        ],
        options: partOptions + [DisplayFlags.json, .help],
        notes: [
            "What was passed over in a file (damaged bytes, a missing end) is listed with its byte offset; of a file "
                + "that cannot be played one line says why and where.",
            "--json writes one object a file: file, playable, container, codec, profile, sampleRate, channels, "
                + "frameCount (after trims), packetCount, durationSeconds, bitRate, tags, problems, and more; what is "
                + "not known is null.",
            "Of an Ogg chain whose links need decoders of their own the first is explained, and at which byte the next "
                + "one begins, which is played as a further song (nextSongOffset).",
            lyricsNote, artworkNote, levelsNote,
            "Exit code: 0 when all can be played, else 65 for a file that cannot and 66 for a missing one (the first "
                + "that occurs); 1 when there are no lyrics or no picture; 64 for a wrong command line.",
        ],
        examples: [
            .init(command: "tutti inspect song.m4a", meaning: "all that there is to know of it"),
            .init(command: "tutti inspect --json *.mp3", meaning: "one JSON object a line"),
            .init(command: "tutti inspect --lyrics song.flac", meaning: "its words"),
            .init(command: "tutti inspect --artwork song.mp3 > cover", meaning: "its picture"),
        ])

    let paths: [String]
    let isJSON: Bool
    let part: Part?

    init(_ arguments: CommandArguments) throws(UsageError) {
        paths = arguments.operands
        guard !paths.contains("") else { throw UsageError("a FILE's name is empty") }
        isJSON = arguments.has(DisplayFlags.json)
        part = try Self.part(arguments)
    }

    func run() -> Int32 {
        if let part { return Self.write(part, of: paths[0]) }
        var code: Int32 = 0
        for (index, path) in paths.enumerated() {
            let facts = SongTools.inspect(path: path)
            if let failure = facts.failure, code == 0 { code = RuntimeFailure(failure).kind.rawValue }
            guard show(facts, isFirst: index == 0) else { return RuntimeFailure.Kind.lost.rawValue }
        }
        return code
    }

    /// Returns false if nobody reads standard output any more.
    private func show(_ facts: SongFacts, isFirst: Bool) -> Bool {
        if isJSON { return StandardStream.output.write(facts.json.text + "\n") }
        if let failure = facts.failure {
            SessionRunner.report(RuntimeFailure(failure))
            return true
        }
        let isColoured = StandardStream.output.isTerminal && Terminal.allowsColour
        let lines = facts.lines.map { $0.rendered(coloured: isColoured) + "\n" }
        return StandardStream.output.write((isFirst ? "" : "\n") + lines.joined())
    }
}
