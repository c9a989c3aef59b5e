import AudioCore

/// A song of the index.
public struct FoundSong: Hashable, Sendable {
    /// Where its picture is.
    public enum Artwork: Hashable, Sendable {
        /// In the song's own file.
        case embedded
        /// In a file beside the song.
        case folder(path: String)
    }

    public let path: String
    /// The file's name where the song does not say its own.
    public let title: String
    public let artist: String?
    public let album: String?
    /// Of the whole album, "Various Artists" for a compilation; nil where its songs do not name one.
    public let albumArtist: String?
    public let composer: String?
    public let genre: String?
    public let track: Int?
    public let disc: Int?
    public let year: Int?
    public let duration: TimeSpan?
    /// Nil where there is none, and for a song of another machine.
    public let artwork: Artwork?
    /// Its place among the songs that were found with it when albums are played one after the other; the first has 0.
    public let albumPlace: Int

    public init(
        path: String, title: String, artist: String? = nil, album: String? = nil, albumArtist: String? = nil,
        composer: String? = nil, genre: String? = nil, track: Int? = nil, disc: Int? = nil, year: Int? = nil,
        duration: TimeSpan? = nil, artwork: Artwork? = nil, albumPlace: Int = 0
    ) {
        self.path = path
        self.title = title
        self.artist = artist
        self.album = album
        self.albumArtist = albumArtist
        self.composer = composer
        self.genre = genre
        self.track = track
        self.disc = disc
        self.year = year
        self.duration = duration
        self.artwork = artwork
        self.albumPlace = albumPlace
    }
}
