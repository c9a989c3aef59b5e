import TerminalIO

// The live lines stay at the bottom of the terminal's text, where the cursor is; notices scroll by above them. To
// redraw, the cursor goes up to the first live line. Everything from there on is overwritten line by line, with the
// rest of each line erased, so nothing flickers. Between two drawings the terminal may have become narrower: it then
// wraps the old lines, and the cursor has that many more rows to go up.

/// Turns frames into terminal output; remembers what is on the screen.
struct LiveScreen: Sendable {
    let isColoured: Bool
    /// Widths of the lines on the screen.
    private var drawn: [Int] = []

    init(isColoured: Bool) { self.isColoured = isColoured }

    /// Returns the text that puts `notices` above, and `frame` in place of the last one.
    mutating func draw(_ frame: [StyledLine], notices: [StyledLine] = [], width: Int) -> String {
        var text = moveToTop(width: width)
        for notice in notices {
            text += "\u{1B}[K" + notice.rendered(coloured: isColoured) + "\r\n"
        }
        text += frame.map { $0.rendered(coloured: isColoured) + "\u{1B}[K" }.joined(separator: "\r\n")
        // Erase what an earlier, longer frame left below.
        text += "\u{1B}[J"
        drawn = frame.map(\.cellWidth)
        return text
    }

    /// Leaves the last frame and goes on below it.
    mutating func finish() -> String {
        defer { drawn = [] }
        return drawn.isEmpty ? "" : "\r\n"
    }

    /// Notes that other text was written: the next frame begins at the cursor.
    mutating func forget() { drawn = [] }

    private func moveToTop(width: Int) -> String {
        guard !drawn.isEmpty else { return "\r" }
        let rows = drawn.reduce(0) { $0 + max(1, ($1 + width - 1) / max(1, width)) }
        return rows > 1 ? "\r\u{1B}[\(rows - 1)A" : "\r"
    }
}
