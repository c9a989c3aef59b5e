/// Where fragments that went by lie: a bounded table that thins itself out, as ``PacketIndex`` does for packets.
struct FragmentIndex {
    struct Entry: Equatable {
        /// The first of the fragment.
        var packet: Int64
        /// Of its `moof` in the file.
        var byteOffset: Int64
        /// First frame in the decoded stream, priming included.
        var frame: Int64
    }

    static let capacity = 4_096

    private(set) var entries: [Entry] = []
    private var stride = 1
    private var count = 0

    /// Notes fragments in order; one that was noted before is passed over.
    mutating func note(packet: Int64, byteOffset: Int64, frame: Int64) {
        guard entries.last.map({ byteOffset > $0.byteOffset && packet > $0.packet }) ?? true else { return }
        count += 1
        guard (count - 1) % stride == 0 else { return }
        if entries.count == Self.capacity {
            stride *= 2
            entries = entries.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        }
        entries.append(Entry(packet: packet, byteOffset: byteOffset, frame: frame))
    }

    /// The last one for which `holds`, which does so for all up to it.
    func last(where holds: (Entry) -> Bool) -> Entry? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if holds(entries[middle]) { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? entries[low - 1] : nil
    }
}
