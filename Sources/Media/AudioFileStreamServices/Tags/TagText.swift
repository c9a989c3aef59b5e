import AudioCore

/// Makes text from tags fit for a terminal: no control characters, no surrounding white space, at most
/// `Limits.titleByteCount` bytes of UTF-8. Nil if nothing is left.
enum TagText {
    static func clean(_ text: String) -> String? {
        var result = ""
        var byteCount = 0
        for scalar in text.unicodeScalars {
            guard !isUnprintable(scalar) else { continue }
            if byteCount == 0 && scalar == " " { continue }
            byteCount += UTF8.width(scalar)
            if byteCount > Limits.titleByteCount { break }
            result.unicodeScalars.append(scalar)
        }
        while result.unicodeScalars.last == " " { result.unicodeScalars.removeLast() }
        return result.isEmpty ? nil : result
    }

    /// Decodes ISO 8859-1 up to the first zero.
    static func latin1(_ bytes: some Sequence<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.prefix { $0 != 0 }.map { Unicode.Scalar($0) }))
    }

    /// Decodes UTF-8 up to the first zero; replaces invalid bytes.
    static func utf8(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Decodes UTF-8 if it is valid, otherwise ISO 8859-1: for fields without an encoding.
    static func guessed(_ bytes: [UInt8]) -> String {
        let text = Array(bytes.prefix { $0 != 0 })
        return String(validating: text, as: UTF8.self) ?? latin1(text)
    }

    /// Decodes UTF-16 up to the first zero; a byte order mark overrides the default.
    static func utf16(_ bytes: [UInt8], bigEndian defaultOrder: Bool) -> String {
        var bigEndian = defaultOrder
        var units: [UInt16] = []
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            let unit = bigEndian ? first << 8 | second : second << 8 | first
            switch unit {
            case 0xFEFF where index == 0: continue
            case 0xFFFE where index == 0: bigEndian.toggle()
            case 0: return String(decoding: units, as: UTF16.self)
            default: units.append(unit)
            }
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// Returns a cleaned field, of a date only the year. Empty if nothing is left.
    static func field(_ key: AudioInfoKey, _ text: String) -> [(AudioInfoKey, String)] {
        clean(key == .year ? String(text.prefix(4)) : text).map { [(key, $0)] } ?? []
    }

    /// Whether a scalar is a C0 or C1 control, or changes the direction of text (Unicode bidirectional controls).
    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
