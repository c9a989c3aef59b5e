/// A place in the bytes of a document. Beyond the end there are zeros.
struct ByteCursor {
    private let bytes: [UInt8]
    private(set) var offset = 0
    private var line = 1
    private var lineStart = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    var position: TOMLPosition { TOMLPosition(line: line, column: offset - lineStart + 1) }

    /// The byte that is so many further.
    func peek(_ distance: Int = 0) -> UInt8 {
        offset + distance < bytes.count ? bytes[offset + distance] : 0
    }

    /// Whether the line ends here, by LF or CR LF, or the document.
    var isAtLineEnd: Bool { isAtEnd || lineBreakCount > 0 }

    private var lineBreakCount: Int {
        if peek() == .lineFeed { return 1 }
        return peek() == .carriageReturn && peek(1) == .lineFeed ? 2 : 0
    }

    /// Goes on within the line.
    mutating func advance(_ count: Int = 1) { offset = min(offset + count, bytes.count) }

    /// Goes behind a line break, if one is here.
    mutating func takeLineBreak() -> Bool {
        guard lineBreakCount > 0 else { return false }
        offset += lineBreakCount
        line += 1
        lineStart = offset
        return true
    }

    /// Goes behind a byte, if it is here.
    mutating func take(_ byte: Character) -> Bool {
        guard !isAtEnd, peek() == byte.asciiValue else { return false }
        offset += 1
        return true
    }

    mutating func skipBlanks() { while peek() == .space || peek() == .tab { offset += 1 } }

    /// Goes to the beginning of the next line, or to the end.
    mutating func skipLine() {
        while !isAtEnd, !takeLineBreak() { offset += 1 }
    }

    func bytes(from start: Int) -> ArraySlice<UInt8> { bytes[start..<offset] }
}

extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let apostrophe = UInt8(ascii: "'")

    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    /// A bare key's (TOML 1.0, "Keys").
    var isBareKey: Bool { isLetter || isDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "-") }

    /// Nothing that a line may hold; a tab is none.
    var isControl: Bool { self < .space && self != .tab || self == 0x7F }

    /// The value of a hexadecimal digit.
    var hexadecimalDigit: UInt32? {
        if isDigit { return UInt32(self - UInt8(ascii: "0")) }
        let letter = self | 0x20
        guard (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(letter) else { return nil }
        return UInt32(letter - UInt8(ascii: "a")) + 10
    }
}
