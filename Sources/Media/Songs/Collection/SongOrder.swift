import AudioCore

/// The position of a song in its directory: by album, disc and track in its tags, then by name.
struct SongOrder: Comparable {
    private let album: NaturalOrder?
    private let disc: Int
    private let track: Int?
    private let name: NaturalOrder

    init(name: String, info: [AudioInfoKey: String]) {
        self.name = NaturalOrder(name)
        album = info[.album].map { NaturalOrder($0) }
        disc = info[.disc].flatMap(Self.number) ?? 1
        track = info[.track].flatMap(Self.number)
    }

    /// Parses "3", "03" or "3/12".
    private static func number(_ text: String) -> Int? {
        Int(text.drop { $0 == " " }.prefix { $0.isASCII && $0.isWholeNumber })
    }

    static func < (left: SongOrder, right: SongOrder) -> Bool {
        // Songs without an album or a track come after those with one.
        if left.album != right.album {
            guard let leftAlbum = left.album, let rightAlbum = right.album else { return left.album != nil }
            return leftAlbum < rightAlbum
        }
        if left.disc != right.disc { return left.disc < right.disc }
        if left.track != right.track {
            guard let leftTrack = left.track, let rightTrack = right.track else { return left.track != nil }
            return leftTrack < rightTrack
        }
        return left.name < right.name
    }
}

extension SongOrder {
    /// Reads the tags before the audio. A file that cannot be read has none; playing it shows why.
    init(path: String, name: String) {
        self.init(name: name, info: AudioStreamSummary(ofSong: path)?.info ?? [:])
    }
}
