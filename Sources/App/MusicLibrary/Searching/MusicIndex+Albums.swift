extension MusicIndex {
    /// Finds albums with songs that fit a query, each once; all albums where it is nil. None for a query without a term
    /// that must be there. In the order of ``SearchOrder/albums``.
    public func albums(_ query: SearchQuery? = nil) throws(LibraryError) -> [FoundAlbum] {
        if let query, query.isEmpty { return [] }
        let (found, values) = query.map(Self.all) ?? ("SELECT id FROM songs", [])
        var artists: [Int64: Set<String>] = [:]
        try database.query(
            """
            WITH found AS (\(found))
            SELECT DISTINCT songs.album, artists.name
            FROM found JOIN songs ON songs.id = found.id JOIN artists ON artists.id = songs.artist
            WHERE songs.album IS NOT NULL
            """, values
        ) { row in
            artists[row.integer(0), default: []].insert(row.text(1))
            return true
        }
        return try albums(in: ("SELECT album FROM songs WHERE id IN (\(found))", values))
            .map { FoundAlbum(album: $0, songArtists: artists[$0.id] ?? []) }
    }

    /// Returns the first songs of an album, as it is played; none if it is gone.
    /// - Parameter album: its id.
    public func songs(ofAlbum album: Int64, limit: Int) throws(LibraryError) -> [FoundSong] {
        try songs(("SELECT id FROM songs WHERE album = ?", [.integer(album)]), areRanked: false, limit: limit)
    }

    /// Lists all albums in the order of ``SearchOrder/albums``.
    /// - Parameter limit: the most albums to list.
    public func albumList(limit: Int) throws(LibraryError) -> AlbumList {
        let albums = try albums(in: ("SELECT id FROM albums", []), limit: limit)
        let loose = try database.integer("SELECT count(*) FROM songs WHERE album IS NULL")
        return AlbumList(albums, looseSongCount: Int(loose ?? 0))
    }

    /// Returns the first albums whose ids are found, each once, in the order of ``SearchOrder/albums``.
    func albums(in found: Part, limit: Int = .max) throws(LibraryError) -> [Album] {
        var albums: [Album] = []
        try database.query(
            """
            SELECT albums.id, albums.title,
                coalesce(album_artists.name, CASE WHEN min(artists.id) = max(artists.id) THEN min(artists.name) END),
                max(songs.year), count(*)
            FROM albums
            JOIN songs ON songs.album = albums.id
            LEFT JOIN artists ON artists.id = songs.artist
            LEFT JOIN artists AS album_artists ON album_artists.id = albums.artist
            WHERE albums.id IN (\(found.text))
            GROUP BY albums.id
            ORDER BY coalesce(album_artists.sort, album_artists.name,
                    min(ifnull(artists.sort, artists.name) COLLATE NOCASE)) COLLATE NOCASE,
                ifnull(albums.sort, albums.title) COLLATE NOCASE, albums.id
            LIMIT ?
            """, found.values + [.integer(Int64(limit))]
        ) { row in
            albums.append(
                Album(
                    id: row.integer(0), title: row.text(1), artist: row.optionalText(2), year: row.optionalInteger(3),
                    songCount: Int(row.integer(4))))
            return true
        }
        return albums
    }
}
