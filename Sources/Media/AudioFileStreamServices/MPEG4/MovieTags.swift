import AudioCore

// Metadata: iTunes' item list in `moov/udta/meta/ilst`, with the values in `data` boxes (a type, a locale, the value);
// QuickTime's items with names in `keys`; QuickTime's old texts directly in `udta` (a size, a language, the text);
// 3GPP's boxes in the same place (TS 26.244 section 8: version and flags, a language, zero-terminated text).

/// Reads metadata items.
struct MovieTags {
    enum Found {
        case field(AudioInfoKey, String)
        case artwork([UInt8])
        case lyrics(String)
        case gapless(ITunesGaplessTag)
    }

    /// Names of QuickTime's items, which are numbered from 1.
    private var keys: [String] = []
    private static let largestKeyCount = 256

    /// Reads the body of `keys`, including version and flags.
    mutating func takeKeys(_ body: [UInt8]) {
        var names: [String] = []
        forEachBox(in: body.span.bytes, 8..<max(8, body.count)) { _, range in
            guard names.count < Self.largestKeyCount else { return }
            names.append(TagText.utf8(body[range.clamped(to: 0..<body.count)]))
        }
        keys = names
    }

    // MARK: Items

    /// Reads the body of an item in `ilst`.
    func item(_ type: BoxType, _ body: [UInt8]) -> [Found] {
        var name = ""
        var value: (type: UInt32, bytes: Range<Int>)?
        let bytes = body.span.bytes
        forEachBox(in: bytes, body.indices) { inner, range in
            let range = range.clamped(to: 0..<body.count)
            if inner == .name, range.count > 4 { name = TagText.utf8(body[range.dropFirst(4)]) }
            if inner == .data, range.count >= 8, value == nil {
                value = (body.span.bytes.bigEndian32(at: range.lowerBound), range.dropFirst(8))
            }
        }
        guard let value else { return [] }
        switch type {
        case BoxType("covr"):
            return value.bytes.isEmpty || value.bytes.count > Limits.artworkByteCount
                ? [] : [.artwork(Array(body[value.bytes]))]
        case .lyrics: return Self.lyrics(value.type, body[value.bytes])
        case BoxType("trkn"): return Self.number(body[value.bytes]).map { [.field(.track, $0)] } ?? []
        case BoxType("disk"): return Self.number(body[value.bytes]).map { [.field(.disc, $0)] } ?? []
        case BoxType("cpil"): return Self.flag(body[value.bytes]).map { [.field(.compilation, $0)] } ?? []
        case BoxType("----"): return Self.custom(name, Self.text(value.type, Array(body[value.bytes])))
        default: break
        }
        let text = Self.text(value.type, Array(body[value.bytes]))
        if let key = Self.keys[type] { return Self.field(key, text) }
        let index = Int(type.rawValue) - 1
        guard keys.indices.contains(index), let key = Self.key(named: keys[index]) else { return [] }
        return Self.field(key, text)
    }

    private static func text(_ type: UInt32, _ bytes: [UInt8]) -> String {
        bytes.count <= AudioFileStreamLimits.tagTextByteCount ? decoded(type, bytes) : ""
    }

    /// Well-known types: 1 is UTF-8, 2 is UTF-16.
    private static func decoded(_ type: UInt32, _ bytes: [UInt8]) -> String {
        type == 2 ? TagText.utf16(bytes, bigEndian: true) : TagText.guessed(bytes)
    }

    private static func lyrics(_ type: UInt32, _ bytes: ArraySlice<UInt8>) -> [Found] {
        guard bytes.count <= Limits.lyricsByteCount else { return [] }
        let text = decoded(type, Array(bytes))
        return text.isEmpty ? [] : [.lyrics(text)]
    }

    private static func field(_ key: AudioInfoKey, _ text: String) -> [Found] {
        TagText.clean(key == .year ? String(text.prefix(4)) : text).map { [.field(key, $0)] } ?? []
    }

