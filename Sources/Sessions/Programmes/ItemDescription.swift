import AudioCore

/// What a song says of itself: its tags, how long it is, and whether a picture comes with it.
public struct ItemDescription: Hashable, Sendable {
    /// Nil where the song does not say it; never empty, and at most ``Limits/titleByteCount`` bytes each.
    public let title: String?
    public let artist: String?
    public let album: String?
    /// Nil where it is unknown.
    public let duration: TimeSpan?
    /// Whether the duration follows from sizes and bit rates.
    public let isDurationEstimated: Bool
    /// Nil where nobody looked for one.
    public let hasPicture: Bool?

    public init(
        title: String? = nil, artist: String? = nil, album: String? = nil, duration: TimeSpan? = nil,
        isDurationEstimated: Bool = false, hasPicture: Bool? = nil
    ) {
        self.title = Self.bounded(title)
        self.artist = Self.bounded(artist)
        self.album = Self.bounded(album)
        self.duration = duration.flatMap { $0 >= .zero ? $0 : nil }
        self.isDurationEstimated = isDurationEstimated
        self.hasPicture = hasPicture
    }

    /// - Parameters:
    ///   - summary: of the song, as far as its first packet at least.
    ///   - hasPicture: whether there is one in the song or beside it; nil if nobody looked.
    public init(_ summary: AudioStreamSummary, hasPicture: Bool? = nil) {
        self.init(
            title: summary.info[.title], artist: summary.info[.artist], album: summary.info[.album],
            duration: summary.estimatedDuration,
            // A chain of Ogg streams says how long its first one is.
            isDurationEstimated: summary.duration == nil || summary.fileType == .ogg,
            hasPicture: hasPicture)
    }

    private static func bounded(_ text: String?) -> String? {
        guard let text else { return nil }
        let bounded = String(displaying: text, maximumByteCount: Limits.titleByteCount)
        return bounded.isEmpty ? nil : bounded
    }
}
