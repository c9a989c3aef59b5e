// The whole terminal belongs to the program. Each drawing writes only lines that differ from those that are there, each
// at its place, within a synchronized update (DEC private mode 2026, which terminals that do not know it pass over): so
// nothing flickers, and little is sent.
//
// A picture is sent once. Text that is written over sixels erases them, and so does erasing to the end of the line;
// over a picture of kitty's it would be hidden. So lines beside the picture end before it: what follows their text up
// to the picture is written as spaces, and the picture's own cells are not touched until it changes, moves or goes.
// Then they are erased with the lines, and the new one is written behind the last line.

/// Turns frames into terminal output; remembers what is on the screen.
public struct FullScreen: Sendable {
    /// A picture and where its top left cell is.
    private struct Placement: Hashable {
        var picture: TerminalPicture
        var row: Int
        var column: Int

        var rows: Range<Int> { row..<row + picture.rows }
        var end: Int { column + picture.columns }
        /// In the last row of the screen sixels scroll.
        func fits(rows: Int, columns: Int) -> Bool { end <= columns && self.rows.upperBound < rows }
        /// The cursor stays where it was (DECSC, DECRC).
        var text: String { "\u{1B}7\u{1B}[\(row + 1);\(column + 1)H\(picture.text)\u{1B}8" }
    }

    private let isColoured: Bool
    private var drawn: [StyledLine] = []
    private var wanted: Placement?
    private var shown: Placement?

    /// The alternate screen, without a cursor and without wrapping; mouse reports as SGR (xterm's modes 1000 and 1006).
    public static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[2J"
    public static let end = "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    public init(isColoured: Bool) { self.isColoured = isColoured }

    /// Notes that the screen holds something else: the next frame is drawn whole, and the picture with it.
    public mutating func forget() { drawn = [] }

    /// Shows a picture from the next frame on, in place of the one before; nil shows none. Lines are cut before it. It
    /// is not shown while it does not fit on the screen above its last line.
    /// - Parameters:
    ///   - row: of its top left cell, from 0, as the column.
    public mutating func place(_ picture: TerminalPicture?, row: Int = 0, column: Int = 0) {
        // No screen has as many.
        let cells = 0...100_000
        wanted = picture.map { Placement(picture: $0, row: cells.nearest(to: row), column: cells.nearest(to: column)) }
    }

    /// What takes the picture off the terminal when the program leaves it: some keep pictures of a screen that is gone.
    public var farewell: String { shown?.picture.removal ?? "" }

    /// Returns the text that shows the lines, from the top, and the picture; empty if they are there already.
    /// - Parameter width: the terminal's; no line is wider.
    public mutating func draw(_ lines: [StyledLine], width: Int) -> String {
        let isWhole = drawn.count != lines.count
        let placement = wanted.flatMap { $0.fits(rows: lines.count, columns: width) ? $0 : nil }
        let isChanged = isWhole || placement != shown
        var text = isChanged ? farewell : ""
        if isWhole { text += "\u{1B}[2J" }
        for (row, line) in lines.enumerated() {
            let isBeside = placement?.rows.contains(row) ?? false
            let isUncovered = isChanged && (isBeside || shown?.rows.contains(row) ?? false)
            guard isWhole || isUncovered || drawn[row] != line else { continue }
            text += "\u{1B}[\(row + 1);1H"
            if let placement, isBeside {
                text += written(line, beside: placement, isErased: isChanged, row: row, width: width)
            } else {
                text += written(line, width: width)
            }
        }
        if isChanged, let placement { text += placement.text }
        (drawn, shown) = (lines, placement)
        return text.isEmpty ? "" : "\u{1B}[?2026h\(text)\u{1B}[?2026l"
    }

    private func written(_ line: StyledLine, width: Int) -> String {
        // Behind the last column the cursor stands on that column.
        line.rendered(coloured: isColoured) + (line.cellWidth < width ? "\u{1B}[K" : "")
    }

    /// - Parameter isErased: whether the picture's cells are erased too.
    private func written(
        _ line: StyledLine, beside placement: Placement, isErased: Bool, row: Int, width: Int
    ) -> String {
        let line = line.truncated(to: placement.column)
        if isErased { return written(line, width: width) }
        let text = line.padded(to: placement.column).rendered(coloured: isColoured)
        return placement.end < width ? text + "\u{1B}[\(row + 1);\(placement.end + 1)H\u{1B}[K" : text
    }
}

extension ClosedRange<Int> {
    fileprivate func nearest(to value: Int) -> Int { Swift.min(Swift.max(value, lowerBound), upperBound) }
}
