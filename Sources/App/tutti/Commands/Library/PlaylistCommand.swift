import AudioCore
import Glibc
import Songs
import TuttiRuntime
import WireProtocol

/// `tutti playlist [save NAME FILE... | show NAME | remove NAME | export NAME [FILE] | import FILE [NAME]]`
struct PlaylistCommand: Command {
    static let append = CommandSyntax.Option.flag("--append", "Of save and import: add to a playlist that is there.")
    static let force = CommandSyntax.Option.flag("--force", "Replace a playlist, or a file, that is there.")
    static let relative = CommandSyntax.Option.flag(
        "--relative", "Of export: name songs below the FILE's directory from there, so that both can move together.")
    static let paths = CommandSyntax.Option.flag("--paths", "Of show: paths and URLs alone, one on each line.")

    static let syntax = CommandSyntax(
        name: "playlist",
        summary: "Lists the saved playlists, shows and changes them.",
        operands: [
            .init(
                name: "WORDS", isRequired: false, repeats: true,
                help:
                    "Nothing: list them. save NAME FILE...: save songs: files, directories, playlists and URLs, or what "
                    + "the options find. show NAME: its songs. remove NAME. export NAME [FILE]: as an M3U8 file. import "
                    + "FILE [NAME]: from M3U, M3U8 or PLS.",
                candidates: .verbs([
                    .init("save", .files), .init("show", .names(.playlists)), .init("remove", .names(.playlists)),
                    .init("export", .names(.playlists)), .init("import", .files),
                ]))
        ],
        options: MusicFlags.options + [append, force, relative, paths, DisplayFlags.json, .help],
        notes: [
            "Playlists are M3U8 files in ~/.local/share/tutti/playlists, which other players can read. 'tutti broadcast', "
                + "'tutti play' and 'tutti queue add' play them with --playlist NAME.",
            "Titles and lengths are those that the index of the music folders knows: 'tutti library update' reads them. A "
                + "broadcast's queue cannot be saved, as it does not tell where its songs are.",
            "Exit code: 0; 64 for a wrong command line, 65 for a playlist that is too long, 66 for a playlist or song that "
                + "is not there, 73 where a file cannot be written, or is there already.",
        ],
        examples: [
            .init(command: "tutti playlist save party Music/Hits song.flac", meaning: "a directory, and a song"),
            .init(command: "tutti playlist save party --append --artist Abba", meaning: "these as well"),
            .init(command: "tutti broadcast --playlist party", meaning: "plays it everywhere"),
            .init(
                command: "tutti playlist export party /media/stick/party.m3u8 --relative",
                meaning: "for a player that finds the songs on the same stick"),
        ])

    enum Request: Hashable {
        case list
        case save(PlaylistName, [String])
        case show(PlaylistName)
        case remove(PlaylistName)
        /// To standard output without a file.
        case export(PlaylistName, file: String?)
        case `import`(file: String, PlaylistName)
    }

