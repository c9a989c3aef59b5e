import MusicLibrary
import Songs
import TerminalIO
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
    static let randomAlbum = CommandSyntax.Option.flag(
        "--random-album",
        "All songs of one album, in their order: any album of the music folders, or one of those with songs that the "
            + "other options find.")
    private static let named = [search, artist, album]
    static let options = named + [randomAlbum]
    static let names = "--search, --artist, --album and --random-album"

    /// Nil for any album.
    private let query: SearchQuery?
    private let artist: String?
    private let album: String?
    private let isRandomAlbum: Bool
    /// As it was given, for whoever finds nothing.
    private let text: String

    /// Returns nil if none was given.
    init?(_ arguments: CommandArguments) throws(UsageError) {
        let given = Self.named.filter { arguments.value(of: $0) != nil }
        isRandomAlbum = arguments.has(Self.randomAlbum)
        guard !given.isEmpty || isRandomAlbum else { return nil }
        var query = SearchQuery(line: arguments.value(of: Self.search) ?? "")
        for (option, field) in [(Self.artist, SearchQuery.Field.artist), (Self.album, .album)] {
            if let name = arguments.value(of: option) { query.formIntersection(SearchQuery(field, name)) }
        }
        if let first = given.first, query.isEmpty {
            throw UsageError(valueOf: first.name, "there is no word to look for")
        }
        self.query = given.isEmpty ? nil : query
        artist = arguments.value(of: Self.artist)
        album = arguments.value(of: Self.album)
        let texts = given.map { "\($0.name) '\(arguments.value(of: $0) ?? "")'" }
        text = (texts + (isRandomAlbum ? [Self.randomAlbum.name] : [])).joined(separator: " ")
    }

    /// Returns the paths of the songs, as albums are played. Blocks while the music folders are read.
    func paths() throws(RuntimeFailure) -> [String] {
        let library = try UserLibrary()
        try library.refresh()
        let songs = isRandomAlbum ? try randomAlbum(library) : try songs(library)
        return songs.prefix(SongCollection.countLimit).map(\.path)
    }

    private func songs(_ library: UserLibrary) throws(RuntimeFailure) -> [FoundSong] {
        var found =
            try query.map { query throws(RuntimeFailure) in
                try library.search(query, by: .albums, limit: SongCollection.countLimit)
            } ?? []
        guard !found.isEmpty else { throw try nothing("song", library) }
        if let album { found = found.preferring { $0.album?.isSame(as: album) == true } }
        if let artist {
            found = found.preferring { song in
                [song.artist, song.albumArtist].contains { $0?.isSame(as: artist) == true }
            }
        }
        return found
    }

    /// Returns the songs of one of the albums that fit, each of which has the same chance, and says which one it is.
    private func randomAlbum(_ library: UserLibrary) throws(RuntimeFailure) -> [FoundSong] {
        var albums = try library.albums(query)
        if let album { albums = albums.preferring { $0.album.title.isSame(as: album) } }
        if let artist {
            albums = albums.preferring { found in
                found.songArtists.union([found.album.artist].compactMap(\.self)).contains { $0.isSame(as: artist) }
            }
        }
        guard let album = albums.randomElement()?.album else { throw try nothing("album", library) }
        let songs = try library.songs(ofAlbum: album.id, limit: SongCollection.countLimit)
        guard !songs.isEmpty else { throw try nothing("album", library) }
        StandardStream.error.write("tutti: \(album.reading)".terminalSafe + "\n")
        return songs
    }

    private func nothing(_ what: String, _ library: UserLibrary) throws(RuntimeFailure) -> RuntimeFailure {
        let folders = "'tutti library' shows which folders are searched"
        let advice = try query.map { query throws(RuntimeFailure) in try library.advice(for: query, else: folders) }
        return RuntimeFailure(.missingInput, .other("\(text) finds no \(what); \(advice ?? folders)"))
    }
}

extension Album {
    /// "the album is 'Kind of Blue' by Miles Davis".
    fileprivate var reading: String { "the album is '\(title)'\(artist.map { " by \($0)" } ?? "")" }
}

extension Array {
    /// Those that fit, or all if none does.
    fileprivate func preferring(_ fits: (Element) -> Bool) -> [Element] {
        let fitting = filter(fits)
        return fitting.isEmpty ? self : fitting
    }
}

extension String {
    fileprivate func isSame(as other: String) -> Bool { lowercased() == other.lowercased() }
}
