/// An album with songs that were found.
public struct FoundAlbum: Hashable, Sendable {
    public let album: Album
    /// Those of the songs that were found.
    public let songArtists: Set<String>
}
