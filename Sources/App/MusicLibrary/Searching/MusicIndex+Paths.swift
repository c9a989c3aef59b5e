import AudioCore
import Songs

extension MusicIndex {
    /// Returns what is known of each of these paths, in their order; nil where it is no path of a song in the index.
    /// Takes time in proportion to the songs of the directories that they lie in.
    public func songs(at paths: [String]) throws(LibraryError) -> [FoundSong?] {
        try rows(
            "songs.title, artists.name, albums.title, album_artists.name, songs.year, songs.milliseconds, "
                + "songs.has_picture, directories.picture", of: paths
        ) { path, name, row in
            FoundSong(
                path: path, title: row.optionalText(1) ?? name, artist: row.optionalText(2),
                album: row.optionalText(3), albumArtist: row.optionalText(4), year: row.optionalInteger(5),
                duration: row.optionalInteger(6)
                    .map { .milliseconds(min(max(0, Int64($0)), SongTags.longestMilliseconds)) },
                artwork: .init(
                    hasPicture: row.integer(7) != 0, besideIt: row.optionalText(8), in: FileName.directory(of: path)))
        }
    }

    /// Returns the album of each of these paths, in their order; nil where it is of none, or not in the index.
    public func albums(of paths: [String]) throws(LibraryError) -> [Album?] {
        let ids: [Int64?] = try rows("songs.album", of: paths) { _, _, row in row.optionalInteger(1).map(Int64.init) }
        var albums: [Int64: Album] = [:]
        for case let id? in Set(ids) { albums[id] = try self.albums(in: ("VALUES (?)", [.integer(id)])).first }
        return ids.map { $0.flatMap { albums[$0] } }
    }

    /// Reads columns of songs, behind their names.
    /// - Parameter read: takes path and name of a song, and its row.
    private func rows<Value>(
        _ columns: String, of paths: [String], _ read: (String, String, SQLRow) -> Value?
    ) throws(LibraryError) -> [Value?] {
        var wanted: [FileKey: (directory: String, names: Set<FileKey>)] = [:]
        for path in paths where path.utf8.first == UInt8(ascii: "/") {
            let directory = FileName.directory(of: path)
            wanted[FileKey(directory), default: (directory, [])].names.insert(FileKey(path))
        }
        var found: [FileKey: Value] = [:]
        for (directory, names) in wanted.values {
            try database.query(
                """
                SELECT songs.name, \(columns) FROM directories
                JOIN songs ON songs.directory = directories.id
                LEFT JOIN artists ON artists.id = songs.artist
                LEFT JOIN albums ON albums.id = songs.album
                LEFT JOIN artists AS album_artists ON album_artists.id = albums.artist
                WHERE directories.path = ?
                """, [.text(directory)]
            ) { row in
                let name = row.text(0)
                let path = FileName.join(directory, name)
                if names.contains(FileKey(path)) { found[FileKey(path)] = read(path, name, row) }
                return true
            }
        }
        return paths.map { found[FileKey($0)] }
    }
}