    let request: Request
    let music: MusicFlags?
    let overwriting: SavedPlaylists.Overwriting
    let isRelative: Bool
    let showsPaths: Bool
    let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        request = try Self.request(arguments.operands)
        music = try MusicFlags(arguments)
        switch (arguments.has(Self.append), arguments.has(Self.force)) {
        case (false, false): overwriting = .refused
        case (false, true): overwriting = .replacing
        case (true, false): overwriting = .appending
        case (true, true): throw UsageError(exclusive: [Self.append, Self.force])
        }
        isRelative = arguments.has(Self.relative)
        showsPaths = arguments.has(Self.paths)
        isJSON = arguments.has(DisplayFlags.json)
        try check()
    }

    static func request(_ words: [String]) throws(UsageError) -> Request {
        let rest = Array(words.dropFirst())
        guard !rest.contains("") else { throw UsageError("a FILE's or a playlist's name is empty") }
        switch (words.first, rest.count) {
        case (nil, _): return .list
        case ("save", 1...): return .save(try PlaylistName(rest[0]), Array(rest.dropFirst()))
        case ("show", 1): return .show(try PlaylistName(rest[0]))
        case ("remove", 1): return .remove(try PlaylistName(rest[0]))
        case ("export", 1): return .export(try PlaylistName(rest[0]), file: nil)
        case ("export", 2): return .export(try PlaylistName(rest[0]), file: rest[1])
        case ("import", 1): return .import(file: rest[0], try PlaylistName(PlaylistFile.stem(of: rest[0])))
        case ("import", 2): return .import(file: rest[0], try PlaylistName(rest[1]))
        default:
            throw UsageError(
                "write: tutti playlist, alone or with save NAME FILE, show NAME, remove NAME, export NAME FILE or import "
                    + "FILE NAME")
        }
    }

    /// Whether each option is of use.
    private func check() throws(UsageError) {
        switch request {
        case .save(_, let names):
            guard !names.isEmpty || music != nil else {
                throw UsageError("which songs? Name FILEs, or what to look for: \(MusicFlags.names)")
            }
            guard !names.contains("-") else { throw UsageError("standard input cannot be saved") }
        case .import(let file, _):
            guard Playlist.Kind(fileName: file) != nil else {
                throw UsageError("'\(file)' is no playlist: its name ends in .m3u, .m3u8 or .pls")
            }
        case .export(_, let file):
            guard overwriting != .appending else {
                throw UsageError("--append is for save and import", unfitting: [Self.append])
            }
            if let file { try PlaylistFile.check(file) }
            guard file != nil || !isRelative else {
                throw UsageError("--relative needs the FILE: export NAME FILE", unfitting: [Self.relative])
            }
        case .list, .show, .remove:
            guard overwriting == .refused else {
                throw UsageError("--append and --force are for save and import", unfitting: [Self.append, Self.force])
            }
        }
        if case .save = request {
        } else if music != nil {
            throw UsageError("\(MusicFlags.names) are for save", unfitting: MusicFlags.options)
        }
        if case .export = request {
        } else if isRelative {
            throw UsageError("--relative is for export", unfitting: [Self.relative])
        }
        if case .show = request {
            guard !showsPaths || !isJSON else { throw UsageError(exclusive: [Self.paths, DisplayFlags.json]) }
        } else {
            guard !showsPaths else { throw UsageError("--paths is for show", unfitting: [Self.paths]) }
            guard request == .list || !isJSON else {
                throw UsageError("--json is for the list and for show", unfitting: [DisplayFlags.json])
            }
        }
    }

    func run() -> Int32 {
        SessionRunner.exitCode { () throws(RuntimeFailure) in
            let playlists = try SavedPlaylists.standard()
            switch request {
            case .list: try list(playlists)
            case .save(let name, let files): try save(files, found: music?.paths() ?? [], as: name, playlists)
            case .show(let name): try show(playlists.entries(of: name))
            case .remove(let name): try playlists.remove(name)
            case .export(let name, let file): try export(playlists.entries(of: name), to: file)
            case .import(let file, let name): try save([file], found: [], as: name, playlists)
            }
        }
    }

    // MARK: Saving

    private func save(
        _ names: [String], found: [String], as name: PlaylistName, _ playlists: SavedPlaylists
    ) throws(RuntimeFailure) {
        let songs: QueuedSongs
        do throws(SongFailure) { songs = try QueuedSongs(names, found: found) } catch { throw RuntimeFailure(error) }
        for problem in songs.problems { SessionRunner.warn(problem) }
        let entries = songs.sources.map { source in
            let listed = songs.listed[source]
            return Playlist.Entry(address: Self.address(source), title: listed?.title, duration: listed?.duration)
        }
        let count = try playlists.save(KnownSongs().lines(of: entries), as: name, overwriting)
        StandardStream.output.write("\(name.text): \(count) \(count == 1 ? "song" : "songs")\n".terminalSafeLine)
    }

    private static func address(_ source: ItemSource) -> String {
        switch source {
        case .web(let address): address.text
        case .file(let path): AbsolutePath.of(path)
        }
    }

    private func export(_ entries: [Playlist.Entry], to file: String?) throws(RuntimeFailure) {
        let lines = KnownSongs().lines(of: entries)
        guard let file else {
            StandardStream.output.write(Playlist.m3u8(lines))
            return
        }
        let list = try PlaylistFile(path: file, isReplaced: overwriting == .replacing)
        let absoluteCount = try list.write(lines, isRelative: isRelative)
        guard isRelative, absoluteCount > 0 else { return }
        SessionRunner.warn(
            "\(absoluteCount) of \(lines.count) songs are not below the directory of '\(file)' and keep their absolute "
                + "paths")
    }
}
