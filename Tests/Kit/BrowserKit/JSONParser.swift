extension JSON {
    /// Parses a whole text of JSON, in UTF-8; nil where it is not well formed, or nested deeper than 200.
    public init?(parsing bytes: some Sequence<UInt8>) {
        var parser = JSONParser(bytes: Array(bytes))
        guard let value = parser.wholeText() else { return nil }
        self = value
    }
}

/// Reads JSON by recursive descent, a function for each rule of RFC 8259; each returns nil where its rule is broken.
private struct JSONParser {
    let bytes: [UInt8]
    private var at = 0
    private var depth = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func wholeText() -> JSON? {
        guard let value = value() else { return nil }
        skipBlanks()
        return at == bytes.count ? value : nil
    }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { at += 1 }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard next == UInt8(ascii: scalar) else { return false }
        at += 1
        return true
    }

    private mutating func value() -> JSON? {
        skipBlanks()
        depth += 1
        defer { depth -= 1 }
        guard let byte = next, depth <= 200 else { return nil }
        switch byte {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return string().map(JSON.string)
        case UInt8(ascii: "t"): return literal("true", .boolean(true))
        case UInt8(ascii: "f"): return literal("false", .boolean(false))
        case UInt8(ascii: "n"): return literal("null", .null)
        default: return number()
        }
    }

    private mutating func literal(_ word: StaticString, _ value: JSON) -> JSON? {
        let end = at + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ bytes[at..<end].elementsEqual($0) }) else { return nil }
        at = end
        return value
    }

    private mutating func number() -> JSON? {
        let start = at
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.eE".utf8.contains(byte) {
            at += 1
        }
        return Double(String(decoding: bytes[start..<at], as: UTF8.self)).map(JSON.number)
    }

    private mutating func array() -> JSON? {
        at += 1
        var elements: [JSON] = []
        if take("]") { return .array(elements) }
        repeat {
            guard let element = value() else { return nil }
            elements.append(element)
        } while take(",")
        return take("]") ? .array(elements) : nil
    }

    private mutating func object() -> JSON? {
        at += 1
        var members: [String: JSON] = [:]
        if take("}") { return .object(members) }
        repeat {
            skipBlanks()
            guard next == UInt8(ascii: "\""), let name = string(), take(":"), let value = value() else { return nil }
            members[name] = value
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func string() -> String? {
        at += 1
        var text: [UInt8] = []
        while let byte = next {
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = escape() else { return nil }
                text.append(contentsOf: String(escaped).utf8)
            case ..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        at += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "u"): return unicodeEscape()
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        default: return nil
        }
    }

    /// Two escapes where the first is the half of a surrogate pair; half of one alone is U+FFFD.
    private mutating func unicodeEscape() -> Unicode.Scalar? {
        guard let first = codeUnit() else { return nil }
        guard (0xD800..<0xDC00).contains(first), at + 1 < bytes.count, bytes[at] == UInt8(ascii: "\\"),
            bytes[at + 1] == UInt8(ascii: "u")
        else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        at += 2
        guard let second = codeUnit() else { return nil }
        guard (0xDC00..<0xE000).contains(second) else { return "\u{FFFD}" }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private mutating func codeUnit() -> UInt32? {
        guard at + 4 <= bytes.count else { return nil }
        defer { at += 4 }
        return UInt32(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16)
    }
}
