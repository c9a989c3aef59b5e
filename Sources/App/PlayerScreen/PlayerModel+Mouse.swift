import AudioCore
import TerminalIO
import WireProtocol

// What the mouse does.

extension PlayerModel {
    mutating func click(
        _ action: MouseAction, _ column: Int, _ row: Int, _ size: ScreenSize, _ now: HostTime
    ) {
        let layout = ScreenLayout(size, page, hasPicture: hasPicture)
        switch action {
        case .wheelUp: moveCursor(by: -3)
        case .wheelDown: moveCursor(by: 3)
        case .press where row == layout.tabsRow:
            if let page = layout.page(at: column) { show(page) }
        case .press where row == layout.progressRow: seek(to: column, layout, now)
        case .press where layout.listRows.contains(row): select(row - layout.listRows.lowerBound, layout, now)
        case .press: break
        }
    }

    private mutating func seek(to column: Int, _ layout: ScreenLayout, _ now: HostTime) {
        guard let broadcast, let duration = broadcast.state.status.current?.duration else { return }
        let width = layout.barWidth(elapsed: broadcast.elapsed(now) ?? .zero, of: duration)
        guard column < width else { return }
        perform(.seek(to: TimeSpan(seconds: duration.seconds * Double(column) / Double(width))))
    }

    /// Selects a row of the list; does what Enter does with the one that is selected already.
    private mutating func select(_ row: Int, _ layout: ScreenLayout, _ now: HostTime) {
        let (selected, window) = visible(layout.listHeight)
        let index = window.lowerBound + row
        guard window.contains(index) else { return }
        if index == selected { return pressInList(.enter, nil, layout.size, now) }
        moveCursor(by: index - selected)
    }

    /// The selected row of the page's list, and those that are seen.
    private mutating func visible(_ height: Int) -> (selected: Int, window: Range<Int>) {
        switch page {
        case .queue: (queueCursor.selected, visibleQueue(height))
        case .library: (library.selectedRow, library.window(height: height))
        case .listeners: (listenerCursor.selected, visibleListeners(height, instances.count))
        case .lyrics, .keys: (0, 0..<0)
        }
    }
}
