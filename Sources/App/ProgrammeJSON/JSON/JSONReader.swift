// RFC 8259 to the letter, and where that leaves a choice the strict one: no byte order mark, no member twice, no half
// surrogate pair, no number that becomes infinite. What was read is written, and read again as the same.

extension JSONValue {
    /// Arrays and objects in one another, at most.
    public static let depthLimit = 32

    /// Reads a JSON text, in time and memory that go with its length.
    ///
    /// Numbers without a fraction that an `Int64` holds become integers, however they are written: `1e2` and `100.0`,
    /// too; others are rounded to the nearest `Double`, which may be such an integer again. `-0` is 0.
    /// - Parameter byteLimit: a longer text is refused unread.
    public init(parsing bytes: some Collection<UInt8>, byteLimit: Int) throws(JSONError) {
        guard bytes.count <= byteLimit else { throw JSONError(.tooLong(byteLimit: byteLimit), at: byteLimit) }
        var reader = JSONReader(bytes)
        self = try reader.document()
    }

    /// Does the same for text.
    public init(parsing text: some StringProtocol, byteLimit: Int) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), byteLimit: byteLimit)
    }
}

/// The place that was reached in a JSON text.
struct JSONReader {
    let bytes: [UInt8]
    var place = 0

    init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

    mutating func document() throws(JSONError) -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw JSONError(.byteOrderMark, at: 0) }
        let value = try value(depth: 0)
        skipBlanks()
        guard place == bytes.count else { throw JSONError(.textBehind, at: place) }
        return value
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"):
            try enter(depth)
            return try object(depth: depth + 1)
        case UInt8(ascii: "["):
            try enter(depth)
            return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return try number()
        default: return try word()
        }
    }

    private mutating func enter(_ depth: Int) throws(JSONError) {
        guard depth < JSONValue.depthLimit else { throw JSONError(.tooDeep, at: place) }
        place += 1
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        var members: [JSONValue.Member] = []
        var names: Set<[UInt8]> = []
        skipBlanks()
        if take("}") { return .object(members) }
        while true {
            skipBlanks()
            let start = place
            guard next == UInt8(ascii: "\"") else { throw error(.noMemberName) }
            let name = try string()
            guard names.insert(Array(name.utf8)).inserted else { throw JSONError(.twice(name), at: start) }
            skipBlanks()
            guard take(":") else { throw error(.noColon) }
            members.append(JSONValue.Member(key: name, value: try value(depth: depth)))
            skipBlanks()
            if take("}") { return .object(members) }
            guard take(",") else { throw error(.noCommaOrBrace) }
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        var values: [JSONValue] = []
        skipBlanks()
        if take("]") { return .array(values) }
        while true {
            values.append(try value(depth: depth))
            skipBlanks()
            if take("]") { return .array(values) }
            guard take(",") else { throw error(.noCommaOrBracket) }
        }
    }

    private mutating func word() throws(JSONError) -> JSONValue {
        let words: [(String, JSONValue)] = [("true", .bool(true)), ("false", .bool(false)), ("null", .null)]
        for (word, value) in words where bytes[place...].starts(with: word.utf8) {
            place += word.utf8.count
            return value
        }
        throw error(.noValue)
    }

    // MARK: Bytes

    var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }

    /// What is wrong here; at the text's end that it ends.
    func error(_ cause: JSONError.Cause) -> JSONError {
        JSONError(place < bytes.count ? cause : .endsEarly, at: place)
    }
}
