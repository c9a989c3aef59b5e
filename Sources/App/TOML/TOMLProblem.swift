import AudioCore

/// What is wrong with a document, and where.
public struct TOMLProblem: Error, Hashable, Sendable {
    public enum Cause: Error, Hashable, Sendable {
        /// The document has more than ``TOMLDocument/byteCountLimit`` bytes.
        case tooLong
        /// There are more than ``TOMLDocument/depthLimit`` levels of tables and arrays.
        case tooDeep
        /// There are more than ``TOMLDocument/problemCountLimit`` problems; the others are not told of.
        case tooManyProblems
        case notUTF8
        case controlCharacter
        case noKey
        case noEqualSign
        case noValue
        /// A word that stands where a value should: text without quotes, as it seems.
        case noQuotes(String)
        case textBehind
        case noClosingQuote
        case badEscape
        case badNumber(String)
        /// It does not fit into 64 bits.
        case numberTooLarge(String)
        case badDateTime(String)
        case noCommaOrBracket
        case noCommaOrBrace
        /// A header is not closed by `]` or `]]`.
        case badHeader
        /// The key, with its table's keys before it, is there already.
        case twice(String)
        /// The table has a header already.
        case headerTwice(String)
        /// It is no table to which keys can be added here.
        case closedTable(String)
    }

    public let cause: Cause
    public let position: TOMLPosition
    /// The key that is lost, with its table's keys before it; nil if the line has not come that far.
    public internal(set) var key: [String]?
    /// The header above, which may be that of a broken line; empty at the beginning of the document.
    public internal(set) var table: [String] = []

    init(_ cause: Cause, at position: TOMLPosition) {
        self.cause = cause
        self.position = position
    }
}

extension TOMLProblem.Cause: CustomStringConvertible {
    /// One line, for people.
    public var description: String {
        switch self {
        case .tooLong: "it is too long; \(TOMLDocument.byteCountLimit) bytes are the most"
        case .tooDeep: "it is nested too deeply; \(TOMLDocument.depthLimit) levels are the most"
        case .tooManyProblems: "there are too many mistakes; those behind are not told of"
        case .notUTF8: "it is not UTF-8"
        case .controlCharacter: "a control character is written \\n, \\t or \\u0000, in a text in \"\""
        case .noKey: "a key is missing; write KEY = VALUE, [TABLE], or # before a comment"
        case .noEqualSign: "= is missing behind the key; write KEY = VALUE"
        case .noValue: "the value is missing: a text in \"\", a number, true, false or a list in []"
        case .noQuotes(let word): "text stands in quotes: \"\(Self.shown(word))\""
        case .textBehind: "there is something behind the value; each KEY = VALUE has its own line"
        case .noClosingQuote: "the closing quote is missing"
        case .badEscape: "behind a \\ stands one of b t n f r \" \\, or u and 4, or U and 8 hexadecimal digits"
        case .badNumber(let text):
            "'\(Self.shown(text))' is no number, which is written 42, -1.5 or 1e6; text stands in quotes"
        case .numberTooLarge(let text): "'\(Self.shown(text))' is too large; \(Int64.max) is the most"
        case .badDateTime(let text):
            "'\(Self.shown(text))' is no date or time, which are written 2026-01-31 and 22:00:00; text stands in quotes"
        case .noCommaOrBracket: "a comma or ] is missing"
        case .noCommaOrBrace: "a comma or } is missing, on the same line"
        case .badHeader: "a table's header is written [NAME], on a line of its own; the keys below it are not used"
        case .twice(let key): "'\(Self.shown(key))' stands there twice; the first one counts"
        case .headerTwice(let key): "[\(Self.shown(key))] stands there twice; write all its keys below the first one"
        case .closedTable(let key): "'\(Self.shown(key))' is no table that can be continued here"
        }
    }

    private static func shown(_ text: String) -> String { String(displaying: text, maximumByteCount: 64) }
}
