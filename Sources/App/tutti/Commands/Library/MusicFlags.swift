import MusicLibrary
import Songs
import TuttiRuntime

/// Songs by what they say of themselves, beside those that are named by their files.
struct MusicFlags: Hashable {
    static let search = CommandSyntax.Option.value(
        "--search", "QUERY", "Songs that 'tutti search QUERY' finds, album by album.")
    static let artist = CommandSyntax.Option.value(
        "--artist", "NAME",
        "Songs of the artist of this name, album by album; if there is none, of artists with these words in theirs.")
    static let album = CommandSyntax.Option.value(
        "--album", "NAME",
        "The songs of the album of this name, in their order; if there is none, of albums with these words in theirs.")
    static let options = [search, artist, album]
    static let names = "--search, --artist and --album"

    private let query: SearchQuery
    private let artist: String?
    private let album: String?
    /// As it was given, for whoever finds nothing.
    private let text: String

    /// Returns nil if none was given.
    init?(_ arguments: CommandArguments) throws(UsageError) {
        let given = Self.options.filter { arguments.value(of: $0) != nil }
        guard !given.isEmpty else { return nil }
        var query = SearchQuery(line: arguments.value(of: Self.search) ?? "")
        for (option, field) in [(Self.artist, SearchQuery.Field.artist), (Self.album, .album)] {
            if let name = arguments.value(of: option) { query.formIntersection(SearchQuery(field, name)) }
        }
        guard !query.isEmpty else { throw UsageError("\(given[0].name): there is no word to look for") }
        self.query = query
        artist = arguments.value(of: Self.artist)
        album = arguments.value(of: Self.album)
        text = given.map { "\($0.name) '\(arguments.value(of: $0) ?? "")'" }.joined(separator: " ")
    }

    /// Returns the paths of the songs, as albums are played. Blocks while the music folders are read.
    func paths() throws(RuntimeFailure) -> [String] {
        let library = try UserLibrary()
        try library.refresh()
        var found = try library.search(query, by: .albums, limit: SongCollection.countLimit)
        guard !found.isEmpty else {
            throw RuntimeFailure(
                .missingInput, .other("\(text) finds no song; 'tutti library' shows which folders are searched"))
        }
        if let album { found = found.preferring { $0.album?.isSame(as: album) == true } }
        if let artist {
            found = found.preferring { song in
                [song.artist, song.albumArtist].contains { $0?.isSame(as: artist) == true }
            }
        }
        return found.map(\.path)
    }

    /// Runs a session of songs, those that were found behind those that were named. What finds none, fails before it.
    static func run(_ paths: [String], _ music: MusicFlags?, _ session: ([String]) -> Int32) -> Int32 {
        do throws(RuntimeFailure) {
            return session(try paths + (music?.paths() ?? []))
        } catch {
            SessionRunner.report(error)
            return error.kind.rawValue
        }
    }
}

extension [FoundSong] {
    /// Those that fit, or all if none does.
    fileprivate func preferring(_ fits: (FoundSong) -> Bool) -> [FoundSong] {
        let fitting = filter(fits)
        return fitting.isEmpty ? self : fitting
    }
}

extension String {
    fileprivate func isSame(as other: String) -> Bool { lowercased() == other.lowercased() }
}
