import AudioCore

/// The frames of an ID3v2 tag that describe the song (2.3 and 2.4 section 4; 2.2's three-character ones).
enum ID3v2Frame {
    case text(AudioInfoKey)
    /// A description, which names the field, and a value.
    case userText
    /// Encoding, language, description, text.
    case comment
    /// Encoding, MIME type (in 2.2 three characters), type, description, picture.
    case picture(hasShortType: Bool)
    /// Encoding, language, description, text.
    case lyrics
    /// Encoding, language, unit of the times, kind of text, description; then text and time, over and over.
    case timedLyrics

    /// Bytes allowed for the fields around a picture.
    private static let pictureTextByteCount = 64 * 1024

    init?(id: String) {
        switch id {
        case "TXXX", "TXX": self = .userText
        case "COMM", "COM": self = .comment
        case "APIC": self = .picture(hasShortType: false)
        case "PIC": self = .picture(hasShortType: true)
        case "USLT", "ULT": self = .lyrics
        case "SYLT", "SLT": self = .timedLyrics
        default:
            guard let key = Self.keys[id] else { return nil }
            self = .text(key)
        }
    }

    /// What is taken once from a tag: of several languages, and of several pictures, the first.
    enum Single: Hashable { case picture, lyrics, timedLyrics }

    /// Nil for a frame that may occur more than once.
    var single: Single? {
        switch self {
        case .picture: .picture
        case .lyrics: .lyrics
        case .timedLyrics: .timedLyrics
        case .text, .userText, .comment: nil
        }
    }

    /// Longer frames are skipped.
    var largestByteCount: Int {
        switch self {
        case .picture: Limits.artworkByteCount + Self.pictureTextByteCount
        case .lyrics, .timedLyrics: Limits.lyricsByteCount
        case .text, .userText, .comment: AudioFileStreamLimits.tagTextByteCount
        }
    }

    /// Returns the field in a frame's body; nil if it is unknown.
    func text(_ body: ArraySlice<UInt8>) -> (AudioInfoKey, String)? {
        guard let encoding = body.first else { return nil }
        let rest = body.dropFirst()
        switch self {
        case .text(.genre): return (.genre, ID3Genre.text(Self.text(rest, encoding)))
        case .text(let key): return (key, Self.text(rest, encoding))
        case .userText:
            let (name, value) = Self.split(rest, encoding)
            return Self.userKeys[Self.text(name, encoding).uppercased()].map { ($0, Self.text(value, encoding)) }
        case .comment:
            let (description, text) = Self.split(rest.dropFirst(3), encoding)
            // Programs store their own numbers in comments with other descriptions.
            let name = Self.text(description, encoding).uppercased()
            return ["", "COMMENT", "ID3V1 COMMENT"].contains(name) ? (.comment, Self.text(text, encoding)) : nil
        case .picture, .lyrics, .timedLyrics: return nil
        }
    }

    /// Returns the picture in a frame's body; icons and links are not artwork.
    func picture(_ body: ArraySlice<UInt8>) -> [UInt8]? {
        guard case .picture(let hasShortType) = self, let encoding = body.first else { return nil }
        var rest = body.dropFirst()
        let type: ArraySlice<UInt8>
        if hasShortType {
            type = rest.prefix(3)
            rest = rest.dropFirst(3)
        } else {
            type = rest.prefix { $0 != 0 }
            rest = rest.dropFirst(type.count + 1)
        }
        guard let kind = rest.first, kind != 1, kind != 2, !type.elementsEqual("-->".utf8) else { return nil }
        let (_, picture) = Self.split(rest.dropFirst(), encoding)
        return picture.isEmpty || picture.count > Limits.artworkByteCount ? nil : Array(picture)
    }

    /// Splits off a string at its terminator: one zero, or two with two-byte characters.
    static func split(
        _ bytes: ArraySlice<UInt8>, _ encoding: UInt8
    ) -> (ArraySlice<UInt8>, ArraySlice<UInt8>) {
        guard encoding == 1 || encoding == 2 else {
            let text = bytes.prefix { $0 != 0 }
            return (text, bytes.dropFirst(text.count + 1))
        }
        for index in stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2)
        where bytes[index] == 0 && bytes[index + 1] == 0 {
            return (bytes[..<index], bytes[(index + 2)...])
        }
        return (bytes, [])
    }

    /// Decodes the first string; the encodings are numbered as in 2.4 section 4.
    static func text(_ bytes: ArraySlice<UInt8>, _ encoding: UInt8) -> String {
        switch encoding {
        case 0: TagText.latin1(bytes)
        case 1: TagText.utf16(Array(bytes), bigEndian: false)
        case 2: TagText.utf16(Array(bytes), bigEndian: true)
        case 3: TagText.utf8(bytes)
        default: ""
        }
    }

    private static let keys: [String: AudioInfoKey] = [
        "TIT2": .title, "TPE1": .artist, "TALB": .album, "TRCK": .track, "TYER": .year, "TDRC": .year,
        "TPE2": .albumArtist, "TCOM": .composer, "TCON": .genre, "TPOS": .disc,
        "TT2": .title, "TP1": .artist, "TAL": .album, "TRK": .track, "TYE": .year,
        "TP2": .albumArtist, "TCM": .composer, "TCO": .genre, "TPA": .disc,
        // 2.4 section 4.2.5, but for the album artist's and those of 2.2, which are iTunes'.
        "TSOT": .titleSort, "TSOP": .artistSort, "TSOA": .albumSort, "TSO2": .albumArtistSort,
        "TST": .titleSort, "TSP": .artistSort, "TSA": .albumSort, "TS2": .albumArtistSort,
        // iTunes'; no version has them.
        "TCMP": .compilation, "TCP": .compilation,
    ]

    private static let userKeys: [String: AudioInfoKey] = [
        "REPLAYGAIN_TRACK_GAIN": .trackGain, "REPLAYGAIN_TRACK_PEAK": .trackPeak,
        "REPLAYGAIN_ALBUM_GAIN": .albumGain, "REPLAYGAIN_ALBUM_PEAK": .albumPeak,
        "COMMENT": .comment, "ALBUM ARTIST": .albumArtist, "ALBUMARTIST": .albumArtist,
        "ALBUMARTISTSORT": .albumArtistSort,
        // FFmpeg writes the frame's name into 2.4.
        "COMPILATION": .compilation, "TCMP": .compilation,
    ]
}
