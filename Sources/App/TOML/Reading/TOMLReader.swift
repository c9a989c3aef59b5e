// One line after the other is read as KEY = VALUE or as a header. What is wrong on a line is noted, and the next line
// is read as if nothing had been. Where the next one is:
//
// - behind a mistake in an array of several lines, lines that are neither KEY = VALUE nor a header are the array's
//   rest,
//   and are passed over;
// - if the quotes of several lines, """ or ''', are never closed, the line below the opening ones;
// - else the line below.
//
// Below a broken header no key is used: it would go to the table above.

/// Reads a document from its first byte to its last. Every loop goes forward.
struct TOMLReader {
    var cursor: ByteCursor
    var tables = TableTree(depth: 0)
    private(set) var problems: [TOMLProblem] = []
    /// The beginning of quotes of several lines that are being read.
    var quotes: ByteCursor?
    private var header: [String] = []

    init(_ bytes: [UInt8]) { cursor = ByteCursor(bytes) }

    mutating func readDocument() {
        // A byte order mark, which editors of other systems write.
        if cursor.peek() == 0xEF, cursor.peek(1) == 0xBB, cursor.peek(2) == 0xBF { cursor.advance(3) }
        while !cursor.isAtEnd, problems.count <= TOMLDocument.problemCountLimit { readLine() }
    }

    /// Reads a line, or as many as its value has.
    private mutating func readLine() {
        let start = cursor
        var key: [TOMLKeyPart] = []
        // What is whole and does not fit the lines above.
        var isWhole = false
        do throws(TOMLProblem) {
            cursor.skipBlanks()
            if cursor.peek() == UInt8(ascii: "[") {
                try readHeader()
            } else if !cursor.isAtLineEnd, cursor.peek() != UInt8(ascii: "#") {
                key = try readKey()
                let value = try readAssigned(depth: tables.depth(below: key.count))
                try readLineEnd()
                isWhole = true
                return try tables.set(key, to: value)
            }
            try readLineEnd()
        } catch {
            var problem = error
            if !key.isEmpty { problem.key = header + key.map(\.text) }
            note(problem)
            if !isWhole { recover(from: start) }
        }
    }

    private mutating func note(_ problem: TOMLProblem) {
        var problem = problem
        problem.table = header
        if problems.count == TOMLDocument.problemCountLimit {
            problem = TOMLProblem(.tooManyProblems, at: problem.position)
        }
        problems.append(problem)
    }

    /// Goes to the next line that may be whole.
    private mutating func recover(from start: ByteCursor) {
        let isInside = quotes != nil || cursor.position.line > start.position.line
        if let quotes, !skipToClosing(quotes.peek()) { cursor = quotes }
        quotes = nil
        cursor.skipLine()
        while isInside, !cursor.isAtEnd, !isLineBegun() { cursor.skipLine() }
    }

    /// Goes behind the next three quotes that close a text. Returns false, and goes nowhere, if there are none.
    private mutating func skipToClosing(_ quote: UInt8) -> Bool {
        var ahead = cursor
        while !ahead.isAtEnd {
            if ahead.takeLineBreak() { continue }
            if ahead.peek() == quote, ahead.peek(1) == quote, ahead.peek(2) == quote {
                ahead.advance(3)
                cursor = ahead
                return true
            }
            let isEscape = quote == .quote && ahead.take("\\")
            if !isEscape || !ahead.isAtLineEnd { ahead.advance() }
        }
        return false
    }

    /// Whether the line is a header, or has a key and `=`.
    private func isLineBegun() -> Bool {
        var ahead = self
        ahead.cursor.skipBlanks()
        let isHeader = ahead.cursor.take("[")
        let isArray = isHeader && ahead.cursor.take("[")
        ahead.cursor.skipBlanks()
        guard (try? ahead.readKey()) != nil else { return false }
        guard isHeader else { return ahead.cursor.take("=") }
        return ahead.cursor.take("]") && (!isArray || ahead.cursor.take("]")) && ahead.isEndOfLine
    }

    // MARK: Parts of a line

    private mutating func readHeader() throws(TOMLProblem) {
        let position = cursor.position
        cursor.advance()
        let isArray = cursor.take("[")
        cursor.skipBlanks()
        guard let key = try? readKey(), cursor.take("]"), !isArray || cursor.take("]"), isEndOfLine else {
            header = []
            tables.openNowhere()
            throw TOMLProblem(.badHeader, at: position)
        }
        header = key.map(\.text)
        if isArray { try tables.append(key) } else { try tables.open(key) }
    }

    private var isEndOfLine: Bool {
        var ahead = cursor
        ahead.skipBlanks()
        return ahead.isAtLineEnd || ahead.peek() == UInt8(ascii: "#")
    }

    /// Reads a key of one or more parts, with the blanks around them.
    mutating func readKey() throws(TOMLProblem) -> [TOMLKeyPart] {
        var parts: [TOMLKeyPart] = []
        repeat {
            cursor.skipBlanks()
            guard parts.count < TOMLDocument.depthLimit else { throw TOMLProblem(.tooDeep, at: cursor.position) }
            parts.append(try readKeyPart())
            cursor.skipBlanks()
        } while cursor.take(".")
        return parts
    }

    private mutating func readKeyPart() throws(TOMLProblem) -> TOMLKeyPart {
        let position = cursor.position
        if let quote = cursor.quote { return TOMLKeyPart(try readString(quote), at: position) }
        let start = cursor.offset
        while cursor.peek().isBareKey { cursor.advance() }
        guard cursor.offset > start else { throw TOMLProblem(.noKey, at: position) }
        return TOMLKeyPart(String(decoding: cursor.bytes(from: start), as: UTF8.self), at: position)
    }

    /// Reads `=` and the value.
    mutating func readAssigned(depth: Int) throws(TOMLProblem) -> TOMLValue {
        guard cursor.take("=") else { throw TOMLProblem(.noEqualSign, at: cursor.position) }
        cursor.skipBlanks()
        return try readValue(depth: depth)
    }

    /// Reads what may stand behind a value, and the line break.
    private mutating func readLineEnd() throws(TOMLProblem) {
        cursor.skipBlanks()
        try readComment()
        guard cursor.isAtEnd || cursor.takeLineBreak() else { throw TOMLProblem(.textBehind, at: cursor.position) }
    }

    /// Reads a comment, if one begins here, up to the line's end.
    mutating func readComment() throws(TOMLProblem) {
        guard cursor.take("#") else { return }
        let start = cursor
        while !cursor.isAtLineEnd {
            guard !cursor.peek().isControl else { throw TOMLProblem(.controlCharacter, at: cursor.position) }
            cursor.advance()
        }
        guard String(validating: cursor.bytes(from: start.offset), as: UTF8.self) != nil else {
            throw TOMLProblem(.notUTF8, at: start.position)
        }
    }
}

extension ByteCursor {
    /// The quote that begins here, if one does.
    var quote: UInt8? { peek() == .quote || peek() == .apostrophe ? peek() : nil }
}
