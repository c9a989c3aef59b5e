/// The encodings of files with lyrics.
enum LyricsEncoding {
    /// Decodes a file; what lies beyond `Lyrics.inputLimit` is left out.
    static func text(_ bytes: [UInt8]) -> String {
        let isCut = bytes.count > Lyrics.inputLimit
        var bytes = bytes.prefix(Lyrics.inputLimit)
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), isBigEndian: false) }
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), isBigEndian: true) }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        // Half a character at the cut must not decide.
        if isCut { bytes = withoutLastCharacter(bytes) }
        return String(validating: bytes, as: UTF8.self) ?? latin1(bytes)
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> String {
        let bytes = Array(bytes)
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { place in
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        return String(decoding: units, as: UTF16.self)
    }

    private static func withoutLastCharacter(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        // A character has at most three bytes behind its first.
        let rest = bytes.suffix(3).reversed().prefix { $0 & 0xC0 == 0x80 }.count
        return bytes.dropLast(rest + 1)
    }

    private static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
        String(
            String.UnicodeScalarView(
                bytes.map { byte in
                    (0x80..<0xA0).contains(byte) ? windows1252[Int(byte) - 0x80] : Unicode.Scalar(byte)
                }))
    }

    /// Windows-1252 from 0x80 to 0x9F (encoding.spec.whatwg.org, index windows-1252): quotation marks, dashes and more
    /// where ISO 8859-1 has controls.
    private static let windows1252 = Array("€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
}
