extension MusicIndex {
    /// Finds albums with songs that fit a query, each once; all albums where it is nil. None for a query without a term
    /// that must be there. In no order that means anything.
    public func albums(_ query: SearchQuery? = nil) throws(LibraryError) -> [FoundAlbum] {
        if let query, query.isEmpty { return [] }
        let (found, values) = query.map(Self.all) ?? ("SELECT id FROM songs", [])
        var albums: [FoundAlbum] = []
        try database.query(
            """
            WITH found AS (\(found))
            SELECT DISTINCT albums.id, albums.title, album_artists.name, artists.name
            FROM found
            JOIN songs ON songs.id = found.id
            JOIN albums ON albums.id = songs.album
            LEFT JOIN artists ON artists.id = songs.artist
            LEFT JOIN artists AS album_artists ON album_artists.id = albums.artist
            ORDER BY albums.id
            """, values
        ) { row in
            if albums.last?.id != row.integer(0) {
                albums.append(FoundAlbum(id: row.integer(0), title: row.text(1), artist: row.optionalText(2)))
            }
            if let artist = row.optionalText(3) { albums[albums.count - 1].songArtists.insert(artist) }
            return true
        }
        return albums
    }

    /// Returns the first songs of an album, as it is played; none if it is gone.
    /// - Parameter album: its id.
    public func songs(ofAlbum album: Int64, limit: Int) throws(LibraryError) -> [FoundSong] {
        try songs(("SELECT id FROM songs WHERE album = ?", [.integer(album)]), areRanked: false, limit: limit)
    }

    /// Lists all albums in the order of ``SearchOrder/albums``.
    /// - Parameter limit: the most albums to list.
    public func albumList(limit: Int) throws(LibraryError) -> AlbumList {
        var albums: [AlbumList.Entry] = []
        try database.query(
            """
            SELECT albums.id, albums.title,
                coalesce(album_artists.name, CASE WHEN min(artists.id) = max(artists.id) THEN min(artists.name) END),
                max(songs.year), count(*)
            FROM albums
            JOIN songs ON songs.album = albums.id
            LEFT JOIN artists ON artists.id = songs.artist
            LEFT JOIN artists AS album_artists ON album_artists.id = albums.artist
            GROUP BY albums.id
            ORDER BY coalesce(album_artists.sort, album_artists.name,
                    min(ifnull(artists.sort, artists.name) COLLATE NOCASE)) COLLATE NOCASE,
                ifnull(albums.sort, albums.title) COLLATE NOCASE, albums.id
            LIMIT ?
            """, [.integer(Int64(limit))]
        ) { row in
            albums.append(
                AlbumList.Entry(
                    id: row.integer(0), title: row.text(1), artist: row.optionalText(2), year: row.optionalInteger(3),
                    songCount: Int(row.integer(4))))
            return true
        }
        let loose = try database.integer("SELECT count(*) FROM songs WHERE album IS NULL")
        return AlbumList(albums, looseSongCount: Int(loose ?? 0))
    }
}
