import MusicLibrary

/// What somebody looks for in the library, and what was found.
struct LibraryPane: Sendable {
    private(set) var query = ""
    private(set) var isTyping = false
    private(set) var songs: [FoundSong] = []
    /// What `songs` were found for.
    private var foundQuery = ""
    /// Songs that the index has, or has looked at so far; nil before that is known.
    private(set) var songCount: Int?
    private(set) var isReading = false
    var cursor = ListCursor<String>()

    private static let queryLimit = 200
    /// While the index is read, what was asked for is looked for again as often as that.
    private static let readingsPerSearch = 10
    private var readingCount = 0

    var isEmpty: Bool { query.isEmpty && songs.isEmpty }

    var selected: FoundSong? { songs.indices.contains(cursor.selected) ? songs[cursor.selected] : nil }

    mutating func beginTyping() { isTyping = true }
    mutating func endTyping() { isTyping = false }

    // Each returns whether that changed what is looked for.

    mutating func type(_ character: Character) -> Bool {
        guard query.count < Self.queryLimit else { return false }
        query.append(character)
        return true
    }

    mutating func erase() -> Bool { query.popLast() != nil }

    mutating func eraseAll() -> Bool {
        guard !query.isEmpty else { return false }
        query = ""
        return true
    }

    mutating func eraseWord() -> Bool {
        guard !query.isEmpty else { return false }
        while query.last == " " { query.removeLast() }
        while let last = query.last, last != " " { query.removeLast() }
        return true
    }

    /// Takes what was found, unless something else is looked for by now.
    mutating func take(_ found: [FoundSong], for query: String) {
        guard query == self.query else { return }
        songs = found
        if foundQuery != query { cursor = ListCursor() }
        foundQuery = query
        cursor.follow(paths)
    }

    var paths: [String] { songs.map(\.path) }

    /// The songs as albums are played: by artist, album, disc and track.
    var songsByAlbum: [FoundSong] {
        songs.sorted { one, other in
            let (a, b) = (AlbumPlace(one), AlbumPlace(other))
            return a == b ? one.path < other.path : a < b
        }
    }

    /// Takes how far the index has been read.
    /// - Returns: whether to look again: there may be other songs to find than before.
    mutating func note(songCount: Int, isDone: Bool) -> Bool {
        self.songCount = songCount
        isReading = !isDone
        readingCount = isDone ? 0 : readingCount + 1
        return !query.isEmpty && (isDone || readingCount % Self.readingsPerSearch == 0)
    }
}

/// Where a song stands among those of all albums.
private struct AlbumPlace: Comparable {
    private let artist: String
    private let album: String
    private let disc: Int
    private let track: Int

    init(_ song: FoundSong) {
        artist = (song.albumArtist ?? song.artist ?? "").lowercased()
        album = (song.album ?? "").lowercased()
        disc = song.disc ?? 1
        track = song.track ?? .max
    }

    static func < (a: AlbumPlace, b: AlbumPlace) -> Bool {
        (a.artist, a.album, a.disc, a.track) < (b.artist, b.album, b.disc, b.track)
    }
}
