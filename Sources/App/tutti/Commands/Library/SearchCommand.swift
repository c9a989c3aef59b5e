import AudioCore
import Controlling
import MusicLibrary
import ProgrammeJSON
import TerminalIO
import TuttiRuntime
import WireProtocol

/// `tutti search QUERY...`
struct SearchCommand: Command {
    static let limit = CommandSyntax.Option.value("--limit", "N", "Show no more than this. Default: 100.")
    static let paths = CommandSyntax.Option.flag("--paths", "Write the files' paths alone, one on each line.")
    static let tabs = CommandSyntax.Option.flag(
        "--tabs",
        "Write a line for each song: path, title, artist, album, album artist, composer, genre, disc, track, year and "
            + "milliseconds, separated by tabs.")
    static let at = CommandSyntax.Option.value(
        "--at", "NAME|HOST[:PORT]", candidates: .names(.peers),
        "Search the library of another member of the household, on which Tutti runs: its name or address.")

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
        options: [at, mostPlayed, limit, paths, tabs, DisplayFlags.json, .help],
        notes: [
            "Case and accents do not count. What fits best comes first; with --paths the songs come album by album.",
            "The folders are read first, if that was not done in the last minute: what is new is found. 'tutti library' shows "
                + "and changes them.",
            "With --at the paths are the other machine's, what fits best always comes first, and there are "
                + "\(WireLimits.foundSongCount) songs at most. With --tabs reading the folders ends after 10 s.",
            "With --json \"artwork\" names the file that holds a song's picture: its own, which is of the kind \"embedded\", "
                + "or one beside it, of the kind \"folder\". It is null without a picture, and with --at.",
            "Exit code: 0 when a song is found, 1 when none is; 64 for a wrong command line, 69 without SQLite, 73, 74 or 75 "
                + "if the index cannot be used. With --at 68 for a machine that is nowhere, 69 for one whose library is for "
                + "others, 74 for a lost connection.",
        ],
        examples: [
            .init(
                command: "tutti search artist:\"nina simone\" little girl", meaning: "by one artist, with both words"),
            .init(command: "tutti search genre:jazz year:1955-1965", meaning: "ten years"),
            .init(command: "tutti search miles --json", meaning: "one JSON object a line"),
            .init(
                command: "tutti search artist:simone --most-played --limit 10", meaning: "her ten most played songs"),
            .init(command: "tutti search --at den nina simone", meaning: "on the machine called den"),
            .init(command: "tutti search -- simone -live", meaning: "none of the live ones"),
        ])

    private static let limits: ClosedRange<Int64> = 1...100_000
    private static let patience = TimeSpan.seconds(10)

    let query: SearchQuery
    let limit: Int
    let form: Form
    /// Nil for this machine's own library.
    let target: ControlTarget?
    let isByPlays: Bool

    enum Form { case table, json, paths, tabs }

    init(_ arguments: CommandArguments) throws(UsageError) {
        query = SearchQuery(arguments: arguments.operands)
        limit = Int(try arguments.integer(Self.limit, in: Self.limits, unit: "songs") ?? 100)
        let forms: [(CommandSyntax.Option, Form)] = [
            (DisplayFlags.json, .json), (Self.paths, .paths), (Self.tabs, .tabs),
        ]
        let given = forms.filter { arguments.has($0.0) }
        form = given.first?.1 ?? .table
        target = arguments.has(Self.at) ? try ControlFlags.target(arguments) : nil
        isByPlays = arguments.has(Self.mostPlayed)
        guard !query.isEmpty else { throw UsageError("there is no word to look for") }
        guard given.count <= 1 else { throw UsageError(exclusive: given.map(\.0)) }
        guard target == nil || !isByPlays else {
            throw UsageError(
                "\(Self.mostPlayed.name) is for this machine's library; leave \(Self.at.name) away",
                exclusive: [Self.mostPlayed.name, Self.at.name])
        }
    }

    func run() -> Int32 {
        SessionRunner.exitCode { () throws(RuntimeFailure) in
            if let target { return try search(at: target) }
            // A program that asks for another machine's user does not wait for a large library to be read.
            let library = try UserLibrary(.onStandardError(atMost: form == .tabs ? Self.patience : nil))
            try library.refresh()
            let plays = isByPlays || form == .json ? PlayCounts.known() : nil
            // One more, to know whether there are more.
            let found =
                isByPlays
                ? try mostPlayed(in: library, plays, limit: limit + 1)
                : try library.search(query, by: form == .paths ? .albums : .relevance, limit: limit + 1)
            guard !found.isEmpty else {
                let advice = try library.advice(for: query, else: "'tutti library' shows the folders")
                throw RuntimeFailure(
                    .general, .other("none of \(try library.songCount()) songs; \(advice)"))
            }
            show(Array(found.prefix(limit)), plays, isCut: found.count > limit)
        }
    }

    /// - Parameter plays: nil where nothing is known of plays, as of another machine's songs.
    func show(_ songs: [FoundSong], _ plays: PlayCounts? = nil, isCut: Bool) {
        switch form {
        case .json: ListOutput.write(songs.map { $0.json(plays) })
        case .paths: StandardStream.output.write(songs.map { $0.path + "\n" }.joined())
        case .tabs: StandardStream.output.write(songs.map { $0.line + "\n" }.joined())
        case .table: ListOutput.write(isByPlays ? Self.table(songs, plays) : Self.table(songs))
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
    fileprivate func json(_ plays: PlayCounts?) -> JSONValue {
        let played = plays.map { $0[path] }
        return .object(
            members + [
                .init(key: "artwork", value: artwork.map { $0.json(ofSong: path) } ?? .null),
                .init(key: "plays", value: .optional(played.map { Int64($0?.count ?? 0) })),
                .init(key: "lastPlayed", value: .optional(played??.last)),
            ])
    }
}

extension FoundSong.Artwork {
    fileprivate func json(ofSong path: String) -> JSONValue {
        switch self {
        case .embedded: .object(["kind": .string("embedded"), "path": .string(path)])
        case .folder(let path): .object(["kind": .string("folder"), "path": .string(path)])
        }
    }
}
