extension String {
    /// What a song is called in one line: `Title - Artist`, or the title alone where the artist is not known.
    public init(headline title: String, by artist: String?) {
        guard let artist, !artist.isEmpty else {
            self = title
            return
        }
        self = "\(title) - \(artist)"
    }
}
