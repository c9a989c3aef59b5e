import AudioCore

/// The picture to show beside a song: the one in its file, else one beside the file. It is not decoded.
public struct SongArtwork: Hashable, Sendable {
    /// The picture's file, or the part of the song that is one; at most ``AudioCore/Limits/artworkByteCount``.
    public let bytes: [UInt8]
    /// What the bytes begin like. Whether they are a picture to the end shows when it is drawn.
    public let format: PictureFormat
    /// The picture's own file; nil if it is in the song.
    public let path: String?

    /// "image/jpeg", "image/png", "image/webp" or "image/gif".
    public var mediaType: String { format.mediaType }

    /// Reads a song's picture. Blocks; reads a few megabytes of the song, and one directory.
    ///
    /// In the song the first picture counts. In its directory files of certain names count (``FolderPictures``).
    /// - Returns: nil if there is no picture of a known format and allowed size, or the song cannot be opened.
    public init?(ofSong path: String) {
        guard let file = try? SongFile(path: path) else { return nil }
        if let bytes = Self.embedded(in: file), let format = PictureFormat(bytes) {
            self.init(bytes: bytes, format: format, path: nil)
            return
        }
        for path in FolderPictures.paths(besideSong: path) {
            guard let (bytes, format) = Self.picture(at: path) else { continue }
            self.init(bytes: bytes, format: format, path: path)
            return
        }
        return nil
    }

    private init(bytes: [UInt8], format: PictureFormat, path: String?) {
        self.bytes = bytes
        self.format = format
        self.path = path
    }

    /// Returns the picture that comes before the first packet, or behind the last where tags may lie there.
    private static func embedded(in file: consuming SongFile) -> [UInt8]? {
        var stream = SongStream(file)
        var sink = PictureSink()
        var byteCount = 0
        while !stream.isFinished, sink.picture == nil, stream.packetCount == 0,
            byteCount < AudioStreamSummary.songByteLimit
        {
            guard let count = try? stream.advance(into: &sink) else { break }
            byteCount += count
        }
        return sink.picture
    }

    /// Whether there is a picture beside a song, which counts if there is none in it. Blocks; reads one directory.
    public static func isPicture(besideSong path: String) -> Bool {
        FolderPictures.paths(besideSong: path).contains { isPicture(at: $0) }
    }

    /// Whether a file is a picture to show, by its size and its first bytes. Blocks.
    public static func isPicture(at path: String) -> Bool {
        guard let file = try? SongFile(path: path) else { return false }
        return isPicture(file)
    }

    private static func isPicture(_ file: borrowing SongFile) -> Bool {
        // The file's size is the system's word, not the picture's.
        file.byteCount <= Limits.artworkByteCount
            && PictureFormat(bytes(of: file, atMost: PictureFormat.signatureByteCount)) != nil
    }

    private static func picture(at path: String) -> ([UInt8], PictureFormat)? {
        guard let file = try? SongFile(path: path), isPicture(file) else { return nil }
        let bytes = bytes(of: file, atMost: Int(file.byteCount))
        return PictureFormat(bytes).map { (bytes, $0) }
    }

    /// Returns a file's first bytes; none if it cannot be read.
    private static func bytes(of file: borrowing SongFile, atMost count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: 0)) ?? 0 }
        bytes.removeLast(count - read)
        return bytes
    }
}

/// Keeps the first picture.
private struct PictureSink: AudioStreamSink {
    private(set) var picture: [UInt8]?

    mutating func streamDidParse(property: AudioStreamProperty) {
        guard picture == nil, case .artwork(let bytes) = property else { return }
        picture = bytes
    }

    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {}
}
