import AudioCore

/// A song of the index.
public struct FoundSong: Hashable, Sendable {
    public let path: String
    /// The file's name where the song does not say its own.
    public let title: String
    public let artist: String?
    public let album: String?
    /// Of the whole album; nil where its songs do not name one.
    public let albumArtist: String?
    public let composer: String?
    public let genre: String?
    public let track: Int?
    public let disc: Int?
    public let year: Int?
    public let duration: TimeSpan?
}
