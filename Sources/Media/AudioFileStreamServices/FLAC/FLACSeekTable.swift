/// FLAC's seek table (RFC 9639 section 8.5): for some packets their first frame and their place.
///
/// Of a table with more points than ``capacity``, every second, third ... point is kept.
struct FLACSeekTable {
    struct Point: Equatable {
        /// First frame of audio.
        var frame: Int64
        /// Offset from the first byte of the first packet.
        var byteOffset: Int64
    }

    static let pointByteCount = 18
    static let capacity = 4_096

    private(set) var points: [Point] = []
    private var stride = 1
    private var seen = 0

    mutating func expect(pointCount: Int) {
        stride = max(1, (pointCount + Self.capacity - 1) / Self.capacity)
    }

    /// Takes all complete points at the start of the bytes, at least one. Returns how many bytes that was.
    mutating func consume(_ bytes: RawSpan, byteCount: Int) -> Int {
        var place = 0
        while byteCount - place >= Self.pointByteCount {
            let frame = UInt64(bytes.bigEndian32(at: place)) << 32 | UInt64(bytes.bigEndian32(at: place + 4))
            let offset = UInt64(bytes.bigEndian32(at: place + 8)) << 32 | UInt64(bytes.bigEndian32(at: place + 12))
            place += Self.pointByteCount
            seen += 1
            // Placeholders are all ones; points out of order are useless.
            guard (seen - 1) % stride == 0, points.count < Self.capacity, frame < 1 << 36, offset < 1 << 50 else {
                continue
            }
            let point = Point(frame: Int64(frame), byteOffset: Int64(offset))
            if let last = points.last, last.frame >= point.frame || last.byteOffset >= point.byteOffset { continue }
            points.append(point)
        }
        return place
    }

    /// Returns the last point at or before a frame.
    func point(atOrBefore frame: Int64) -> Point? {
        var low = 0
        var high = points.count
        while low < high {
            let middle = (low + high) / 2
            if points[middle].frame <= frame { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? points[low - 1] : nil
    }
}
