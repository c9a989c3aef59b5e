import AudioCore

// CAF specification, "Packet Table Chunk": packets, valid frames, priming frames, remainder frames; then the table.

/// CAF's packet table chunk, collected piece by piece.
struct CAFPacketTable {
    private static let headerByteCount = 24

    /// Offset of the chunk's body in the file.
    let byteOffset: Int64
    private var header: [UInt8] = []
    private(set) var bytes: [UInt8] = []

    init(byteOffset: Int64) { self.byteOffset = byteOffset }

    /// Drops bytes beyond `AudioFileStreamLimits.packetTableByteCount`: the packets they describe are not played.
    mutating func append(_ piece: RawSpan) {
        let missing = min(Self.headerByteCount - header.count, piece.byteCount)
        if missing > 0 { header += piece.copy(0..<missing) }
        let end = min(piece.byteCount, missing + AudioFileStreamLimits.packetTableByteCount - bytes.count)
        guard end > missing else { return }
        piece.extracting(missing..<end).withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// The packet count in the header.
    var packetCount: Int64 { max(0, number64(at: 0)) }

    /// Nil if the header does not say.
    var validFrameCount: Int64? {
        let count = number64(at: 8)
        return (1...Self.largestFrameCount).contains(count) ? count : nil
    }

    /// Priming frames; a value of more than a minute is ignored.
    var primingFrameCount: Int {
        guard header.count == Self.headerByteCount else { return 0 }
        let count = Int(Int32(bitPattern: header.span.bytes.bigEndian32(at: 16)))
        return (0...Int(Limits.sampleRateRange.upperBound) * 60).contains(count) ? count : 0
    }

    private func number64(at offset: Int) -> Int64 {
        header.count == Self.headerByteCount ? Int64(bitPattern: header.span.bytes.bigEndian64(at: offset)) : 0
    }

    /// Keeps sums from overflowing.
    private static let largestFrameCount: Int64 = 1 << 48
}
