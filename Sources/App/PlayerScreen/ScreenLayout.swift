import AudioCore
import TerminalIO

/// Which row of the terminal shows what. The more rows there are, the more is shown:
///
/// | row | shows |
/// |---|---|
/// | 0 | the broadcast, what it does, its volume |
/// | 1, 2 | title and progress |
/// | 3 | what plays next, from 16 rows on |
/// | 4 | how loud it is, from 16 rows on |
/// | next | the pages' names |
/// | then | the page, its last row but one a note, from 16 rows on; in fewer rows a note stands for the last row |
/// | last | keys |
///
/// Beside the first five rows there is room for a picture, from 16 rows and 60 columns on.
public struct ScreenLayout: Hashable, Sendable {
    let size: ScreenSize
    private let page: PlayerModel.Page
    private let hasPicture: Bool

    static let progressRow = 2

    init(_ size: ScreenSize, _ page: PlayerModel.Page, hasPicture: Bool = false) {
        self.size = size
        self.page = page
        self.hasPicture = hasPicture && Self.pictureCells(size) != nil
    }

    /// Columns and rows of the picture, which stands in the upper right corner; nil where there is no room for one.
    public static func pictureCells(_ size: ScreenSize) -> ScreenSize? {
        // A cell is about twice as high as it is wide.
        size.height >= roomyHeight && size.width >= 60 ? ScreenSize(width: 10, height: 5) : nil
    }

    private static let roomyHeight = 16

    var isRoomy: Bool { size.height >= Self.roomyHeight }
    var progressRow: Int { Self.progressRow }
    var tabsRow: Int { isRoomy ? 5 : 3 }

    /// Rows of the page; at least one, even where the terminal has none for it.
    var pageRows: Range<Int> {
        let first = tabsRow + 1
        return first..<max(first + 1, size.height - (isRoomy ? 2 : 1))
    }

    /// Those of them that the list has: the library's first is for what is typed, the listeners' for titles.
    var listRows: Range<Int> {
        switch page {
        case .queue, .lyrics, .keys: pageRows
        case .library, .listeners: min(pageRows.lowerBound + 1, pageRows.upperBound)..<pageRows.upperBound
        }
    }

    var listHeight: Int { listRows.count }

    // MARK: Columns

    /// Columns beside the picture.
    var headerWidth: Int {
        let picture = hasPicture ? Self.pictureCells(size) : nil
        return picture.map { size.width - $0.width - 1 } ?? size.width
    }

    /// Columns of one side's meter.
    var meterWidth: Int { max(0, min(40, (headerWidth - 6) / 2)) }

    /// Columns of the progress bar.
    func barWidth(elapsed: TimeSpan, of duration: TimeSpan) -> Int {
        max(0, headerWidth - Self.times(elapsed, duration).cellWidth)
    }

    /// What stands behind the bar.
    static func times(_ elapsed: TimeSpan, _ duration: TimeSpan) -> String {
        " \(elapsed.clockReading) / \(duration.clockReading)"
    }

    /// The pages' names, and where each begins.
    var tabs: [(page: PlayerModel.Page, text: String, column: Int)] {
        let gap = size.width >= 60 ? 3 : 1
        let names = [
            (PlayerModel.Page.queue, "1 queue"), (.library, "2 library"), (.listeners, "3 listeners"),
            (.lyrics, "4 lyrics"),
        ]
        var column = 0
        return names.map { page, text in
            defer { column += text.count + gap }
            return (page, text, column)
        }
    }

    func page(at column: Int) -> PlayerModel.Page? {
        tabs.first { ($0.column..<$0.column + $0.text.count).contains(column) }?.page
    }
}
