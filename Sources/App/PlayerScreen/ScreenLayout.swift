import AudioCore
import TerminalIO

/// Which row of the terminal shows what. The more rows there are, the more is shown:
///
/// | row | shows |
/// |---|---|
/// | 0 | the broadcast, what it does, its volume |
/// | 1, 2 | title and progress |
/// | 3 | what plays next, from 16 rows on |
/// | next | the pages' names |
/// | then | the page, its last row but one a note, from 16 rows on; in fewer rows a note stands for the last row |
/// | last | keys |
struct ScreenLayout: Hashable {
    let size: ScreenSize
    private let page: PlayerModel.Page

    static let progressRow = 2

    init(_ size: ScreenSize, _ page: PlayerModel.Page) {
        self.size = size
        self.page = page
    }

    var isRoomy: Bool { size.height >= 16 }
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
        case .queue, .keys: pageRows
        case .library, .listeners: min(pageRows.lowerBound + 1, pageRows.upperBound)..<pageRows.upperBound
        }
    }

    var listHeight: Int { listRows.count }

    // MARK: Columns

    /// Columns of the progress bar.
    func barWidth(elapsed: TimeSpan, of duration: TimeSpan) -> Int {
        max(0, size.width - Self.times(elapsed, duration).cellWidth)
    }

    /// What stands behind the bar.
    static func times(_ elapsed: TimeSpan, _ duration: TimeSpan) -> String {
        " \(elapsed.clockReading) / \(duration.clockReading)"
    }

    /// The pages' names, and where each begins.
    static let tabs: [(page: PlayerModel.Page, text: String, column: Int)] = {
        var column = 0
        return [(PlayerModel.Page.queue, "1 queue"), (.library, "2 library"), (.listeners, "3 listeners")].map {
            page, text in
            defer { column += text.count + tabGap }
            return (page, text, column)
        }
    }()

    static let tabGap = 3

    func page(at column: Int) -> PlayerModel.Page? {
        Self.tabs.first { ($0.column..<$0.column + $0.text.count).contains(column) }?.page
    }
}
