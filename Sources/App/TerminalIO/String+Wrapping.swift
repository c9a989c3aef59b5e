extension String {
    /// Returns the text in rows of at most `width` cells, broken at spaces where there are any; one empty row for an
    /// empty text.
    public func wrapped(to width: Int) -> [String] {
        let width = max(2, width)
        var rows = [""]
        var used = 0
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            let wordWidth = String(word).cellWidth
            let isFirst = rows[rows.count - 1].isEmpty
            if !isFirst, used + 1 + wordWidth > width {
                rows.append("")
                used = 0
            } else if !isFirst {
                rows[rows.count - 1] += " "
                used += 1
            }
            for character in word {
                if used + character.cellWidth > width {
                    rows.append("")
                    used = 0
                }
                rows[rows.count - 1].append(character)
                used += character.cellWidth
            }
        }
        return rows
    }
}
