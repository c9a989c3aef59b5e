/// The places of parsed fragments: a bounded table that thins itself out, as ``PacketIndex`` does for packets.
struct FragmentIndex {
    struct Entry: Equatable {
        /// The first packet of the fragment.
        var packet: Int64
        /// Offset of its `moof` in the file.
        var byteOffset: Int64
        var frame: Int64
    }

    private var entries: [Entry] = []
    private var stride = 1
    private var count = 0

    /// Notes a fragment; fragments come in order, and one noted before is ignored.
    mutating func note(_ entry: Entry) {
        guard entries.last.map({ entry.byteOffset > $0.byteOffset && entry.packet > $0.packet }) ?? true else { return }
        count += 1
        guard (count - 1) % stride == 0 else { return }
        if entries.count == PacketIndex.capacity {
            stride *= 2
            entries.thin()
        }
        entries.append(entry)
    }

    /// Returns the last entry for which `holds` is true; it must be true for all before it.
    func last(where holds: (Entry) -> Bool) -> Entry? { entries.last(upTo: holds) }
}
