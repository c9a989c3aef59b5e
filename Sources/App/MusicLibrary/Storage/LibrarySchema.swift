/// The tables of the index.
///
/// Whatever is in them can be read from the songs again, so another version of the tables is begun anew.
enum LibrarySchema {
    /// Kept as the database's user_version.
    static let version: Int64 = 3

    /// An album is known by its title and the album artist that its songs name; if they name none, by its title and its
    /// directory, with those of its discs: so a compilation is one album, and two of one title are two. Ids are
    /// positive: `ifnull(directory, -artist)` is either of them.
    ///
    /// An album of a directory is by Various Artists if tags call one of its songs part of a compilation, else its
    /// `artist` is null. The flag does not join directories: many compilations are named "Greatest Hits". So it is in
    /// beets, where an import makes an album of a directory. Players of MPD's go by the names of album and album artist
    /// alone, and here, too, whoever writes "Various Artists" into the tags has one album, wherever its songs lie.
    ///
    /// A song's picture is its own where it has one, else that of its directory, if there is any.
    ///
    /// `sort` of an artist and an album is what they are ordered by, where it is not the name. Songs may differ about
    /// it: `sort_names` is what each says, the same row for all that say the same.
    ///
    /// `words` has no content of its own: what it indexes is given again when it is taken out, by `song_words`.
    static let tables = """
        CREATE TABLE directories (
            id INTEGER PRIMARY KEY,
            path TEXT NOT NULL UNIQUE,
            is_mount INTEGER NOT NULL,
            picture TEXT,
            picture_byte_count INTEGER,
            picture_modified INTEGER);
        CREATE TABLE artists (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            sort TEXT);
        CREATE TABLE genres (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE);
        CREATE TABLE albums (
            id INTEGER PRIMARY KEY,
            title TEXT NOT NULL,
            artist INTEGER REFERENCES artists,
            directory INTEGER REFERENCES directories,
            sort TEXT);
        CREATE UNIQUE INDEX album_identity ON albums (title, ifnull(directory, -artist));
        CREATE TABLE sort_names (
            id INTEGER PRIMARY KEY,
            artist TEXT,
            album_artist TEXT,
            album TEXT);
        CREATE UNIQUE INDEX sort_names_identity
            ON sort_names (ifnull(artist, ''), ifnull(album_artist, ''), ifnull(album, ''));
        CREATE TABLE songs (
            id INTEGER PRIMARY KEY,
            directory INTEGER NOT NULL REFERENCES directories,
            name TEXT NOT NULL,
            byte_count INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            title TEXT,
            artist INTEGER REFERENCES artists,
            album INTEGER REFERENCES albums,
            composer INTEGER REFERENCES artists,
            genre INTEGER REFERENCES genres,
            track INTEGER,
            disc INTEGER,
            year INTEGER,
            milliseconds INTEGER,
            sort INTEGER REFERENCES sort_names,
            is_compilation INTEGER NOT NULL,
            has_picture INTEGER NOT NULL);
        CREATE INDEX songs_of_directory ON songs (directory);
        CREATE INDEX songs_of_album ON songs (album);
        CREATE INDEX songs_of_compilations ON songs (album) WHERE is_compilation = 1;
        CREATE TABLE updates (
            finished INTEGER NOT NULL);
        CREATE VIEW song_words AS
            SELECT songs.id AS id, ifnull(songs.title, songs.name) AS title,
                ifnull(artists.name, '') || ifnull(' ' || nullif(album_artists.name, artists.name), '') AS artist,
                albums.title AS album, composers.name AS composer, genres.name AS genre
            FROM songs
            LEFT JOIN artists ON artists.id = songs.artist
            LEFT JOIN albums ON albums.id = songs.album
            LEFT JOIN artists AS album_artists ON album_artists.id = albums.artist
            LEFT JOIN artists AS composers ON composers.id = songs.composer
            LEFT JOIN genres ON genres.id = songs.genre;
        CREATE VIRTUAL TABLE words USING fts5(
            title, artist, album, composer, genre, content = '', \(tokenizer));
        PRAGMA user_version = \(version);
        """

    private static let tokenizer = "tokenize = 'unicode61 remove_diacritics 2'"

    /// What a connection makes for itself: all words of the index, with the number of songs that have them; and a place
    /// where the words of a text are found as they are in the index (https://sqlite.org/fts5.html, section 8).
    static let vocabulary = """
        CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row');
        CREATE VIRTUAL TABLE IF NOT EXISTS temp.typed USING fts5(text, content = '', \(tokenizer));
        CREATE VIRTUAL TABLE IF NOT EXISTS temp.typed_words USING fts5vocab('temp', 'typed', 'instance');
        """

    /// Readers go on while somebody writes; a power loss takes the last changes at most.
    static let settings = """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = NORMAL;
        PRAGMA temp_store = MEMORY;
        """
}
