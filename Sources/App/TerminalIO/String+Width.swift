// How many terminal cells a text takes. Terminals do not say, but nearly all follow these rules: characters of
// Unicode's East Asian Width W and F (UAX #11), and those shown as emoji, take two cells, combining marks and joiners
// none, all others one. libc's wcwidth would need a locale and knows no emoji sequences.

extension String {
    /// The terminal cells that the text takes.
    public var cellWidth: Int { reduce(0) { $0 + $1.cellWidth } }

    /// Returns the text cut to `width` cells, with an ellipsis if something is missing.
    public func truncated(to width: Int) -> String {
        guard cellWidth > width else { return self }
        guard width > 1 else { return width == 1 ? "…" : "" }
        var text = ""
        var used = 0
        for character in self {
            guard used + character.cellWidth <= width - 1 else { break }
            used += character.cellWidth
            text.append(character)
        }
        return text + "…"
    }

    /// Returns the text cut or padded with spaces to exactly `width` cells.
    public func padded(to width: Int, alignment: TextAlignment = .left) -> String {
        let text = truncated(to: width)
        let fill = String(repeating: " ", count: max(0, width - text.cellWidth))
        return alignment == .left ? text + fill : fill + text
    }
}

/// The side on which a text stands in a wider column.
public enum TextAlignment: Hashable, Sendable {
    case left, right
}

extension Character {
    public var cellWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if unicodeScalars.contains("\u{FE0F}") { return 2 }
        return first.cellWidth
    }
}

extension Unicode.Scalar {
    fileprivate var cellWidth: Int {
        guard value >= 0x300 else { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return isWide ? 2 : 1
        }
    }

    private var isWide: Bool {
        properties.isEmojiPresentation || Self.wideRanges.contains { $0.contains(value) }
    }

    /// Wide blocks (UAX #11, classes W and F), without the emoji.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
    ]
}
