import MusicLibrary

/// What somebody looks for in the library, and what was found; all albums while nothing is looked for.
struct LibraryPane: Sendable {
    /// What there is to choose from.
    enum List: Sendable {
        case songs([FoundSong])
        case albums([Album])
    }

    enum Choice: Sendable {
        case song(FoundSong)
        case album(Album)
    }

    private(set) var query = ""
    private(set) var isTyping = false
    private(set) var songs: [FoundSong] = []
    /// What `songs` were found for.
    private var foundQuery = ""
    /// Songs that the index has, or has looked at so far; nil before that is known.
    private(set) var songCount: Int?
    private(set) var isReading = false
    private var cursor = ListCursor<String>()
    var albums = AlbumPane()

    private static let queryLimit = 200
    /// While the index is read, what was asked for is looked for again as often as that.
    private static let readingsPerSearch = 10
    private var readingCount = 0

    var list: List { query.isEmpty ? .albums(albums.albums) : .songs(songs) }

    var selected: Choice? {
        switch list {
        case .songs(let songs): songs.indices.contains(cursor.selected) ? .song(songs[cursor.selected]) : nil
        case .albums: albums.selected.map { .album($0) }
        }
    }

    /// The row of the list that is selected.
    var selectedRow: Int {
        switch list {
        case .songs: cursor.selected
        case .albums: albums.cursor.selected
        }
    }

    /// Returns the rows of the list to show.
    mutating func window(height: Int) -> Range<Int> {
        switch list {
        case .songs(let songs): cursor.window(height: height, in: songs.count)
        case .albums: albums.window(height: height)
        }
    }

    mutating func moveCursor(by step: Int) {
        switch list {
        case .songs: cursor.move(by: step, in: paths)
        case .albums: albums.move(by: step)
        }
    }

    /// It is seen from now on: where nothing was typed and no album is to choose from, songs are typed for.
    mutating func appear() {
        if query.isEmpty { isTyping = albums.list.map { $0.albums.isEmpty && $0.looseSongCount > 0 } ?? false }
    }

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

    private var paths: [String] { songs.map(\.path) }

    /// The songs as albums are played.
    var songsByAlbum: [FoundSong] { songs.sorted { $0.albumPlace < $1.albumPlace } }

    /// Takes how far the index has been read.
    /// - Returns: whether to look again for what was typed: there may be other songs to find than before.
    mutating func note(songCount: Int, isDone: Bool) -> Bool {
        self.songCount = songCount
        isReading = !isDone
        readingCount = isDone ? 0 : readingCount + 1
        guard isDone || readingCount % Self.readingsPerSearch == 0 else { return false }
        albums.expire()
        return !query.isEmpty
    }
}
