/// Where fragments that went by lie: a bounded table that thins itself out, as ``PacketIndex`` does for packets.
struct FragmentIndex {
    struct Entry: Equatable {
        /// The fragment's first.
        var packet: Int64
        /// Of its `moof` in the file.
        var byteOffset: Int64
        var frame: Int64
    }

    private var entries: [Entry] = []
    private var stride = 1
    private var count = 0

    /// Notes fragments in order; one that was noted before is passed over.
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

    /// The last one for which `holds`, which does so for all up to it.
    func last(where holds: (Entry) -> Bool) -> Entry? { entries.last(upTo: holds) }
}
