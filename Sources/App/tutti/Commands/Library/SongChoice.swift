/// What a user answers to a numbered list: numbers and ranges of them, with commas or spaces between.
enum SongChoice: Hashable {
    case all
    case none
    /// Positions from 0, in the order in which they were named, each once.
    case some([Int])

    /// - Parameters:
    ///   - line: what was typed.
    ///   - count: how many songs are in the list.
    /// - Throws: what is wrong with it.
    init(_ line: String, of count: Int) throws(SongChoiceError) {
        let words = Self.words(line)
        switch words {
        case []: self = .all
        case ["q"], ["Q"]: self = .none
        default:
            var positions: [Int] = []
            var taken: Set<Int> = []
            for word in words {
                for position in try Self.positions(word, count) where taken.insert(position).inserted {
                    positions.append(position)
                }
            }
            self = .some(positions)
        }
    }

    /// Splits at commas and spaces, but for those around a dash.
    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        var isOpen = false
        for word in line.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            let joins = isOpen || word.hasPrefix("-")
            if joins, let last = words.popLast() { words.append(last + word) } else { words.append(String(word)) }
            isOpen = word.hasSuffix("-")
        }
        return words
    }

    private static func positions(_ word: String, _ count: Int) throws(SongChoiceError) -> ClosedRange<Int> {
        let ends = word.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count <= 2, let first = ends.first, let last = ends.last else { throw .unreadable(word) }
        let (from, to) = (try number(first, word, count), try number(last, word, count))
        guard from <= to else { throw .backwards(word) }
        return from - 1...to - 1
    }

    private static func number(_ text: Substring, _ word: String, _ count: Int) throws(SongChoiceError) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            throw .unreadable(word)
        }
        // What no Int holds is too large as well.
        guard let number = Int(text), (1...max(1, count)).contains(number) else { throw .outside(String(text), count) }
        return number
    }
}

/// Why an answer is none.
enum SongChoiceError: Error, Hashable {
    case unreadable(String)
    case outside(String, Int)
    case backwards(String)
}

extension SongChoiceError: CustomStringConvertible {
    /// One line that says what to write.
    var description: String {
        switch self {
        case .unreadable(let word): "'\(word)' is no number; write numbers and ranges, such as 3 or 1-5, or q"
        case .outside(let number, let count): "there is no song \(number); they go from 1 to \(count)"
        case .backwards(let word): "'\(word)' goes backwards; write the smaller number first"
        }
    }
}
