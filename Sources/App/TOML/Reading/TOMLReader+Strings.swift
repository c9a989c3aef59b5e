extension TOMLReader {
    /// Reads a text of one line, from its quote on.
    mutating func readString(_ quote: UInt8) throws(TOMLProblem) -> String {
        let start = cursor.position
        cursor.advance()
        var text: [UInt8] = []
        while cursor.peek() != quote || cursor.isAtEnd {
            guard !cursor.isAtLineEnd else { throw TOMLProblem(.noClosingQuote, at: start) }
            try readCharacter(quote, into: &text)
        }
        cursor.advance()
        return try string(text, at: start)
    }

    /// Reads a text of several lines, from its three quotes on. Line breaks in it are LF.
    mutating func readLongString(_ quote: UInt8) throws(TOMLProblem) -> String {
        let start = cursor.position
        quotes = cursor
        cursor.advance(3)
        var text: [UInt8] = []
        _ = cursor.takeLineBreak()
        while !takesClosing(quote, into: &text) {
            guard !cursor.isAtEnd else { throw TOMLProblem(.noClosingQuote, at: start) }
            if cursor.takeLineBreak() {
                text.append(.lineFeed)
            } else if quote == .apostrophe || !skipsBrokenLine() {
                try readCharacter(quote, into: &text)
            }
        }
        let string = try string(text, at: start)
        quotes = nil
        return string
    }

    /// Takes three quotes that close a text, with up to two before them that belong to it; or those that close nothing.
    private mutating func takesClosing(_ quote: UInt8, into text: inout [UInt8]) -> Bool {
        var count = 0
        while count < 5, cursor.peek(count) == quote { count += 1 }
        cursor.advance(count)
        text += [UInt8](repeating: quote, count: count < 3 ? count : count - 3)
        return count >= 3
    }

    /// Passes over a `\` at the end of a line, and over blanks and line breaks behind it.
    private mutating func skipsBrokenLine() -> Bool {
        var ahead = cursor
        guard ahead.take("\\") else { return false }
        ahead.skipBlanks()
        guard ahead.takeLineBreak() else { return false }
        repeat { ahead.skipBlanks() } while ahead.takeLineBreak()
        cursor = ahead
        return true
    }

    private mutating func readCharacter(_ quote: UInt8, into text: inout [UInt8]) throws(TOMLProblem) {
        let byte = cursor.peek()
        guard !byte.isControl else { throw TOMLProblem(.controlCharacter, at: cursor.position) }
        if byte == UInt8(ascii: "\\"), quote == .quote { return try readEscape(into: &text) }
        text.append(byte)
        cursor.advance()
    }

    private mutating func readEscape(into text: inout [UInt8]) throws(TOMLProblem) {
        let position = cursor.position
        let letter = cursor.peek(1)
        switch letter {
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "t"): text.append(.tab)
        case UInt8(ascii: "n"): text.append(.lineFeed)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "r"): text.append(.carriageReturn)
        case .quote, UInt8(ascii: "\\"): text.append(letter)
        case UInt8(ascii: "u"): return try readScalar(digitCount: 4, into: &text)
        case UInt8(ascii: "U"): return try readScalar(digitCount: 8, into: &text)
        default: throw TOMLProblem(.badEscape, at: position)
        }
        cursor.advance(2)
    }

    private mutating func readScalar(digitCount: Int, into text: inout [UInt8]) throws(TOMLProblem) {
        var value: UInt32 = 0
        for index in 0..<digitCount {
            guard let digit = cursor.peek(2 + index).hexadecimalDigit else {
                throw TOMLProblem(.badEscape, at: cursor.position)
            }
            value = value << 4 | digit
        }
        guard let scalar = Unicode.Scalar(value) else { throw TOMLProblem(.badEscape, at: cursor.position) }
        text += Array(String(Character(scalar)).utf8)
        cursor.advance(2 + digitCount)
    }

    private func string(_ bytes: [UInt8], at position: TOMLPosition) throws(TOMLProblem) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw TOMLProblem(.notUTF8, at: position) }
        return text
    }
}
