/// An album of the index.
public struct FoundAlbum: Hashable, Sendable {
    /// Of one index, until it is made anew.
    public let id: Int64
    public let title: String
    /// Of the whole album; nil where its songs do not name one.
    public let artist: String?
    /// Those of the songs that were found.
    public internal(set) var songArtists: Set<String> = []
}
