/// A segment index (ISO/IEC 14496-12 section 8.16.3), which says in front of the fragments how many bytes and how much
/// time each stretch of them takes.
///
/// The first index counts; one that points to further indexes counts up to there.
enum SegmentIndex {
    private enum Offset {
        static let track = 4
        static let timescale = 8
    }

    private static let referenceByteCount = 12

    /// - Parameters:
    ///   - body: of the box, version and flags first.
    ///   - end: of the box in the file, from where on places are counted.
    /// - Returns: whether it is of this track, and whole enough.
    static func read(_ body: [UInt8], end: Int64, track: UInt32, into fragments: inout AnnouncedFragments) -> Bool {
        let bytes = body.span.bytes
        let isLong = body.first == 1
        let head = isLong ? 32 : 24
        guard body.count >= head, bytes.bigEndian32(at: Offset.track) == track else { return false }
        let timescale = Int128(bytes.bigEndian32(at: Offset.timescale))
        guard timescale > 0 else { return false }
        let first = isLong ? Int64(clamping: bytes.bigEndian64(at: 20)) : Int64(bytes.bigEndian32(at: 16))
        var offset = end.addingReportingOverflow(first)
        let count = min(Int(bytes.bigEndian16(at: head - 2)), (body.count - head) / referenceByteCount)
        var time: Int128 = 0
        for index in 0..<count {
            let place = head + index * referenceByteCount
            let reference = bytes.bigEndian32(at: place)
            guard reference >> 31 == 0, !offset.overflow else { break }
            fragments.add(time: time, per: timescale, byteOffset: offset.partialValue)
            time += Int128(bytes.bigEndian32(at: place + 4))
            offset = offset.partialValue.addingReportingOverflow(Int64(reference))
        }
        return true
    }
}
