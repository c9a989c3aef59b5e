/// Where somebody is in a list of which a part is seen. What is selected stays so while the list changes around it.
struct ListCursor<ID: Hashable & Sendable>: Hashable, Sendable {
    private(set) var selected = 0
    /// Of the selected row.
    private var id: ID?
    /// The first row that is seen.
    private var top = 0

    mutating func move(by step: Int, in ids: [ID]) { select(selected + step, in: ids) }

    mutating func select(_ index: Int, in ids: [ID]) {
        selected = min(max(0, index), max(0, ids.count - 1))
        id = ids.indices.contains(selected) ? ids[selected] : nil
    }

    /// Finds what was selected in a list that may be another one; where it is gone, what stands there now.
    mutating func follow(_ ids: [ID]) {
        guard let id, !(ids.indices.contains(selected) && ids[selected] == id) else { return select(selected, in: ids) }
        select(ids.firstIndex(of: id) ?? selected, in: ids)
    }

    /// Returns the rows to show of so many, with the selected one among them.
    mutating func window(height: Int, in count: Int) -> Range<Int> {
        let (height, selected) = (max(1, height), min(selected, max(0, count - 1)))
        top = min(max(top, selected - height + 1), selected)
        top = min(top, max(0, count - height))
        return top..<min(count, top + height)
    }
}
