/// Places of the packets parsed so far: a bounded table that thins itself out.
///
/// Holds every stride-th packet; when it is full, every second entry is dropped and the stride doubles. A seek begins
/// at the exact entry before its target and passes over the packets between.
struct PacketIndex {
    struct Entry: Equatable {
        var packet: Int64
        /// Offset in the file.
        var byteOffset: Int64
        /// First frame in the decoded stream, priming included.
        var frame: Int64
    }

    static let capacity = 4_096

    private(set) var entries: [Entry] = []
    private var stride: Int64 = 1
    /// The packet after the last one noted.
    private(set) var end: Int64 = 0

    /// Notes a packet; packets come in order, and one noted before is ignored.
    mutating func note(packet: Int64, byteOffset: Int64, frame: Int64) {
        guard packet == end else { return }
        end += 1
        guard packet % stride == 0 else { return }
        if entries.count == Self.capacity {
            stride *= 2
            entries.thin()
            guard packet % stride == 0 else { return }
        }
        entries.append(Entry(packet: packet, byteOffset: byteOffset, frame: frame))
    }

    /// The last entry at or before a parsed packet; nil for a packet not parsed yet.
    func entry(atOrBefore packet: Int64) -> Entry? { packet < end ? entries.last(upTo: { $0.packet <= packet }) : nil }

    /// The last entry at or before a frame; nil if there is none.
    func entry(atOrBeforeFrame frame: Int64) -> Entry? { entries.last(upTo: { $0.frame <= frame }) }

    /// The last entry at or before a byte of the file; nil if there is none.
    func entry(atOrBeforeByte offset: Int64) -> Entry? { entries.last(upTo: { $0.byteOffset <= offset }) }

    /// The entry after a given one; nil for the last.
    func entry(after entry: Entry) -> Entry? {
        let next = entries.count(upTo: { $0.packet <= entry.packet })
        return next < entries.count ? entries[next] : nil
    }
}

extension Array {
    /// The number of leading elements for which `holds` is true; it must be false for all others.
    func count(upTo holds: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The last element for which `holds` is true; it must be true for all before it.
    func last(upTo holds: (Element) -> Bool) -> Element? {
        let count = count(upTo: holds)
        return count > 0 ? self[count - 1] : nil
    }
}

extension Array {
    /// Removes every second element.
    mutating func thin() {
        for index in 0..<(count + 1) / 2 { self[index] = self[2 * index] }
        removeLast(count / 2)
    }
}
