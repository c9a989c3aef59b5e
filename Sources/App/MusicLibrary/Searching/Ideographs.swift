// Chinese and Japanese are written without spaces, Korean with few: FTS5's unicode61 takes a whole run for one word, of
// which only the beginning could be found. So each of these characters is made a word of its own, in what is indexed
// and in what is looked for: several of them are then words that follow each other, wherever they stand.

extension String {
    /// The text with spaces around ideographs, kana and Hangul syllables.
    var separatingIdeographs: String {
        // In UTF-8 all of them begin with this byte or a higher one: they lie behind U+3000.
        guard utf8.contains(where: { $0 >= 0xE3 }) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isIdeograph { result.append(" ") }
            result.append(scalar)
            if scalar.isIdeograph { result.append(" ") }
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Whether it is a Han, Hiragana, Katakana or Hangul character that stands for a syllable or a word (Unicode
    /// Standard, chapter 18).
    fileprivate var isIdeograph: Bool {
        switch value {
        // Signs that repeat or stand for ideographs; kana with their marks of repetition and length.
        case 0x3005...0x3007, 0x3021...0x3029, 0x3031...0x3035, 0x3038...0x303C, 0x3041...0x3096, 0x309D...0x309F,
            0x30A1...0x30FA, 0x30FC...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9D, 0x1B000...0x1B16F:
            true
        // Ideographs with all their extensions, and compatible ones; Hangul syllables.
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFD, 0xAC00...0xD7A3: true
        default: false
        }
    }
}
