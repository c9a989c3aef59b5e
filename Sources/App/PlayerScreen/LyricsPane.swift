import AudioCore
import Songs
import TerminalIO
import WireProtocol

/// The words of the song that plays: timed ones in step with it, others from where somebody scrolled to.
struct LyricsPane: Sendable {
    private struct Row {
        var text: String
        /// Of the line that it belongs to.
        var index: Int
    }

    /// Rows by which the text was scrolled, from where it stands by itself.
    private var scrolled = 0
    /// The text in rows, for an item and a width.
    private var wrapped: (item: ItemID, width: Int, rows: [Row])?

    mutating func scroll(by rows: Int) { scrolled += min(max(rows, -Self.rowLimit), Self.rowLimit) }

    mutating func reset() { scrolled = 0 }

    private static let rowLimit = 10_000
    private static let nothingSentence = "no words: they come from the song's tags, or from a file beside it, NAME.lrc"

    mutating func lines(_ details: SongDetails?, _ elapsed: TimeSpan?, _ layout: ScreenLayout) -> [StyledLine] {
        switch details?.lyrics {
        case nil: [StyledLine("nothing plays", .faint)]
        case .expected: [StyledLine("looking for the words", .faint)]
        case .nothing(let reason):
            (reason.isEmpty ? Self.nothingSentence : "no words: \(reason)").terminalSafe.wrapped(to: layout.size.width)
                .map { StyledLine($0, .faint) }
        case .found(let lyrics):
            lines(lyrics, rows(lyrics, of: details?.item, layout.size.width), elapsed, layout)
        }
    }

    /// Many frames show the same text.
    private mutating func rows(_ lyrics: Lyrics, of item: ItemID?, _ width: Int) -> [Row] {
        if let wrapped, wrapped.item == item, wrapped.width == width { return wrapped.rows }
        let rows = lyrics.lines.enumerated().flatMap { index, line in
            line.text.terminalSafe.wrapped(to: width).map { Row(text: $0, index: index) }
        }
        wrapped = item.map { ($0, width, rows) }
        return rows
    }

    private mutating func lines(
        _ lyrics: Lyrics, _ rows: [Row], _ elapsed: TimeSpan?, _ layout: ScreenLayout
    ) -> [StyledLine] {
        let current = elapsed.flatMap { lyrics.line(at: $0) }
        let height = layout.listHeight
        let middle = current.flatMap { line in rows.firstIndex { $0.index == line } }
        let natural = min(middle.map { max(0, $0 - height / 3) } ?? 0, max(0, rows.count - height))
        let top = min(max(0, natural + scrolled), max(0, rows.count - height))
        // Beyond the ends there is nothing to scroll to.
        scrolled = top - natural
        return rows.dropFirst(top).prefix(height).map { row in
            StyledLine(row.text, row.index == current ? .strong : lyrics.isTimed ? .faint : .plain)
        }
    }
}
