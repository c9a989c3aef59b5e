import AudioCore
import Glibc

extension Lyrics {
    /// Bytes of a song that are read for its tags: pictures before the lyrics are read over.
    private static let songByteLimit = 16 * 1024 * 1024

    /// The endings of a file with lyrics, the usual ones first.
    private static let extensions = ["lrc", "LRC", "Lrc", "lRc", "lrC", "LRc", "LrC", "lRC"]

    /// Reads the lyrics of a song: from `NAME.lrc` beside it, otherwise from its tags, timed ones first. Blocks.
    ///
    /// A file of lyrics must be one: links are not followed, since lyrics are shown to others, and a link could name
    /// any text.
    /// - Returns: nil if there are none, or nothing can be read.
    public init?(ofSong path: String) {
        guard let lyrics = Self.beside(path) ?? Self.inTags(ofSong: path) else { return nil }
        self = lyrics
    }

    private static func beside(_ path: String) -> Lyrics? {
        let base = FileName.withoutExtension(path)
        guard let last = base.utf8.last, last != UInt8(ascii: "/") else { return nil }
        for ending in extensions {
            if let lyrics = read(base + "." + ending) { return lyrics }
        }
        return nil
    }

    private static func read(_ path: String) -> Lyrics? {
        // Opening a pipe must not block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let file = try? SongFile(descriptor: descriptor, calledPath: path) else { return nil }
        // One byte more shows that there is more.
        let byteCount = Int(min(file.byteCount, Int64(inputLimit) + 1))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 1)
        defer { buffer.deallocate() }
        guard let count = try? file.read(into: buffer, at: 0) else { return nil }
        return Lyrics(parsing: Array(buffer[..<count]))
    }

    private static func inTags(ofSong path: String) -> Lyrics? {
        guard let file = try? SongFile(path: path) else { return nil }
        var stream = SongStream(file)
        var sink = LyricsSink()
        var byteCount = 0
        while !stream.isFinished, stream.packetCount == 0, byteCount < songByteLimit, sink.timed == nil {
            guard let count = try? stream.advance(into: &sink) else { break }
            byteCount += count
        }
        return sink.timed ?? sink.plain
    }
}

/// Keeps the first lyrics with times, and the first without.
private struct LyricsSink: AudioStreamSink {
    private(set) var timed: Lyrics?
    private(set) var plain: Lyrics?

    mutating func streamDidParse(property: AudioStreamProperty) {}
    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {}

    mutating func streamDidParse(lyrics: AudioStreamLyrics) {
        guard timed == nil, let found = Lyrics(lyrics) else { return }
        if found.isTimed { timed = found } else { plain = plain ?? found }
    }
}

extension Lyrics {
    /// Creates lyrics from what a tag has.
    fileprivate init?(_ lyrics: AudioStreamLyrics) {
        switch lyrics {
        case .text(let text): self.init(parsing: text)
        case .timed(let lines): self.init(lines: lines.map { Line(time: $0.time, text: $0.text) })
        }
    }
}
