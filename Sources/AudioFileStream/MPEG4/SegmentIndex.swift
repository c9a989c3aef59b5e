import AudioCore

/// Where fragments lie that have not gone by: a segment index (ISO/IEC 14496-12 section 8.16.3), which says in front of
/// the fragments how many bytes and how much time each stretch of them takes.
///
/// The first index counts; one that points to further indexes counts up to there. Its times are those of what is heard:
/// of an edit list's priming the first stretch may or may not have its part, so that what follows is an estimate.
struct SegmentIndex {
    struct Entry: Equatable {
        var packet: Int64
        /// Offset in the file.
        var byteOffset: Int64
        /// Whether the time is the start of a packet.
        var isExact: Bool
    }

    private enum Offset {
        static let track = 4
        static let timescale = 8
    }

    private static let referenceByteCount = 12

    private var entries: [Entry] = []

    /// - Parameters:
    ///   - body: of the box, version and flags first.
    ///   - end: of the box in the file, from where on places are counted.
    ///   - firstPacket: the one that follows the index.
    ///   - priming: frames from there on that are not heard.
    ///   - framesPerPacket: of all packets.
    init?(
        _ body: [UInt8], end: Int64, track: UInt32, firstPacket: Int64, priming: Int64, framesPerPacket: Int,
        sampleRate: Double
    ) {
        let bytes = body.span.bytes
        let isLong = body.first == 1
        let head = isLong ? 32 : 24
        guard body.count >= head, framesPerPacket > 0, sampleRate >= 1 else { return nil }
        let timescale = Int128(bytes.bigEndian32(at: Offset.timescale))
        guard bytes.bigEndian32(at: Offset.track) == track, timescale > 0 else { return nil }
        let first = isLong ? Int64(clamping: bytes.bigEndian64(at: 20)) : Int64(bytes.bigEndian32(at: 16))
        var offset = end.addingReportingOverflow(first)
        let count = min(Int(bytes.bigEndian16(at: head - 2)), (body.count - head) / Self.referenceByteCount)
        var time: Int128 = 0
        for index in 0..<count {
            let place = head + index * Self.referenceByteCount
            let reference = bytes.bigEndian32(at: place)
            guard reference >> 31 == 0, !offset.overflow else { break }
            let start = time * Int128(sampleRate.rounded()) + (index > 0 ? Int128(priming) * timescale : 0)
            let (packet, rest) = start.quotientAndRemainder(dividingBy: timescale * Int128(framesPerPacket))
            entries.append(
                Entry(
                    packet: Int64(clamping: Int128(firstPacket) + packet), byteOffset: offset.partialValue,
                    isExact: rest == 0 && (priming == 0 || index == 0)))
            time += Int128(bytes.bigEndian32(at: place + 4))
            offset = offset.partialValue.addingReportingOverflow(Int64(reference))
        }
    }

    /// The last stretch that begins with a packet or before it.
    func entry(atOrBefore packet: Int64) -> Entry? { entries.last { $0.packet <= packet } }
}
