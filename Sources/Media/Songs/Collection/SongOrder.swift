import AudioCore

/// Where a song stands among those of its directory: by album, disc and track as its tags have them, then by name.
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

    /// Tags have "3", "03" or "3/12".
    private static func number(_ text: String) -> Int? {
        Int(text.drop { $0 == " " }.prefix { $0.isASCII && $0.isWholeNumber })
    }

    static func < (left: SongOrder, right: SongOrder) -> Bool {
        // What has no album or no track comes after what has one.
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
    /// Bytes of a song that are read for its tags at most: behind a picture of that size nobody looks for them.
    private static let tagByteCountLimit = 4 * 1024 * 1024

    /// Reads the tags that stand before the audio. A file that cannot be read has none; who plays it tells why.
    init(path: String, name: String) {
        self.init(name: name, info: Self.info(of: path))
    }

    private static func info(of path: String) -> [AudioInfoKey: String] {
        guard let file = try? SongFile(path: path) else { return [:] }
        var stream = SongStream(file)
        var sink = NoSink()
        var byteCount = 0
        while !stream.isFinished, stream.packetCount == 0, byteCount < tagByteCountLimit {
            guard let count = try? stream.advance(into: &sink) else { break }
            byteCount += count
        }
        return stream.summary.info
    }
}

/// The stream's own summary is all that is wanted.
private struct NoSink: AudioStreamSink {
    mutating func streamDidParse(property: AudioStreamProperty) {}
    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {}
}
