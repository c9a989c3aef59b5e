/// What to look for: `artist:"nina simone" little girl -live year:1960-1969`.
///
/// | term | finds songs |
/// |---|---|
/// | `word` | with a word that begins so, in title, artist, album, composer or genre |
/// | `"several words"` | with these words, one after the other, the last one whole too |
/// | `field:word`, `field:"several words"` | the same in one field: title, artist, album, composer or genre |
/// | `-term` | without it |
/// | `year:1990`, `year:1990-1999` | of these years |
///
/// A song must satisfy all terms. Case and diacritics do not count. Each ideograph, kana and Hangul syllable is a word:
/// several of them in a row are found wherever they stand.
public struct SearchQuery: Hashable, Sendable {
    public enum Field: String, Hashable, Sendable, CaseIterable {
        case title, artist, album, composer, genre
    }

    struct Term: Hashable {
        /// Nil for any.
        var field: Field?
        var text: String
        /// Whether the text stands for its words alone, and not for longer ones that begin so.
        var isWhole: Bool
        var isExcluded: Bool
    }

    private(set) var terms: [Term] = []
    private(set) var years: ClosedRange<Int>?

    /// A query of what was typed as arguments of a command, from which the shell has taken the quotation marks: an
    /// argument with spaces in it is several words that follow each other. One that has quotation marks of its own is a
    /// whole line.
    public init(arguments: [String]) {
        for argument in arguments {
            if argument.contains("\"") {
                add(line: argument)
            } else {
                add(argument[...], isQuoted: argument.contains(where: \.isWhitespace))
            }
        }
    }

    /// A query of one line, with quotation marks.
    public init(line: String) { add(line: line) }

    private mutating func add(line: String) {
        var rest = line.drop(while: \.isWhitespace)
        while !rest.isEmpty {
            var (word, isInside, isQuoted) = ("", false, false)
            while let character = rest.first, isInside || !character.isWhitespace {
                rest.removeFirst()
                if character == "\"" { (isInside, isQuoted) = (!isInside, true) } else { word.append(character) }
            }
            add(word[...], isQuoted: isQuoted)
            rest = rest.drop(while: \.isWhitespace)
        }
    }

    /// Songs in one of whose fields these words follow each other.
    public init(_ field: Field, _ text: String) {
        if Self.hasWords(text) { terms = [Term(field: field, text: text, isWhole: true, isExcluded: false)] }
    }

    /// Whether there is nothing to look for.
    public var isEmpty: Bool { years == nil && !terms.contains { !$0.isExcluded } }

    /// The query as a line that ``init(line:)`` reads as this one.
    public var line: String {
        let range = years.map { $0 == Self.never ? "year:0" : "year:\($0.lowerBound)-\($0.upperBound)" }
        return (terms.map(\.line) + [range].compactMap(\.self)).joined(separator: " ")
    }

    /// Adds the other's terms: a song must satisfy both.
    public mutating func formIntersection(_ other: SearchQuery) {
        terms += other.terms
        if let years = other.years { narrow(to: years) }
    }

    private mutating func narrow(to range: ClosedRange<Int>) {
        years = years.map { $0.overlaps(range) ? $0.clamped(to: range) : Self.never } ?? range
    }

    /// No song is of such a year.
    private static let never = -1 ... -1

    private mutating func add(_ word: Substring, isQuoted: Bool) {
        let isExcluded = word.first == "-" && word.count > 1
        var text = isExcluded ? word.dropFirst() : word
        var field: Field?
        if let colon = text.firstIndex(of: ":") {
            let name = text[..<colon].lowercased()
            let value = text[text.index(after: colon)...]
            if name == "year", !isExcluded, let range = Self.years(value) {
                return narrow(to: range)
            }
            field = Field(rawValue: name)
            if field != nil { text = value }
        }
        guard Self.hasWords(text) else { return }
        terms.append(Term(field: field, text: String(text), isWhole: isQuoted, isExcluded: isExcluded))
    }

    private static func years(_ text: Substring) -> ClosedRange<Int>? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        switch (parts.count, parts.first ?? nil, parts.last ?? nil) {
        case (1, let year?, _): return year...year
        case (2, let first?, let last?) where first <= last: return first...last
        default: return nil
        }
    }

    /// Whether there is anything in it that an index knows: signs alone are no words.
    static func hasWords(_ text: some StringProtocol) -> Bool {
        text.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }
}

extension SearchQuery.Term {
    fileprivate var line: String {
        // Signs are no part of a word.
        let words = text.filter { $0 != "\"" }
        let isQuoted = isWhole || words.contains(where: \.isWhitespace)
        return (isExcluded ? "-" : "") + (field.map { "\($0.rawValue):" } ?? "") + (isQuoted ? "\"\(words)\"" : words)
    }
}
