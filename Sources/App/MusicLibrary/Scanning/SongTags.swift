import AudioCore
import Songs

/// What an index keeps of a song.
struct SongTags: Hashable, Sendable {
    var title: String?
    var artist: String?
    var albumArtist: String?
    var album: String?
    /// Whether the album is said to be a compilation.
    var isCompilation: Bool
    /// Whether there is a picture in it.
    var hasPicture: Bool
    /// What their names are ordered by, where it is not as ``SortName/withoutArticle(_:)`` says.
    var artistSort: String?
    var albumArtistSort: String?
    var albumSort: String?
    var composer: String?
    var genre: String?
    var track: Int?
    var disc: Int?
    var year: Int?
    var milliseconds: Int?

    /// The longest text that is kept, in characters.
    private static let textLimit = 512

    /// The longest song, a year.
    static let longestMilliseconds: Int64 = 366 * 86_400 * 1_000

    /// Reads a song up to its first packet. A file that is no song has no tags.
    /// - Returns: nil if it cannot be read now.
    init?(ofSong path: String) {
        guard let summary = AudioStreamSummary(ofSong: path) else { return nil }
        self.init(summary)
    }

    init(_ summary: AudioStreamSummary) {
        func text(_ key: AudioInfoKey) -> String? {
            guard let text = summary.info[key]?.prefix(Self.textLimit), !text.isEmpty else { return nil }
            return String(text)
        }
        title = text(.title)
        artist = text(.artist) ?? text(.albumArtist)
        albumArtist = text(.albumArtist)
        album = text(.album)
        isCompilation = Self.number(summary.info[.compilation]).map { $0 != 0 } ?? false
        hasPicture = summary.artworkFormat != nil
        func sort(_ key: AudioInfoKey, of name: String?) -> String? {
            guard let name, let sort = text(key), sort != SortName.withoutArticle(name) else { return nil }
            return sort
        }
        artistSort = sort(text(.artist) == nil ? .albumArtistSort : .artistSort, of: artist)
        albumArtistSort = sort(.albumArtistSort, of: albumArtist)
        albumSort = sort(.albumSort, of: album)
        composer = text(.composer)
        genre = text(.genre)
        track = Self.number(summary.info[.track])
        disc = Self.number(summary.info[.disc])
        year = Self.number(summary.info[.year])
        milliseconds = summary.estimatedDuration.map { $0.nanoseconds / 1_000_000 }
            .flatMap { (0...Self.longestMilliseconds).contains($0) ? Int($0) : nil }
    }

    /// The first number in a text such as "3/12" or "2009-08-01".
    static func number(_ text: String?) -> Int? {
        text.flatMap { Int($0.drop { $0 == " " }.prefix { $0.isASCII && $0.isWholeNumber }) }
    }
}
