import AudioCore
import MusicLibrary
import TerminalIO
import TuttiRuntime

/// `tutti search QUERY...`
struct SearchCommand: Command {
    static let limit = CommandSyntax.Option.value("--limit", "N", "Show no more than this. Default: 100.")
    static let paths = CommandSyntax.Option.flag("--paths", "Write the files' paths alone, one on each line.")

    static let syntax = CommandSyntax(
        name: "search",
        summary: "Finds songs in the music folders.",
        operands: [
            .init(
                name: "QUERY", isRequired: true, repeats: true,
                help:
                    "Words, each the beginning of one in title, artist, album, composer or genre; all must be there. "
                    + "artist:NAME, album:NAME, title:NAME, composer:NAME and genre:NAME look in one of them, "
                    + "year:1990 and year:1990-1999 at the year. Several words in quotation marks follow each other; "
                    + "-WORD, behind a --, must not be there.")
        ],
        options: [limit, paths, DisplayFlags.json, .help],
        notes: [
            "Case and accents do not count. What fits best comes first; with --paths the songs come album by album.",
            "The folders are read first, if that was not done in the last minute: what is new is found. 'tutti library' shows "
                + "and changes them.",
            "Exit code: 0 when a song is found, 1 when none is; 64 for a wrong command line, 69 without SQLite, 73, 74 or 75 "
                + "if the index cannot be used.",
        ],
        examples: [
            .init(
                command: "tutti search artist:\"nina simone\" little girl", meaning: "by one artist, with both words"),
            .init(command: "tutti search genre:jazz year:1955-1965", meaning: "ten years"),
            .init(command: "tutti search miles --json", meaning: "one JSON object a line"),
            .init(command: "tutti search -- simone -live", meaning: "none of the live ones"),
        ])

    private static let limits: ClosedRange<Int64> = 1...100_000

    let query: SearchQuery
    let limit: Int
    let showsPaths: Bool
    let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        query = SearchQuery(arguments: arguments.operands)
        limit = Int(try arguments.integer(Self.limit, in: Self.limits, unit: "songs") ?? 100)
        showsPaths = arguments.has(Self.paths)
        isJSON = arguments.has(DisplayFlags.json)
        guard !query.isEmpty else { throw UsageError("there is no word to look for") }
        guard !showsPaths || !isJSON else { throw UsageError("--paths and --json exclude each other") }
    }

    func run() -> Int32 {
        SessionRunner.exitCode { () throws(RuntimeFailure) in
            let library = try UserLibrary()
            try library.refresh()
            // One more, to know whether there are more.
            let found = try library.search(query, by: showsPaths ? .albums : .relevance, limit: limit + 1)
            guard !found.isEmpty else {
                throw RuntimeFailure(
                    .general, .other("none of \(try library.songCount()) songs; 'tutti library' shows the folders"))
            }
            show(Array(found.prefix(limit)), isCut: found.count > limit)
        }
    }

    private func show(_ songs: [FoundSong], isCut: Bool) {
        if isJSON {
            ListOutput.write(songs.map(\.json))
        } else if showsPaths {
            StandardStream.output.write(songs.map { $0.path + "\n" }.joined())
        } else {
            ListOutput.write(Self.table(songs))
        }
        if isCut { SessionRunner.warn("there are more: --limit N shows them") }
    }

    static func table(_ songs: [FoundSong]) -> Table {
        var table = Table(columns: [
            .init(title: "title", dropOrder: 0),
            .init(title: "artist", dropOrder: 1),
            .init(title: "album", dropOrder: 2),
            .init(title: "year", alignment: .right, dropOrder: 4),
            .init(title: "length", alignment: .right, dropOrder: 3),
        ])
        table.rows = songs.map { song in
            [
                .init(text: song.title.terminalSafe.truncated(to: 48), style: .strong),
                .init(text: (song.artist ?? "").terminalSafe.truncated(to: 32)),
                .init(text: (song.album ?? "").terminalSafe.truncated(to: 40)),
                .init(text: song.year.map { "\($0)" } ?? ""),
                .init(text: song.duration.map(\.clockReading) ?? ""),
            ]
        }
        return table
    }
}

extension FoundSong {
    fileprivate var json: JSONValue {
        .object([
            "path": .string(path), "title": .string(title), "artist": .optional(artist), "album": .optional(album),
            "albumArtist": .optional(albumArtist), "composer": .optional(composer), "genre": .optional(genre),
            "disc": .optional(disc.map(Int64.init)), "track": .optional(track.map(Int64.init)),
            "year": .optional(year.map(Int64.init)),
            "seconds": duration.map { .number($0.seconds, decimals: 3) } ?? .null,
        ])
    }
}
