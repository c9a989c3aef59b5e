/// The sizes of a stream's first frames, for a first guess of the bit rate.
struct RowLookAhead: Equatable {
    enum Finding: Equatable {
        case seen(RowLookAhead)
        /// The window must reach this many bytes past the first frame's start.
        case needsMore(Int)
    }

    var packetCount = 0
    var byteCount = 0

    private static let frameCount = 32

    /// Goes from header to header, at most `AudioFileStreamLimits.lookAheadByteCount` far.
    static func find(_ first: FrameHeader, in bytes: RawSpan, at offset: Int, isLast: Bool) -> Finding {
        var result = RowLookAhead()
        for _ in 0..<frameCount where result.byteCount < AudioFileStreamLimits.lookAheadByteCount {
            let place = offset + result.byteCount
            if !isLast, place + first.headerByteCount > bytes.byteCount {
                return .needsMore(result.byteCount + first.headerByteCount)
            }
            guard let next = first.successor(bytes, at: place) else { break }
            result.packetCount += next.packetsPerFrame
            result.byteCount += next.byteCount(freeFormatByteCount: 0)
        }
        return .seen(result)
    }
}
