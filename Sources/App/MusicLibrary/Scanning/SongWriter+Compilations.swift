extension SongWriter {
    /// Who compilations are by; MusicBrainz, beets and most tags have this name.
    static let variousArtists = "Various Artists"

    /// Makes Various Artists the artist of albums that name none, if one of their songs is said to be part of a
    /// compilation, and takes it away where none is any more. So an index that followed its folders is the same as one
    /// that is made anew.
    func chooseCompilations() throws(LibraryError) {
        var changes: [(album: Int64, isCompilation: Bool)] = []
        try database.query(
            """
            SELECT id, has_flag FROM (
                SELECT id, artist, EXISTS (
                    SELECT 1 FROM songs WHERE songs.album = albums.id AND is_compilation = 1) AS has_flag
                FROM albums WHERE directory IS NOT NULL)
            WHERE has_flag <> (artist IS NOT NULL)
            """
        ) { row in
            changes.append((row.integer(0), row.integer(1) != 0))
            return true
        }
        guard !changes.isEmpty else { return }
        let albums = changes
        var writer = self
        try database.transaction { () throws(LibraryError) in
            for (album, isCompilation) in albums {
                try writer.setArtist(isCompilation ? try writer.artist(Self.variousArtists) : nil, ofAlbum: album)
            }
        }
    }

    /// Its songs are found by their album's artist, too.
    private func setArtist(_ artist: Int64?, ofAlbum album: Int64) throws(LibraryError) {
        var songs: [Int64] = []
        try database.query("SELECT id FROM songs WHERE album = ?", [.integer(album)]) { row in
            songs.append(row.integer(0))
            return true
        }
        for song in songs { try removeWords(of: song) }
        try database.run("UPDATE albums SET artist = ? WHERE id = ?", [.optional(artist), .integer(album)])
        for song in songs { try addWords(of: song) }
    }
}
