import WireProtocol

/// Items whose songs are to be asked what they are called, in the order in which that is done: those first that play
/// next.
///
/// Each is taken once. Taking all of them takes time in proportion to their number, and so does the first one after a
/// change of the programme.
struct DescriptionOrder: Sendable {
    /// Those that were not taken.
    private var waiting: Set<ItemID> = []
    /// The same in their order, the first one last, and some that do not wait any more; nil: to be found.
    private var order: [ItemID]?

    mutating func insert(_ ids: some Sequence<ItemID>) { waiting.formUnion(ids) }

    /// Leaves one out: it is gone, or nothing is to be asked any more.
    mutating func remove(_ id: ItemID) { waiting.remove(id) }

    mutating func removeAll() { waiting = [] }

    /// Takes note that another item is the current one, or that the items stand in another order.
    mutating func noteChange() { order = nil }

    /// Takes the first one; nil if none is left.
    /// - Parameters:
    ///   - playOrder: of all items.
    ///   - current: the one that plays, which comes first, too, where it was not asked.
    mutating func takeFirst(_ playOrder: [ItemID], current: ItemID?) -> ItemID? {
        guard !waiting.isEmpty else { return nil }
        if order == nil {
            let start = current.flatMap(playOrder.firstIndex) ?? 0
            order = (playOrder[start...] + playOrder[..<start]).filter(waiting.contains).reversed()
        }
        while let id = order?.popLast() {
            if waiting.remove(id) != nil { return id }
        }
        return nil
    }
}
