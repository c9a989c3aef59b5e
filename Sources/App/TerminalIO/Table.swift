/// Rows in columns that fit a width: if it is too narrow, the least important columns are dropped first.
public struct Table {
    public struct Column {
        public var title: String
        public var alignment: TextAlignment
        /// Columns with the highest number are dropped first; those with 0 stay and are cut instead.
        public var dropOrder: Int

        public init(title: String, alignment: TextAlignment = .left, dropOrder: Int) {
            self.title = title
            self.alignment = alignment
            self.dropOrder = dropOrder
        }
    }

    public struct Cell {
        public var text: String
        public var style: StyledLine.Style

        public init(text: String, style: StyledLine.Style = .plain) {
            self.text = text
            self.style = style
        }
    }

    public var columns: [Column]
    public var rows: [[Cell]] = []
    private let gap = 2

    public init(columns: [Column]) { self.columns = columns }

    /// Returns title line and rows, none wider than `width`. A column that is empty in all rows is left out.
    public func lines(width: Int) -> [StyledLine] {
        var shown = columns.indices.filter { index in rows.contains { !$0[index].text.isEmpty } }
        while totalWidth(shown) > width, let least = shown.max(by: { columns[$0].dropOrder < columns[$1].dropOrder }),
            columns[least].dropOrder > 0
        {
            shown.removeAll { $0 == least }
        }
        var widths = columns.indices.map(naturalWidth)
        if let flexible = shown.first(where: { columns[$0].dropOrder == 0 }) {
            widths[flexible] = max(4, widths[flexible] - max(0, totalWidth(shown) - width))
        }
        let titles = columns.map { Cell(text: $0.title, style: .faint) }
        return ([titles] + rows).map { line($0, shown, widths).truncated(to: width) }
    }

    private func line(_ cells: [Cell], _ shown: [Int], _ widths: [Int]) -> StyledLine {
        var line = StyledLine()
        // Nothing follows a row's last text, not even spaces.
        let last = shown.last { !cells[$0].text.isEmpty }
        for index in shown.prefix(while: { $0 <= last ?? -1 }) {
            if index != shown.first { line.append(String(repeating: " ", count: gap)) }
            let (text, alignment) = (cells[index].text, columns[index].alignment)
            let fits = index == last && alignment == .left && index != shown.first
            line.append(fits ? text : text.padded(to: widths[index], alignment: alignment), cells[index].style)
        }
        return line
    }

    private func totalWidth(_ shown: [Int]) -> Int {
        shown.reduce(0) { $0 + naturalWidth($1) } + gap * max(0, shown.count - 1)
    }

    private func naturalWidth(_ index: Int) -> Int {
        rows.reduce(columns[index].title.cellWidth) { max($0, $1[index].text.cellWidth) }
    }
}
