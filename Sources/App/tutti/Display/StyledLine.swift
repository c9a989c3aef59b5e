/// One line of the live display: pieces of text, each with a style. The text is safe and has no escape sequences.
struct StyledLine: Hashable, Sendable {
    enum Style: Hashable, Sendable {
        case plain, strong, faint, good, warning
    }

    private(set) var pieces: [(text: String, style: Style)] = []

    init(_ text: String = "", _ style: Style = .plain) { append(text, style) }

    /// Adds text from any source; removes what could steer the terminal.
    mutating func append(_ text: String, _ style: Style = .plain) {
        let safe = text.terminalSafe
        if !safe.isEmpty { pieces.append((safe, style)) }
    }

    var cellWidth: Int { pieces.reduce(0) { $0 + $1.text.cellWidth } }
    var text: String { pieces.map(\.text).joined() }

    /// Returns the line cut to a width, with an ellipsis if something is missing.
    func truncated(to width: Int) -> StyledLine {
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

    /// Returns the text with escape sequences (ECMA-48 SGR) for its styles.
    func rendered(coloured: Bool) -> String {
        guard coloured else { return text }
        return pieces.map { piece in piece.style.code.map { "\u{1B}[\($0)m\(piece.text)\u{1B}[0m" } ?? piece.text }
            .joined()
    }

    static func == (a: StyledLine, b: StyledLine) -> Bool {
        a.pieces.elementsEqual(b.pieces) { $0.text == $1.text && $0.style == $1.style }
    }

    func hash(into hasher: inout Hasher) {
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
        }
    }
}
