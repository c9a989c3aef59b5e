import AudioCore

/// What a song says of itself: its tags, and how long it is.
public struct ItemDescription: Hashable, Sendable {
    /// Nil where the song does not say it; never empty, and at most ``Limits/titleByteCount`` bytes each.
    public let title: String?
    public let artist: String?
    public let album: String?
    /// Nil where it is unknown.
    public let duration: TimeSpan?
    /// Whether the duration follows from sizes and bit rates.
    public let isDurationEstimated: Bool

    public init(
        title: String? = nil, artist: String? = nil, album: String? = nil, duration: TimeSpan? = nil,
        isDurationEstimated: Bool = false
    ) {
        self.title = Self.bounded(title)
        self.artist = Self.bounded(artist)
        self.album = Self.bounded(album)
        self.duration = duration.flatMap { $0 >= .zero ? $0 : nil }
        self.isDurationEstimated = isDurationEstimated
    }

    /// - Parameter summary: of the song, as far as its first packet at least.
    public init(_ summary: AudioStreamSummary) {
        self.init(
            title: summary.info[.title], artist: summary.info[.artist], album: summary.info[.album],
            duration: summary.estimatedDuration,
            // A chain of Ogg streams says how long its first one is.
            isDurationEstimated: summary.duration == nil || summary.fileType == .ogg)
    }

    private static func bounded(_ text: String?) -> String? {
        guard let text else { return nil }
        let bounded = String(displaying: text, maximumByteCount: Limits.titleByteCount)
        return bounded.isEmpty ? nil : bounded
    }
}
