extension SongWriter {
    /// Gives artists and albums the sort names that most of their songs say, of equally many the first by its bytes. So
    /// an index that followed its folders is the same as one that is made anew.
    func chooseSortNames() throws(LibraryError) {
        try choose(
            for: "artists", named: "name",
            from: """
                SELECT songs.artist AS id, sort_names.artist AS sort
                FROM songs JOIN sort_names ON sort_names.id = songs.sort
                UNION ALL SELECT albums.artist, sort_names.album_artist
                FROM songs JOIN sort_names ON sort_names.id = songs.sort JOIN albums ON albums.id = songs.album
                """)
        try choose(
            for: "albums", named: "title",
            from: """
                SELECT songs.album AS id, sort_names.album AS sort
                FROM songs JOIN sort_names ON sort_names.id = songs.sort
                """)
    }

    /// - Parameter sayings: what one song after the other says of rows of the table.
    private func choose(for table: String, named name: String, from sayings: String) throws(LibraryError) {
        var chosen: [Int64: String] = [:]
        try database.query(
            """
            SELECT id, sort FROM (\(sayings)) WHERE id IS NOT NULL AND sort IS NOT NULL
            GROUP BY id, sort ORDER BY count(*) DESC, sort
            """
        ) { row in
            if chosen[row.integer(0)] == nil { chosen[row.integer(0)] = row.text(1) }
            return true
        }
        var changes: [(id: Int64, sort: String?)] = []
        try database.query("SELECT id, \(name), sort FROM \(table)") { row in
            let sort = SortName.kept(of: row.text(1), tag: chosen[row.integer(0)])
            if sort != row.optionalText(2) { changes.append((row.integer(0), sort)) }
            return true
        }
        guard !changes.isEmpty else { return }
        let sorts = changes
        try database.transaction { () throws(LibraryError) in
            for (id, sort) in sorts {
                try database.run("UPDATE \(table) SET sort = ? WHERE id = ?", [.optional(sort), .integer(id)])
            }
        }
    }
}
