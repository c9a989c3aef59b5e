import AudioCore

/// Recognises the tags before, between and after frames, and reads them as they pass.
struct TagScanner {
    enum Finding {
        case none
        /// The window must reach this many bytes past the place.
        case needsMore(Int)
        /// A tag, which ``pass(_:from:into:)`` reads.
        case begins(TagReader)
    }

    /// Bytes needed to recognise a tag: an APE tag's header is the longest.
    static let signatureByteCount = APETagReader.headerByteCount

    private var current: TagReader?
    private var info: InfoCollector

    /// - Parameter info: the contents of earlier tags.
    init(info: InfoCollector) { self.info = info }

    var isInside: Bool { current != nil }

    /// Whether a tag seems to begin here, including one that does not give its size (Lyrics3).
    static func isSignature(_ bytes: RawSpan, at offset: Int) -> Bool {
        guard offset < bytes.byteCount else { return false }
        switch bytes[offset] {
        case UInt8(ascii: "I"): return bytes.has("ID3", at: offset)
        case UInt8(ascii: "T"): return bytes.has("TAG", at: offset)
        case UInt8(ascii: "A"): return bytes.has("APETAGEX", at: offset)
        case UInt8(ascii: "L"): return bytes.has("LYRICSBEGIN", at: offset)
        default: return false
        }
    }

    /// Returns the tag that begins at a place. The caller has checked for ``signatureByteCount`` bytes or `isLast`.
    /// - Parameter isAtBoundary: a frame or a tag ended here, or the file begins.
    static func find(_ bytes: RawSpan, at place: Int, isAtBoundary: Bool, isLast: Bool) -> Finding {
        guard isSignature(bytes, at: place) else { return .none }
        let available = bytes.byteCount - place
        if bytes.has("ID3", at: place), available >= ID3v2Reader.headerByteCount {
            return ID3v2Reader(bytes, at: place).map { .begins(.id3v2($0)) } ?? .none
        }
        if available >= APETagReader.headerByteCount, let reader = APETagReader(bytes, at: place) {
            return .begins(.ape(reader))
        }
        guard bytes.has("TAG", at: place) else { return .none }
        // Within junk, "TAG" counts only where a tag must stand, 128 bytes before the end.
        let wanted = ID3v1Tag.byteCount + (isAtBoundary ? 0 : 1)
        guard isLast || available >= wanted else { return .needsMore(wanted) }
        guard available == ID3v1Tag.byteCount || (isAtBoundary && available > ID3v1Tag.byteCount) else { return .none }
        return .begins(.id3v1(ID3v1Tag.fields(bytes, at: place)))
    }

    /// Whether the file's last bytes are an ID3v1 tag, which a cut-off frame before it must not swallow.
    static func hasID3v1AtEnd(_ bytes: RawSpan, from place: Int) -> Bool {
        bytes.byteCount - place > ID3v1Tag.byteCount && bytes.has("TAG", at: bytes.byteCount - ID3v1Tag.byteCount)
    }

    mutating func begin<Sink: AudioStreamSink & ~Copyable>(_ tag: TagReader, into sink: inout Sink) {
        current = tag
        guard case .id3v1(let fields) = tag else { return }
        info.give(fields, into: &sink)
        current = .skipped(ID3v1Tag.byteCount)
    }

    /// Reports the findings of tags elsewhere in the file.
    mutating func give<Sink: AudioStreamSink & ~Copyable>(_ findings: [TagFinding], into sink: inout Sink) {
        info.give(findings, into: &sink)
    }

    /// Continues the current tag; returns the number of bytes consumed.
    mutating func pass<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, from place: Int, into sink: inout Sink
    ) -> Int {
        switch current.take() {
        case nil: return 0
        case .skipped(let byteCount):
            let passed = min(byteCount, bytes.byteCount - place)
            if passed < byteCount { current = .skipped(byteCount - passed) }
            return passed
        case .id3v2(var reader):
            let passed = reader.consume(bytes, from: place)
            info.give(reader.found, into: &sink)
            if !reader.isDone { current = .id3v2(reader) }
            return passed
        case .ape(var reader):
            let passed = reader.consume(bytes, from: place)
            info.give(reader.found, into: &sink)
            if !reader.isDone { current = .ape(reader) }
            return passed
        case .id3v1:
            return 0
        }
    }

    /// Drops the current tag after missing bytes.
    mutating func abandon() { current = nil }
}

/// One tag and the state of reading it.
enum TagReader {
    case skipped(Int)
    case id3v2(ID3v2Reader)
    case ape(APETagReader)
    case id3v1([(AudioInfoKey, String)])
}
