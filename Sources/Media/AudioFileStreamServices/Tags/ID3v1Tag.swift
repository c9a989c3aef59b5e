import AudioCore

/// ID3v1 and 1.1: 128 bytes at the end of a file, "TAG" and fixed-size fields in ISO 8859-1.
enum ID3v1Tag {
    static let byteCount = 128

    /// Returns the fields of the tag at `offset`; the caller has checked that its 128 bytes are present.
    static func fields(_ bytes: RawSpan, at offset: Int) -> [(AudioInfoKey, String)] {
        func text(_ range: Range<Int>) -> String? {
            TagText.clean(TagText.latin1(bytes.copy(offset + range.lowerBound..<offset + range.upperBound)))
        }
        var fields: [(AudioInfoKey, String)] = []
        func add(_ key: AudioInfoKey, _ value: String?) {
            if let value { fields.append((key, value)) }
        }
        add(.title, text(3..<33))
        add(.artist, text(33..<63))
        add(.album, text(63..<93))
        add(.year, text(93..<97))
        // Version 1.1: after a zero, the comment's last byte is the track number.
        let hasTrack = bytes[offset + 125] == 0 && bytes[offset + 126] != 0
        add(.comment, text(97..<(hasTrack ? 125 : 127)))
        if hasTrack { add(.track, "\(bytes[offset + 126])") }
        add(.genre, ID3Genre.name(Int(bytes[offset + 127])))
        return fields
    }
}
