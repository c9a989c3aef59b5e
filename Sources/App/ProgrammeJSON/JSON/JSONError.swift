import AudioCore

/// Why a text is not read as JSON, and where.
public struct JSONError: Error, Hashable, Sendable {
    public enum Cause: Hashable, Sendable {
        /// It has more bytes than the caller takes.
        case tooLong(byteLimit: Int)
        /// Arrays and objects stand in one another more than ``JSONValue/depthLimit`` deep.
        case tooDeep
        case endsEarly
        /// There is something behind the value.
        case textBehind
        case byteOrderMark
        case noValue
        case noCommaOrBracket
        case noCommaOrBrace
        case noMemberName
        case noColon
        /// Two members of one object have this name.
        case twice(String)
        case badNumber
        /// It is beyond what a `Double` holds.
        case numberTooLarge
        case badEscape
        case loneSurrogate
        /// A character below U+0020 stands in a string.
        case controlCharacter
        case notUTF8
    }

    public let cause: Cause
    /// In bytes from the text's beginning.
    public let offset: Int

    init(_ cause: Cause, at offset: Int) {
        self.cause = cause
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    /// One line, for people.
    public var description: String { "JSON, byte \(offset): \(cause)" }
}

extension JSONError.Cause: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong(let limit): "it is too long; \(limit) bytes are the most"
        case .tooDeep: "it is nested too deeply; \(JSONValue.depthLimit) levels are the most"
        case .endsEarly: "it ends too early"
        case .textBehind: "there is text behind the value; leave it out"
        case .byteOrderMark: "it begins with a byte order mark; leave that out"
        case .noValue: "a value is missing: an object, a list, a text in \"\", a number, true, false or null"
        case .noCommaOrBracket: "a comma or ] is missing"
        case .noCommaOrBrace: "a comma or } is missing"
        case .noMemberName: "a member's name in \"\" is missing"
        case .noColon: "a colon is missing behind the member's name"
        case .twice(let name): "the member '\(String(displaying: name, maximumByteCount: 64))' stands there twice"
        case .badNumber: "a number is written like -12.5e3, without further zeros in front"
        case .numberTooLarge: "the number is too large; 1.7e308 is the most"
        case .badEscape: "behind a \\ stands one of \" \\ / b f n r t, or u and four hexadecimal digits"
        case .loneSurrogate: "half of a surrogate pair stands alone"
        case .controlCharacter: "a control character in a text is written \\n, \\t or \\u0000"
        case .notUTF8: "it is not UTF-8"
        }
    }
}