    /// Reads a pair of 16-bit numbers after two bytes as "3/12".
    private static func number(_ bytes: ArraySlice<UInt8>) -> String? {
        let bytes = Array(bytes)
        guard bytes.count >= 4 else { return nil }
        let number = bytes.span.bytes.bigEndian16(at: 2)
        let total = bytes.count >= 6 ? bytes.span.bytes.bigEndian16(at: 4) : 0
        guard number > 0 else { return nil }
        return total > 0 ? "\(number)/\(total)" : "\(number)"
    }

    /// Reads a number of any size that means true or false as "1" or "0".
    private static func flag(_ bytes: ArraySlice<UInt8>) -> String? {
        guard (1...8).contains(bytes.count) else { return nil }
        return bytes.contains { $0 != 0 } ? "1" : "0"
    }

    private static func custom(_ name: String, _ text: String) -> [Found] {
        if name == "iTunSMPB" { return ITunesGaplessTag(text).map { [.gapless($0)] } ?? [] }
        return key(named: name).map { field($0, text) } ?? []
    }

    private static func key(named name: String) -> AudioInfoKey? {
        let prefix = "com.apple.quicktime."
        let name = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
        switch name.lowercased() {
        case "title", "displayname": return .title
        case "artist", "author": return .artist
        case "album": return .album
        case "year", "date", "creationdate": return .year
        case "track": return .track
        case "disc": return .disc
        case "album_artist", "albumartist": return .albumArtist
        case "titlesort": return .titleSort
        case "artistsort": return .artistSort
        case "albumsort": return .albumSort
        case "albumartistsort": return .albumArtistSort
        case "composer": return .composer
        case "genre": return .genre
        case "comment": return .comment
        case "compilation": return .compilation
        case "replaygain_track_gain": return .trackGain
        case "replaygain_track_peak": return .trackPeak
        case "replaygain_album_gain": return .albumGain
        case "replaygain_album_peak": return .albumPeak
        default: return nil
        }
    }

    private static let keys: [BoxType: AudioInfoKey] = [
        BoxType("©nam"): .title, BoxType("©ART"): .artist, BoxType("©alb"): .album, BoxType("©day"): .year,
        BoxType("aART"): .albumArtist, BoxType("©wrt"): .composer, BoxType("©com"): .composer,
        BoxType("©gen"): .genre, BoxType("©cmt"): .comment, BoxType("©art"): .artist, BoxType("©trk"): .track,
        BoxType("sonm"): .titleSort, BoxType("soar"): .artistSort, BoxType("soal"): .albumSort,
        BoxType("soaa"): .albumArtistSort,
    ]

    private static let keys3GPP: [BoxType: AudioInfoKey] = [
        BoxType("titl"): .title, BoxType("perf"): .artist, BoxType("auth"): .composer, BoxType("albm"): .album,
        BoxType("gnre"): .genre, BoxType("yrrc"): .year, BoxType("dscp"): .comment,
    ]

    // MARK: Texts in `udta`

    static func isText(_ type: BoxType) -> Bool { keys[type] != nil || keys3GPP[type] != nil }

    /// Reads the body of a box in `udta`.
    static func text(_ type: BoxType, _ body: [UInt8]) -> [Found] {
        let bytes = body.span.bytes
        if let key = keys[type] {
            guard body.count >= 4 else { return [] }
            let end = min(body.count, 4 + Int(bytes.bigEndian16(at: 0)))
            return field(key, TagText.guessed(Array(body[4..<end])))
        }
        guard let key = keys3GPP[type] else { return [] }
        if key == .year { return body.count >= 6 ? field(key, "\(bytes.bigEndian16(at: 4))") : [] }
        guard body.count > 6 else { return [] }
        let text = Array(body[6...])
        let isWide = text.starts(with: [0xFE, 0xFF]) || text.starts(with: [0xFF, 0xFE])
        return field(key, isWide ? TagText.utf16(text, bigEndian: true) : TagText.guessed(text))
    }
}
