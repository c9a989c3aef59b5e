import Songs

/// Writes songs, and whom and what they name, into the index. Inside of transactions.
struct SongWriter {
    let database: Database
    /// Row numbers, by path and by name.
    var directories: [FileKey: Int64] = [:]
    private var artists: [String: Int64] = [:]
    private var genres: [String: Int64] = [:]
    private var albums: [Album: Int64] = [:]
    private var sortNames: [SortNames: Int64] = [:]

    private struct Album: Hashable {
        var title: String
        /// What tags say of all of it; without one it is an album of its directory.
        var artist: Int64?
        var directory: Int64?
    }

    /// What one song says.
    private struct SortNames: Hashable {
        var artist: String?
        var albumArtist: String?
        var album: String?
    }

    init(_ database: Database) { self.database = database }

    // MARK: Songs

    /// - Parameter id: of the row of the same file as it was before.
    mutating func write(
        _ file: FolderWalk.File, _ tags: SongTags, in directory: FolderWalk.Directory, replacing id: Int64?
    ) throws(LibraryError) {
        if let id { try remove(id) }
        let row = try self.directory(directory.path, isMount: directory.isMount)
        let artist = try artist(tags.artist, sort: tags.artistSort)
        let album = try album(of: tags, in: directory)
        try database.run(
            """
            INSERT INTO songs (directory, name, byte_count, modified, title, artist, album, composer, genre, track,
                disc, year, milliseconds, sort, is_compilation, has_picture)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(row), .text(file.name), .integer(file.byteCount), .integer(file.modified),
                .optional(tags.title), .optional(artist), .optional(album),
                .optional(try self.artist(tags.composer)), .optional(try genre(tags.genre)), .optional(tags.track),
                .optional(tags.disc), .optional(tags.year), .optional(tags.milliseconds),
                .optional(try sortNames(of: tags)), .bool(tags.isCompilation), .bool(tags.hasPicture),
            ])
        try addWords(of: database.lastRowID)
    }

    func remove(_ id: Int64) throws(LibraryError) {
        try removeWords(of: id)
        try database.run("DELETE FROM songs WHERE id = ?", [.integer(id)])
    }

    /// Indexes the words of a song, and of whom and what it names now.
    func addWords(of id: Int64) throws(LibraryError) {
        try database.run(
            "INSERT INTO words (rowid, title, artist, album, composer, genre) VALUES (?, ?, ?, ?, ?, ?)",
            [.integer(id)] + texts(of: id))
    }

    /// Takes the words of a song out of their index, which must be those of whom and what it names now.
    func removeWords(of id: Int64) throws(LibraryError) {
        let texts = try texts(of: id)
        guard !texts.isEmpty else { return }
        try database.run(
            """
            INSERT INTO words (words, rowid, title, artist, album, composer, genre)
            VALUES ('delete', ?, ?, ?, ?, ?, ?)
            """, [.integer(id)] + texts)
    }

    /// Returns what is indexed of a song, of each field; nothing if there is no such song.
    private func texts(of id: Int64) throws(LibraryError) -> [SQLValue] {
        var texts: [SQLValue] = []
        try database.query("SELECT title, artist, album, composer, genre FROM song_words WHERE id = ?", [.integer(id)])
        {
            row in
            texts = (0..<5).map { .optional(row.optionalText($0)?.separatingIdeographs) }
            return false
        }
        return texts
    }

    // MARK: What songs name

    /// Returns a directory's row.
    @discardableResult
    mutating func directory(_ path: String, isMount: Bool) throws(LibraryError) -> Int64 {
        if let id = directories[FileKey(path)] { return id }
        try database.run(
            "INSERT INTO directories (path, is_mount) VALUES (?, ?)", [.text(path), .bool(isMount)])
        directories[FileKey(path)] = database.lastRowID
        return database.lastRowID
    }

    /// Notes whether another file system begins at a directory, and which file is the picture of the songs in it.
    mutating func note(_ path: String, isMount: Bool, picture: FolderWalk.File?) throws(LibraryError) {
        let id = try directory(path, isMount: isMount)
        try database.run(
            """
            UPDATE directories SET is_mount = ?, picture = ?, picture_byte_count = ?, picture_modified = ?
            WHERE id = ?
            """,
            [
                .bool(isMount), .optional(picture?.name), .optional(picture?.byteCount), .optional(picture?.modified),
                .integer(id),
            ])
    }

    mutating func artist(_ name: String?, sort: String? = nil) throws(LibraryError) -> Int64? {
        guard let name else { return nil }
        if let id = artists[name] { return id }
        let id = try row(
            "SELECT id FROM artists WHERE name = ?1", or: "INSERT INTO artists (name, sort) VALUES (?1, ?2)",
            [.text(name)], and: [.optional(SortName.kept(of: name, tag: sort))])
        artists[name] = id
        return id
    }

    private mutating func genre(_ name: String?) throws(LibraryError) -> Int64? {
        guard let name else { return nil }
        if let id = genres[name] { return id }
        let id = try row(
            "SELECT id FROM genres WHERE name = ?", or: "INSERT INTO genres (name) VALUES (?)", [.text(name)])
        genres[name] = id
        return id
    }

    private mutating func album(of tags: SongTags, in directory: FolderWalk.Directory) throws(LibraryError) -> Int64? {
        guard let title = tags.album else { return nil }
        var album = Album(title: title, artist: try artist(tags.albumArtist, sort: tags.albumArtistSort))
        if album.artist == nil {
            let path = directory.path.albumDirectory
            album.directory = try self.directory(path, isMount: path == directory.path && directory.isMount)
        }
        if let id = albums[album] { return id }
        let artist = tags.isCompilation && album.artist == nil ? try artist(Self.variousArtists) : album.artist
        let id = try row(
            "SELECT id FROM albums WHERE title = ?1 AND ifnull(directory, -artist) = ifnull(?3, -?2)",
            or: "INSERT INTO albums (title, artist, directory, sort) VALUES (?1, ?2, ?3, ?4)",
            [.text(title), .optional(artist), .optional(album.directory)],
            and: [.optional(SortName.kept(of: title, tag: tags.albumSort))])
        albums[album] = id
        return id
    }

    /// Nil where a song says nothing of its own.
    private mutating func sortNames(of tags: SongTags) throws(LibraryError) -> Int64? {
        let names = SortNames(artist: tags.artistSort, albumArtist: tags.albumArtistSort, album: tags.albumSort)
        guard names != SortNames() else { return nil }
        if let id = sortNames[names] { return id }
        let id = try row(
            """
            SELECT id FROM sort_names WHERE ifnull(artist, '') = ifnull(?1, '')
                AND ifnull(album_artist, '') = ifnull(?2, '') AND ifnull(album, '') = ifnull(?3, '')
            """, or: "INSERT INTO sort_names (artist, album_artist, album) VALUES (?1, ?2, ?3)",
            [.optional(names.artist), .optional(names.albumArtist), .optional(names.album)])
        sortNames[names] = id
        return id
    }

    /// Returns the row that a query finds, or else a new one.
    /// - Parameter further: values that only a new one needs.
    private func row(
        _ query: String, or insertion: String, _ values: [SQLValue], and further: [SQLValue] = []
    ) throws(LibraryError) -> Int64 {
        if let id = try database.integer(query, values) { return id }
        try database.run(insertion, values + further)
        return database.lastRowID
    }

    // MARK: Order

    /// Notes that the index is changed by an update that has not come to its end.
    func beginChange() throws(LibraryError) { try database.execute("DELETE FROM updates") }

    /// Whether there were changes since the last update that came to its end.
    var isUnfinished: Bool {
        get throws(LibraryError) { try database.integer("SELECT count(*) FROM updates") == 0 }
    }

    /// Removes whom and what no song names any more.
    mutating func removeUnused() throws(LibraryError) {
        (artists, genres, albums, sortNames) = ([:], [:], [:], [:])
        try database.transaction { () throws(LibraryError) in
            try database.execute(
                """
                DELETE FROM albums WHERE id NOT IN (SELECT album FROM songs WHERE album IS NOT NULL);
                DELETE FROM artists WHERE id NOT IN (SELECT artist FROM songs WHERE artist IS NOT NULL)
                    AND id NOT IN (SELECT composer FROM songs WHERE composer IS NOT NULL)
                    AND id NOT IN (SELECT artist FROM albums WHERE artist IS NOT NULL);
                DELETE FROM genres WHERE id NOT IN (SELECT genre FROM songs WHERE genre IS NOT NULL);
                DELETE FROM sort_names WHERE id NOT IN (SELECT sort FROM songs WHERE sort IS NOT NULL);
                """)
        }
    }

    /// Removes directories that are gone, but for those by which albums are known.
    func remove(_ paths: [String]) throws(LibraryError) {
        try database.transaction { () throws(LibraryError) in
            for path in paths {
                try database.run(
                    """
                    DELETE FROM directories WHERE path = ?
                        AND id NOT IN (SELECT directory FROM albums WHERE directory IS NOT NULL)
                    """, [.text(path)])
            }
        }
    }

    /// Makes one piece of the index of words, which then is smaller and faster.
    func optimizeWords() throws(LibraryError) { try database.execute("INSERT INTO words (words) VALUES ('optimize')") }
}

extension String {
    /// The directory of an album: "Album" for "Album/CD 2" and "Album/Disc 2 - Live".
    fileprivate var albumDirectory: String {
        let name = split(separator: "/").last.map { $0.lowercased() } ?? ""
        let isDisc = ["cd", "disc", "disk"].contains { word in
            guard name.hasPrefix(word) else { return false }
            let number = name.dropFirst(word.count).drop { !$0.isLetter && !$0.isNumber }
            let rest = number.drop(while: \.isNumber)
            return rest.isEmpty || rest.count < number.count && rest.first?.isLetter == false
        }
        return isDisc ? FileName.directory(of: self) : self
    }
}
