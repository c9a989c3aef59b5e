/// The albums of an index, in the order in which they are played.
public struct AlbumList: Hashable, Sendable {
    /// An album.
    public struct Entry: Hashable, Sendable, Identifiable {
        /// Of one index, until it is made anew.
        public let id: Int64
        public let title: String
        /// Of the whole album, else the one that all its songs name; nil where there are several, or none.
        public let artist: String?
        /// The latest of its songs' years.
        public let year: Int?
        public let songCount: Int

        public init(id: Int64, title: String, artist: String? = nil, year: Int? = nil, songCount: Int) {
            self.id = id
            self.title = title
            self.artist = artist
            self.year = year
            self.songCount = songCount
        }
    }

    /// The first ones, no more than were asked for.
    public var albums: [Entry]
    /// Songs of the index whose tags name no album.
    public var looseSongCount: Int

    public init(_ albums: [Entry], looseSongCount: Int = 0) {
        self.albums = albums
        self.looseSongCount = looseSongCount
    }
}
