extension TOMLReader {
    /// Reads a value that begins here.
    /// - Parameter depth: levels above it.
    mutating func readValue(depth: Int) throws(TOMLProblem) -> TOMLValue {
        if let quote = cursor.quote {
            let isLong = cursor.peek(1) == quote && cursor.peek(2) == quote
            return .string(isLong ? try readLongString(quote) : try readString(quote))
        }
        switch cursor.peek() {
        case UInt8(ascii: "["): return .array(try readArray(depth: depth))
        case UInt8(ascii: "{"): return .table(try readInlineTable(depth: depth))
        default: return try readPlain()
        }
    }

    private mutating func readArray(depth: Int) throws(TOMLProblem) -> [TOMLElement] {
        try checkDepth(depth)
        cursor.advance()
        var elements: [TOMLElement] = []
        try skipLines()
        while !cursor.take("]") {
            let position = cursor.position
            elements.append(TOMLElement(value: try readValue(depth: depth + 1), position: position))
            try skipLines()
            guard cursor.take(",") else {
                guard cursor.take("]") else { throw TOMLProblem(.noCommaOrBracket, at: cursor.position) }
                break
            }
            try skipLines()
        }
        return elements
    }

    /// Passes over blanks, line breaks and comments.
    private mutating func skipLines() throws(TOMLProblem) {
        repeat {
            cursor.skipBlanks()
            try readComment()
        } while cursor.takeLineBreak()
    }

    private mutating func readInlineTable(depth: Int) throws(TOMLProblem) -> TOMLTable {
        try checkDepth(depth)
        cursor.advance()
        var table = TableTree(depth: depth)
        cursor.skipBlanks()
        if cursor.take("}") { return table.table() }
        repeat {
            let key = try readKey()
            try table.set(key, to: try readAssigned(depth: table.depth(below: key.count)))
            cursor.skipBlanks()
        } while cursor.take(",")
        guard cursor.take("}") else { throw TOMLProblem(.noCommaOrBrace, at: cursor.position) }
        return table.table()
    }

    private func checkDepth(_ depth: Int) throws(TOMLProblem) {
        guard depth < TOMLDocument.depthLimit else { throw TOMLProblem(.tooDeep, at: cursor.position) }
    }

    /// Reads true, false, a number, a date or a time.
    private mutating func readPlain() throws(TOMLProblem) -> TOMLValue {
        let position = cursor.position
        let start = cursor.offset
        while cursor.peek().isPlain { cursor.advance() }
        let isDate = PlainDateTime.isDate(cursor.bytes(from: start))
        // A blank may stand between date and time.
        if isDate, cursor.peek() == .space, cursor.peek(1).isDigit, cursor.peek(2).isDigit {
            cursor.advance()
            while cursor.peek().isPlain { cursor.advance() }
        }
        if cursor.offset == start, !cursor.isAtValueEnd {
            while !cursor.isAtValueEnd { cursor.advance() }
            throw TOMLProblem(.noQuotes(String(decoding: cursor.bytes(from: start), as: UTF8.self)), at: position)
        }
        let token = cursor.bytes(from: start)
        do throws(TOMLProblem.Cause) {
            return try PlainValue.value(token)
        } catch {
            throw TOMLProblem(error, at: position)
        }
    }
}

extension ByteCursor {
    /// Where a word that should be a text is over.
    fileprivate var isAtValueEnd: Bool { isAtLineEnd || peek() == .space || "#,]}=".utf8.contains(peek()) }
}

extension UInt8 {
    /// Part of a number, a date, a time or a word.
    fileprivate var isPlain: Bool {
        isBareKey || self == UInt8(ascii: "+") || self == UInt8(ascii: ".") || self == UInt8(ascii: ":")
    }
}
