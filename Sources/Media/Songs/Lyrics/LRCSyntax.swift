import AudioCore

/// The parts of LRC's lines. Everything is linear in the text's length, whatever the text.
enum LRCSyntax {
    typealias Scalars = ArraySlice<Unicode.Scalar>

    /// Characters of a line that are looked at: text and many times.
    private static let inputLineLimit = 4 * Lyrics.lineLengthLimit
    /// How often times are searched in what is left without those found before: text that seems to nest them is no LRC.
    private static let passLimit = 4
    /// Characters between the brackets of a time.
    private static let timeLengthLimit = 24

    // MARK: Characters

    /// Splits a text into lines without control characters; tabs become spaces.
    static func lines(of text: String) -> [[Unicode.Scalar]] {
        var lines: [[Unicode.Scalar]] = []
        var line: [Unicode.Scalar] = []
        var last: Unicode.Scalar = " "
        for scalar in text.unicodeScalars.prefix(Lyrics.inputLimit) {
            defer { last = scalar }
            if isLineBreak(scalar) {
                if scalar == "\n", last == "\r" { continue }
                lines.append(line)
                line = []
            } else if line.count < inputLineLimit, let shown = shown(scalar) {
                line.append(shown)
            }
        }
        lines.append(line)
        return lines
    }

    private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Returns nil for what controls a terminal or the direction of text. Joiners make emoji, and letters of some
    /// scripts.
    private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        if scalar.isASCII { return scalar == "\t" ? " " : scalar.value >= 0x20 && scalar.value < 0x7F ? scalar : nil }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
            return scalar.value == 0x200C || scalar.value == 0x200D ? scalar : nil
        default: return scalar
        }
    }

    static func trimmed(_ text: some BidirectionalCollection<Unicode.Scalar>) -> Scalars {
        let text = Array(text)
        let front = text[...].drop(while: isSpace)
        guard let last = front.lastIndex(where: { !isSpace($0) }) else { return [] }
        return front[...last]
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || !scalar.isASCII && scalar.properties.isWhitespace
    }

    // MARK: A line's text

    /// Returns a line's text as it is shown: without control characters, times and white space at its ends, and not too
    /// long. A text that is an LRC tag is none. Cleaning a clean text changes nothing.
    static func clean(_ text: String) -> String {
        clean(Array(lines(of: text).joined(separator: [" "]).prefix(inputLineLimit))[...])
    }

    static func clean(_ text: Scalars) -> String {
        var text = trimmed(text)
        var passCount = 0
        while true {
            if tag(text) != nil { return "" }
            let length = text.count
            while takeTime(from: &text) != nil {}
            text = trimmed(withoutWordTimes(text))
            if text.count == length { break }
            passCount += 1
            if passCount == passLimit {
                text = trimmed(text.filter { $0 != "[" && $0 != "<" })
                break
            }
        }
        let cut = trimmed(text.prefix(Lyrics.lineLengthLimit))
        return String(String.UnicodeScalarView(cut))
    }

    /// Removes "<mm:ss.xx>", and one of two spaces around it.
    private static func withoutWordTimes(_ text: Scalars) -> Scalars {
        guard text.contains("<") else { return text }
        var result: [Unicode.Scalar] = []
        var rest = text
        var followsTime = false
        while let first = rest.first {
            if let (_, end) = time(rest, "<", ">") {
                rest = rest[end...]
                followsTime = true
                continue
            }
            let isDoubled = followsTime && isSpace(first) && result.last.map(isSpace) ?? true
            if !isDoubled {
                result.append(first)
                followsTime = false
            }
            rest.removeFirst()
        }
        return result[...]
    }

    // MARK: Times

    /// Takes the time in front of a line, and the white space behind it.
    /// - Returns: milliseconds; nil if no time stands there.
    static func takeTime(from line: inout Scalars) -> Int64? {
        guard let (milliseconds, end) = time(line, "[", "]") else { return nil }
        line = line[end...].drop(while: isSpace)
        return milliseconds
    }

    /// Reads a time between brackets in front of a text.
    private static func time(
        _ text: Scalars, _ opening: Unicode.Scalar, _ closing: Unicode.Scalar
    ) -> (milliseconds: Int64, end: Int)? {
        guard text.first == opening, let end = text.prefix(timeLengthLimit + 2).firstIndex(of: closing) else {
            return nil
        }
        let inner = text[(text.startIndex + 1)..<end].drop(while: isSpace)
        let last = inner.lastIndex { !isSpace($0) }
        guard let last, let milliseconds = milliseconds(inner[...last]) else { return nil }
        return (milliseconds, end + 1)
    }

    /// Reads mm:ss, mm:ss.xx, mm:ss:xx or hh:mm:ss.xx; a comma may stand for the point.
    private static func milliseconds(_ text: Scalars) -> Int64? {
        var fields: [(value: Int64, digitCount: Int)] = [(0, 0)]
        var hasPoint = false
        for scalar in text {
            let (value, digitCount) = fields[fields.count - 1]
            switch scalar {
            case "0"..."9":
                guard digitCount < 9 else { return nil }
                fields[fields.count - 1] = (value * 10 + Int64(scalar.value - 0x30), digitCount + 1)
            case ":", ".", ",":
                guard digitCount > 0, !hasPoint, fields.count < 4 else { return nil }
                hasPoint = scalar != ":"
                fields.append((0, 0))
            default: return nil
            }
        }
        guard fields.allSatisfy({ $0.digitCount > 0 }) else { return nil }
        var thousandths: Int64 = 0
        if hasPoint || fields.count == 3, let fraction = fields.popLast() {
            thousandths = fraction.value * 1_000 / (0..<fraction.digitCount).reduce(1) { power, _ in power * 10 }
        }
        guard fields.count == 2 || fields.count == 3 && hasPoint else { return nil }
        let (seconds, minutes) = (fields[fields.count - 1].value, fields[fields.count - 2].value)
        let hours = fields.count == 3 ? fields[0].value : 0
        guard seconds < 60, fields.count == 2 || minutes < 60 else { return nil }
        let total = ((hours * 60 + minutes) * 60 + seconds) * 1_000 + thousandths
        return total <= Lyrics.timeLimit.nanoseconds / 1_000_000 ? total : nil
    }

    // MARK: Tags

    /// An identification tag: what it says is ignored, but for the offset.
    struct Tag {
        /// Milliseconds by which all lines are shown earlier.
        var offset: Int64?
    }

    /// Those that players and editors write. Other words in brackets are text: "[Verse 2: all]".
    private static let tagNames: Set<String> = [
        "ti", "ar", "al", "au", "by", "re", "ve", "la", "lr", "length", "offset", "tool", "encoding", "#",
    ]

    /// Returns the tag that a trimmed line consists of, or that stands in front of it.
    static func tag(_ line: Scalars) -> Tag? {
        guard line.first == "[", let colon = line.prefix(16).firstIndex(of: ":"),
            let end = line[colon...].firstIndex(of: "]")
        else { return nil }
        let name = String(String.UnicodeScalarView(trimmed(line[(line.startIndex + 1)..<colon]))).lowercased()
        guard tagNames.contains(name) else { return nil }
        guard name == "offset" else { return Tag() }
        let value = String(String.UnicodeScalarView(trimmed(line[(colon + 1)..<end])))
        let limit = Lyrics.timeLimit.nanoseconds / 1_000_000
        return Tag(offset: Int64(value).map { min(max($0, -limit), limit) })
    }
}
