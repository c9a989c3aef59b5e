/// The order in which people expect names with numbers: "Track 2" comes before "Track 10", and case is ignored at
/// first.
struct NaturalOrder: Comparable, Hashable {
    private enum Piece: Comparable, Hashable {
        case number(digits: [UInt8])
        case text(String)

        static func < (left: Piece, right: Piece) -> Bool {
            switch (left, right) {
            case (.number(let left), .number(let right)):
                left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
            case (.text(let left), .text(let right)): left < right
            case (.number, .text): true
            case (.text, .number): false
            }
        }
    }

    private let pieces: [Piece]
    /// Decides between names that differ only in case or leading zeros.
    private let whole: String

    init(_ name: String) {
        whole = name
        var pieces: [Piece] = []
        var rest = name.lowercased()[...]
        while let first = rest.first {
            let isNumber = Self.isDigit(first)
            let piece = rest.prefix { Self.isDigit($0) == isNumber }
            rest = rest[piece.endIndex...]
            pieces.append(
                isNumber ? .number(digits: Array(piece.utf8.drop { $0 == UInt8(ascii: "0") })) : .text(String(piece)))
        }
        self.pieces = pieces
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isWholeNumber }

    static func < (left: NaturalOrder, right: NaturalOrder) -> Bool {
        if left.pieces != right.pieces { return left.pieces.lexicographicallyPrecedes(right.pieces) }
        return left.whole < right.whole
    }
}
