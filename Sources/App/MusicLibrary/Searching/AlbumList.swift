/// The albums of an index, in the order in which they are played.
public struct AlbumList: Hashable, Sendable {
    /// The first ones, no more than were asked for.
    public var albums: [Album]
    /// Songs of the index whose tags name no album.
    public var looseSongCount: Int

    public init(_ albums: [Album], looseSongCount: Int = 0) {
        self.albums = albums
        self.looseSongCount = looseSongCount
    }
}
