import AudioCore

// AudioChannelLayout in CAF's chan and AIFF's CHAN chunk (CAF specification, "Channel Layout Chunk"; CoreAudioTypes.h):
// a tag, a bitmap, the number of descriptions, and descriptions: a label, flags and three coordinates. The tag says
// that descriptions follow, or that the bitmap is the layout (with the bits of WAVE's speaker mask), or names a layout.

/// Reads Core Audio's channel layout from a file.
enum CoreAudioLayout {
    private static let headerByteCount = 12
    private static let descriptionByteCount = 20
    static let largestByteCount = headerByteCount + Limits.channelRange.upperBound * descriptionByteCount

    /// - Parameter bytes: at least 12.
    /// - Returns: nil for an unknown layout.
    static func read(_ bytes: RawSpan) -> AudioChannelLayout? {
        let tag = bytes.bigEndian32(at: 0)
        switch tag {
        case 0:
            let count = Int(min(bytes.bigEndian32(at: 8), UInt32(Limits.channelRange.upperBound)))
            guard count > 0, bytes.byteCount >= headerByteCount + count * descriptionByteCount else { return nil }
            return AudioChannelLayout(
                (0..<count).map { index in
                    let label = bytes.bigEndian32(at: headerByteCount + index * descriptionByteCount)
                    return AudioChannelLabel(rawValue: label) ?? .unknown
                })
        case 1 << 16: return AudioChannelLayout(speakerMask: bytes.bigEndian32(at: 4))
        default: return named[tag >> 16].map { AudioChannelLayout($0) }
        }
    }

    /// Layouts by the upper half of kAudioChannelLayoutTag_...; the lower half is the number of channels.
    private static let named: [UInt32: [AudioChannelLabel]] = [
        100: [.mono], 101: [.left, .right], 102: [.left, .right],
        // MPEG 3.0 A and B, 4.0 A and B, 5.0 A to D, 5.1 A to D, 6.1 A, 7.1 A and C.
        113: [.left, .right, .center], 114: [.center, .left, .right],
        115: [.left, .right, .center, .centerSurround], 116: [.center, .left, .right, .centerSurround],
        117: [.left, .right, .center, .leftSurround, .rightSurround],
        118: [.left, .right, .leftSurround, .rightSurround, .center],
        119: [.left, .center, .right, .leftSurround, .rightSurround],
        120: [.center, .left, .right, .leftSurround, .rightSurround],
        121: [.left, .right, .center, .lfe, .leftSurround, .rightSurround],
        122: [.left, .right, .leftSurround, .rightSurround, .center, .lfe],
        123: [.left, .center, .right, .leftSurround, .rightSurround, .lfe],
        124: [.center, .left, .right, .leftSurround, .rightSurround, .lfe],
        125: [.left, .right, .center, .lfe, .leftSurround, .rightSurround, .centerSurround],
        126: [.left, .right, .center, .lfe, .leftSurround, .rightSurround, .leftCenter, .rightCenter],
        128: [.left, .right, .center, .lfe, .leftSurround, .rightSurround, .leftSurroundDirect, .rightSurroundDirect],
        // Quadraphonic; ITU 2.1, 2.2.
        108: [.left, .right, .leftSurround, .rightSurround],
        131: [.left, .right, .centerSurround], 132: [.left, .right, .leftSurround, .rightSurround],
    ]
}
