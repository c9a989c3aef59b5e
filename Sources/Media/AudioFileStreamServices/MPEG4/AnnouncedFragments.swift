/// The places of fragments not parsed yet, from an index: ``SegmentIndex`` before them, or ``RandomAccessIndex`` at the
/// end of the file.
///
/// An index gives presentation times. The first fragment may or may not include the priming of an edit list, so those
/// after it are estimates. The table is bounded, and thins itself out.
struct AnnouncedFragments {
    struct Entry: Equatable {
        var packet: Int64
        /// Offset in the file.
        var byteOffset: Int64
        /// Whether the time is the start of a packet.
        var isExact: Bool
    }

    /// More entries than a segment index can have.
    static let capacity = 16 * 1_024

    private(set) var entries: [Entry] = []
    /// Every stride-th entry is kept.
    private var stride = 1
    private var count = 0
    private let framesPerPacket: Int
    private let sampleRate: Int128
    private let firstPacket: Int64
    private let priming: Int64

    /// - Parameters:
    ///   - framesPerPacket: frames of every packet.
    ///   - firstPacket: the packet at time zero.
    ///   - priming: inaudible frames from there on.
    /// - Returns: nil if no packet can be found by these values.
    init?(framesPerPacket: Int, sampleRate: Double, firstPacket: Int64, priming: Int64) {
        guard framesPerPacket > 0, sampleRate >= 1 else { return nil }
        self.framesPerPacket = framesPerPacket
        self.sampleRate = Int128(sampleRate.rounded())
        self.firstPacket = firstPacket
        self.priming = priming
    }

    /// - Returns: nil also if frame counts of packets vary.
    init?(of entry: SampleEntry?, firstPacket: Int64, priming: Int64) {
        guard let entry, case .constant(let count) = entry.counting else { return nil }
        self.init(
            framesPerPacket: count, sampleRate: entry.format.sampleRate, firstPacket: firstPacket, priming: priming)
    }

    /// Adds a fragment after the previous ones in time and in the file.
    /// - Parameter timescale: units per second, not zero.
    mutating func add(time: Int128, per timescale: Int128, byteOffset: Int64) {
        defer { count += 1 }
        guard count % stride == 0 else { return }
        if entries.count == Self.capacity {
            entries.thin()
            stride *= 2
        }
        let frames = time * sampleRate + (time > 0 ? Int128(priming) * timescale : 0)
        let (packet, rest) = frames.quotientAndRemainder(dividingBy: timescale * Int128(framesPerPacket))
        entries.append(
            Entry(
                packet: Int64(clamping: Int128(firstPacket) + packet), byteOffset: byteOffset,
                isExact: rest == 0 && (priming == 0 || time == 0)))
    }

    mutating func removeAll() { entries = [] }

    /// Returns the last fragment that begins at or before a packet.
    func entry(atOrBefore packet: Int64) -> Entry? { entries.last { $0.packet <= packet } }
}
