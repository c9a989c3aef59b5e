import AudioCore

// APE tags, version 1 and 2 (wiki.hydrogenaud.io, "APEv2 specification"). A tag has a footer and, usually in version 2,
// a header, both of 32 bytes: "APETAGEX", version, size, item count, flags, all little-endian. The size counts items
// and footer. Each item is the size of its value, flags, its zero-terminated key, and the value. A footer without a
// header comes too late for a forward reader: the items of that tag are junk.

/// Reads one APE tag as its bytes come.
struct APETagReader {
    static let headerByteCount = 32

    private enum Stage {
        case header
        /// Size, flags, and the key up to its zero.
        case itemHeader
        case text(AudioInfoKey), picture
        /// The value of a field that ``LyricsFields`` knows.
        case lyrics(String)
        case skip
    }

    /// Findings of the last call of ``consume(_:from:)``, in the tag's order; only the tag's first picture, and
    /// the first lyrics of each name.
    private(set) var found: [TagFinding] = []

    /// Bytes still to come of the tag; of its items and of the current stage below.
    private var remaining: Int
    private var itemsRemaining: Int
    private var stage = Stage.header
    private var stageRemaining = Self.headerByteCount
    private var field: [UInt8] = []
    private var hasPicture = false
    private var lyrics = LyricsFields()

    /// - Returns: nil if no tag stands at `offset`; the caller has checked that its 32 bytes are present.
    init?(_ bytes: RawSpan, at offset: Int) {
        guard bytes.has("APETAGEX", at: offset) else { return nil }
        let isHeader = bytes.littleEndian32(at: offset + 20) & (1 << 29) != 0
        let size = isHeader ? Int(bytes.littleEndian32(at: offset + 12)) : 0
        guard size <= AudioFileStreamLimits.apeTagByteCount else { return nil }
        remaining = Self.headerByteCount + size
        itemsRemaining = max(0, size - Self.headerByteCount)
    }

    /// Reads items without a header.
    private init(itemsByteCount: Int) {
        remaining = itemsByteCount
        itemsRemaining = itemsByteCount
        stage = .itemHeader
        stageRemaining = 0
    }

    /// Returns the sizes of the tag whose footer stands at `offset` and of its items, and a reader of the items. The
    /// caller has checked that the footer's 32 bytes are present.
    static func behind(_ bytes: RawSpan, footerAt offset: Int) -> (byteCount: Int, itemsByteCount: Int, reader: Self)? {
        guard bytes.has("APETAGEX", at: offset) else { return nil }
        let flags = bytes.littleEndian32(at: offset + 20)
        let size = Int(bytes.littleEndian32(at: offset + 12))
        // Bit 29: this is the header; bit 31: the tag has a header.
        guard flags & (1 << 29) == 0, size >= headerByteCount, size <= AudioFileStreamLimits.apeTagByteCount else {
            return nil
        }
        let items = size - headerByteCount
        return (size + (flags & (1 << 31) != 0 ? headerByteCount : 0), items, Self(itemsByteCount: items))
    }

    var isDone: Bool { remaining == 0 }

    /// Consumes bytes of the tag from `start` on, beginning with its header; returns their number.
    mutating func consume(_ bytes: RawSpan, from start: Int) -> Int {
        found.removeAll(keepingCapacity: true)
        let end = start + min(remaining, bytes.byteCount - start)
        var place = start
        while place < end { place += take(bytes.extracting(place..<end)) }
        remaining -= place - start
        return place - start
    }

    private mutating func take(_ bytes: RawSpan) -> Int {
        if case .itemHeader = stage {
            field.append(bytes[0])
            itemsRemaining -= 1
            if field.count > 8, bytes[0] == 0 { beginValue() }
            if case .itemHeader = stage, itemsRemaining == 0 || field.count > 8 + 255 { passRest() }
            return 1
        }
        let count = min(stageRemaining, bytes.byteCount)
        switch stage {
        case .text, .picture, .lyrics: bytes.extracting(0..<count).withUnsafeBytes { field.append(contentsOf: $0) }
        default: break
        }
        if case .header = stage {} else { itemsRemaining -= count }
        stageRemaining -= count
        if stageRemaining == 0 { endStage() }
        return count
    }

    /// Begins the value of the item whose size, flags and key were read.
    private mutating func beginValue() {
        let size = Int(field.span.bytes.littleEndian32(at: 0))
        let flags = field.span.bytes.littleEndian32(at: 4)
        let name = TagText.latin1(field[8...]).uppercased()
        field.removeAll(keepingCapacity: true)
        guard size <= itemsRemaining else { return passRest() }
        stageRemaining = size
        stage = .skip
        // Bits 1 and 2 of the flags: 0 is UTF-8, 1 is binary.
        switch flags >> 1 & 3 {
        case 0 where LyricsFields.names.contains(name):
            if size <= Limits.lyricsByteCount, lyrics.wants(name) { stage = .lyrics(name) }
        case 0 where size <= AudioFileStreamLimits.tagTextByteCount:
            if let key = Self.keys[name] { stage = .text(key) }
        case 1 where !hasPicture && size <= Limits.artworkByteCount + 256:
            if name.hasPrefix("COVER ART") { stage = .picture }
        default: break
        }
        if size == 0 { endStage() }
    }

    private mutating func endStage() {
        switch stage {
        case .text(let key):
            let text = TagText.utf8(field)
            let fields = TagText.field(key, key == .genre ? ID3Genre.text(text) : text)
            found += fields.map { .text($0.0, $0.1) }
        case .picture:
            // A zero-terminated file name comes first.
            let bytes = field.drop { $0 != 0 }.dropFirst()
            if !bytes.isEmpty, bytes.count <= Limits.artworkByteCount {
                found.append(.artwork(Array(bytes)))
                hasPicture = true
            }
        case .lyrics(let name):
            if let words = lyrics.take(name, field[...]) { found.append(.lyrics(words)) }
        default: break
        }
        field = []
        stage = .itemHeader
        // Only the footer, or nothing, follows.
        if itemsRemaining <= 0 { passRest() }
    }

    /// Skips the rest of the tag: it is invalid, or the footer.
    private mutating func passRest() {
        stage = .skip
        stageRemaining = .max
        field = []
    }

    private static let keys: [String: AudioInfoKey] = [
        "TITLE": .title, "ARTIST": .artist, "ALBUM": .album, "TRACK": .track, "YEAR": .year,
        "ALBUM ARTIST": .albumArtist, "ALBUMARTIST": .albumArtist, "COMPOSER": .composer, "GENRE": .genre,
        "DISC": .disc, "COMMENT": .comment, "REPLAYGAIN_TRACK_GAIN": .trackGain,
        "REPLAYGAIN_TRACK_PEAK": .trackPeak, "REPLAYGAIN_ALBUM_GAIN": .albumGain,
        "REPLAYGAIN_ALBUM_PEAK": .albumPeak, "TITLESORT": .titleSort, "ARTISTSORT": .artistSort,
        "ALBUMSORT": .albumSort, "ALBUMARTISTSORT": .albumArtistSort, "COMPILATION": .compilation,
    ]
}
