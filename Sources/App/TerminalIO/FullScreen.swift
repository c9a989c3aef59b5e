// The whole terminal belongs to the program. Each drawing writes only lines that differ from those that are there, each
// at its place, within a synchronized update (DEC private mode 2026, which terminals that do not know it pass over): so
// nothing flickers, and little is sent.

/// Turns frames into terminal output; remembers what is on the screen.
public struct FullScreen: Sendable {
    private let isColoured: Bool
    private var drawn: [StyledLine] = []

    /// The alternate screen, without a cursor and without wrapping; mouse reports as SGR (xterm's modes 1000 and 1006).
    public static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[2J"
    public static let end = "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    public init(isColoured: Bool) { self.isColoured = isColoured }

    /// Notes that the screen holds something else: the next frame is drawn whole.
    public mutating func forget() { drawn = [] }

    /// Returns the text that shows the lines, from the top; empty if they are there already.
    /// - Parameter width: the terminal's; no line is wider.
    public mutating func draw(_ lines: [StyledLine], width: Int) -> String {
        var text = drawn.count == lines.count ? "" : "\u{1B}[2J"
        for (row, line) in lines.enumerated() where drawn.count != lines.count || drawn[row] != line {
            text += "\u{1B}[\(row + 1);1H" + line.rendered(coloured: isColoured)
            // Behind the last column the cursor stands on that column.
            if line.cellWidth < width { text += "\u{1B}[K" }
        }
        drawn = lines
        return text.isEmpty ? "" : "\u{1B}[?2026h\(text)\u{1B}[?2026l"
    }
}
