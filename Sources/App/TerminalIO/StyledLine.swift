/// One line of the live display: pieces of text, each with a style. The text is safe and has no escape sequences.
public struct StyledLine: Hashable, Sendable {
    public enum Style: Hashable, Sendable {
        case plain, strong, faint, good, warning
        /// In reverse, with or without colour.
        case selected
    }

    public private(set) var pieces: [(text: String, style: Style)] = []

    public init(_ text: String = "", _ style: Style = .plain) { append(text, style) }

    /// Adds text from any source; removes what could steer the terminal.
    public mutating func append(_ text: String, _ style: Style = .plain) {
        let safe = text.terminalSafe
        if !safe.isEmpty { pieces.append((safe, style)) }
    }

    public var cellWidth: Int { pieces.reduce(0) { $0 + $1.text.cellWidth } }
    public var text: String { pieces.map(\.text).joined() }

    /// Returns the line cut to a width, with an ellipsis if something is missing.
    public func truncated(to width: Int) -> StyledLine {
        guard cellWidth > width else { return self }
        var line = StyledLine()
        for piece in pieces {
            let room = width - line.cellWidth
            // A piece that just fits leaves no room for the ellipsis of the next, so cut it.
            let fits = piece.text.cellWidth < room
            line.append(fits ? piece.text : (piece.text + " ").truncated(to: room), piece.style)
            if !fits { break }
        }
        return line
    }

    /// Returns the same text in one style; as it is for nil.
    public func restyled(_ style: Style?) -> StyledLine { style.map { StyledLine(text, $0) } ?? self }

    /// Returns the line with spaces behind it, up to a width.
    public func padded(to width: Int) -> StyledLine {
        var line = self
        line.append(String(repeating: " ", count: max(0, width - cellWidth)))
        return line
    }

    /// Returns the text with escape sequences (ECMA-48 SGR) for its styles.
    public func rendered(coloured: Bool) -> String {
        pieces.map { piece in
            guard coloured || piece.style == .selected, let code = piece.style.code else { return piece.text }
            return "\u{1B}[\(code)m\(piece.text)\u{1B}[0m"
        }
        .joined()
    }

    public static func == (a: StyledLine, b: StyledLine) -> Bool {
        a.pieces.elementsEqual(b.pieces) { $0.text == $1.text && $0.style == $1.style }
    }

    public func hash(into hasher: inout Hasher) {
        for piece in pieces { hasher.combine(piece.text) }
    }
}

extension StyledLine.Style {
    fileprivate var code: Int? {
        switch self {
        case .plain: nil
        case .strong: 1
        case .faint: 2
        case .good: 32
        case .warning: 33
        case .selected: 7
        }
    }
}
