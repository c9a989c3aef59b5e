/// An album of the index.
public struct Album: Hashable, Sendable, Identifiable {
    /// Of one index, until it is made anew.
    public let id: Int64
    public let title: String
    /// Of the whole album, "Various Artists" for a compilation, else the one that all its songs name; nil where there
    /// are several, or none.
    public let artist: String?
    /// The latest of its songs' years.
    public let year: Int?
    /// How many songs of it are in the index.
    public let songCount: Int

    public init(id: Int64, title: String, artist: String? = nil, year: Int? = nil, songCount: Int) {
        self.id = id
        self.title = title
        self.artist = artist
        self.year = year
        self.songCount = songCount
    }
}
