/// The sizes of a stream's first frames, for a first estimate of the bit rate.
struct FrameLookAhead: Equatable {
    enum Finding: Equatable {
        case seen(FrameLookAhead)
        /// The window must reach this many bytes past the start of the first frame.
        case needsMore(Int)
    }

    var packetCount = 0
    var byteCount = 0

    private static let frameCount = 32

    /// Follows the headers for at most `AudioFileStreamLimits.lookAheadByteCount` bytes.
    static func find(_ first: FrameHeader, in bytes: RawSpan, at offset: Int, isLast: Bool) -> Finding {
        var result = FrameLookAhead()
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
