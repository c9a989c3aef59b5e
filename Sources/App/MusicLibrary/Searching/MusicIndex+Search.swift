import AudioCore
import Songs

extension MusicIndex {
    /// The order of songs that were found.
    public enum SearchOrder: Hashable, Sendable {
        /// What fits best comes first: titles before artists, artists before albums.
        case relevance
        /// As albums are played: by artist, album, disc, track. Artists and albums go by the sort names that tags give
        /// most often, else by their names without a leading "The", "A" or "An".
        case albums
    }

    /// Songs among which the best are chosen. A letter or two may be in most songs of a large library, and whoever
    /// types them types on.
    private static let candidateCount = 10_000

    /// Finds songs; none for a query without a term that must be there.
    ///
    /// By relevance, of more than ten thousand that fit the first ones of the index are compared.
    public func search(
        _ query: SearchQuery, by order: SearchOrder = .relevance, limit: Int = 1_000
    ) throws(LibraryError) -> [FoundSong] {
        guard !query.isEmpty else { return [] }
        let isRanked = order == .relevance && query.match != nil
        return try songs(isRanked ? Self.best(query, limit) : Self.all(query), areRanked: isRanked, limit: limit)
    }

    /// A query for row numbers, of songs that are ranked with scores, and its values.
    typealias Part = (text: String, values: [SQLValue])

    /// Returns the songs that are found, by score or in album order.
    func songs(_ found: Part, areRanked: Bool, limit: Int) throws(LibraryError) -> [FoundSong] {
        var songs: [FoundSong] = []
        try database.query(
            """
            WITH found AS (\(found.text)), first_artists AS (
                SELECT songs.album AS album, min(ifnull(artists.sort, artists.name) COLLATE NOCASE) AS sort
                FROM songs JOIN albums ON albums.id = songs.album JOIN artists ON artists.id = songs.artist
                WHERE albums.artist IS NULL
                    AND songs.album IN (SELECT songs.album FROM found JOIN songs ON songs.id = found.id)
                GROUP BY songs.album)
            SELECT directories.path, songs.name, songs.title, artists.name, albums.title, album_artists.name,
                composers.name, genres.name, songs.track, songs.disc, songs.year, songs.milliseconds,
                songs.has_picture, directories.picture,
                \(areRanked ? "row_number() OVER (ORDER BY \(Self.albumOrder)) - 1" : "NULL")
            FROM found
            JOIN songs ON songs.id = found.id
            JOIN directories ON directories.id = songs.directory
            LEFT JOIN artists ON artists.id = songs.artist
            LEFT JOIN albums ON albums.id = songs.album
            LEFT JOIN artists AS album_artists ON album_artists.id = albums.artist
            LEFT JOIN artists AS composers ON composers.id = songs.composer
            LEFT JOIN genres ON genres.id = songs.genre
            LEFT JOIN first_artists ON first_artists.album = songs.album
            ORDER BY \(areRanked ? "found.score, directories.path, songs.name" : Self.albumOrder)
            LIMIT ?
            """, found.values + [.integer(Int64(limit))]
        ) { row in
            songs.append(FoundSong(row, albumPlace: row.optionalInteger(14) ?? songs.count))
            return true
        }
        return songs
    }

    /// The row numbers of all songs that fit.
    static func all(_ query: SearchQuery) -> Part {
        var (conditions, values) = years(query)
        let match: Part? = query.match.map { ("SELECT rowid FROM words WHERE words MATCH ?", [.text($0)]) }
        if let match {
            conditions.append("id IN (\(match.text))")
            values += match.values
        } else if let exclusion = query.exclusion {
            conditions.append("id NOT IN (SELECT rowid FROM words WHERE words MATCH ?)")
            values.append(.text(exclusion))
        }
        return ("SELECT id FROM songs WHERE " + conditions.joined(separator: " AND "), values)
    }

    /// The row numbers and scores of the songs that fit best, the best with the lowest.
    private static func best(_ query: SearchQuery, _ limit: Int) -> Part {
        let (conditions, values) = years(query)
        let source = conditions.isEmpty ? "words" : "words JOIN songs ON songs.id = words.rowid"
        // Titles before artists, artists before albums.
        let scored = """
            SELECT words.rowid AS id, bm25(words, 8, 4, 2, 1, 1) AS score FROM \(source)
            WHERE \((["words MATCH ?"] + conditions).joined(separator: " AND ")) LIMIT \(max(candidateCount, limit))
            """
        return (
            "SELECT id, score FROM (\(scored)) ORDER BY score LIMIT \(limit)", [.text(query.match ?? "")] + values
        )
    }

    private static func years(_ query: SearchQuery) -> (conditions: [String], values: [SQLValue]) {
        guard let years = query.years else { return ([], []) }
        return (
            ["songs.year BETWEEN ? AND ?"], [.integer(Int64(years.lowerBound)), .integer(Int64(years.upperBound))]
        )
    }

    /// An album whose songs name no artist for all of it goes by the first of their artists.
    private static let albumOrder = """
        coalesce(album_artists.sort, album_artists.name, first_artists.sort, artists.sort, artists.name) COLLATE NOCASE,
        ifnull(albums.sort, albums.title) COLLATE NOCASE, songs.album, ifnull(songs.disc, 1),
        ifnull(songs.track, 1000000), directories.path, songs.name
        """
}

extension FoundSong {
    fileprivate init(_ row: SQLRow, albumPlace: Int) {
        let name = row.text(1)
        path = FileName.join(row.text(0), name)
        title = row.optionalText(2) ?? name
        artist = row.optionalText(3)
        album = row.optionalText(4)
        albumArtist = row.optionalText(5)
        composer = row.optionalText(6)
        genre = row.optionalText(7)
        track = row.optionalInteger(8)
        disc = row.optionalInteger(9)
        year = row.optionalInteger(10)
        // Of a damaged index it may be anything.
        duration = row.optionalInteger(11).map { .milliseconds(min(max(0, Int64($0)), SongTags.longestMilliseconds)) }
        artwork = Artwork(hasPicture: row.integer(12) != 0, besideIt: row.optionalText(13), in: row.text(0))
        self.albumPlace = albumPlace
    }
}

extension FoundSong.Artwork {
    /// - Parameters:
    ///   - hasPicture: whether the song has one of its own, which counts then.
    ///   - name: of the picture of the song's directory.
    init?(hasPicture: Bool, besideIt name: String?, in directory: String) {
        if hasPicture {
            self = .embedded
        } else if let name {
            self = .folder(path: FileName.join(directory, name))
        } else {
            return nil
        }
    }
}
