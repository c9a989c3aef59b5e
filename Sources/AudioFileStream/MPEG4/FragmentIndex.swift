/// Where fragments that went by lie: a bounded table that thins itself out, as ``PacketIndex`` does for packets.
struct FragmentIndex {
    /// Of a fragment's first packet, and of its `moof`.
    typealias Entry = PacketIndex.Entry

    private var entries: [Entry] = []
    private var stride = 1
    private var count = 0

    /// Notes fragments in order; one that was noted before is passed over.
    mutating func note(packet: Int64, byteOffset: Int64, frame: Int64) {
        guard entries.last.map({ byteOffset > $0.byteOffset && packet > $0.packet }) ?? true else { return }
        count += 1
        guard (count - 1) % stride == 0 else { return }
        if entries.count == PacketIndex.capacity {
            stride *= 2
            entries.thin()
        }
        entries.append(Entry(packet: packet, byteOffset: byteOffset, frame: frame))
    }

    /// The last one for which `holds`, which does so for all up to it.
    func last(where holds: (Entry) -> Bool) -> Entry? { entries.last(upTo: holds) }
}
