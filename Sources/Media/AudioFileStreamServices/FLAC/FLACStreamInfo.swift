import AudioCore

/// FLAC's STREAMINFO block (RFC 9639 section 8.2): the parameters of the whole stream, used as the magic cookie.
struct FLACStreamInfo: Equatable {
    static let byteCount = 34

    var smallestBlock: Int
    var largestBlock: Int
    /// Bytes; zero if the encoder did not know.
    var largestFrameByteCount: Int
    var sampleRate: Int
    var channelCount: Int
    var bitsPerSample: Int
    /// Nil if the encoder did not know.
    var frameCount: Int64?
    var cookie: [UInt8]

    /// - Parameter offset: where the block stands in `bytes`; the caller has checked that all of it is present.
    /// - Throws: which field is beyond the limits, or invalid.
    init(_ bytes: RawSpan, at offset: Int) throws(AudioStreamError) {
        smallestBlock = Int(bytes.bigEndian16(at: offset))
        largestBlock = Int(bytes.bigEndian16(at: offset + 2))
        largestFrameByteCount = Int(bytes.bigEndian32(at: offset + 6) & 0xFF_FFFF)
        let packed = UInt64(bytes.bigEndian32(at: offset + 10)) << 32 | UInt64(bytes.bigEndian32(at: offset + 14))
        sampleRate = Int(packed >> 44)
        channelCount = Int(packed >> 41 & 7) + 1
        bitsPerSample = Int(packed >> 36 & 31) + 1
        let total = Int64(packed & 0xF_FFFF_FFFF)
        frameCount = total > 0 ? total : nil
        cookie = bytes.copy(offset..<offset + Self.byteCount)
        guard Limits.sampleRateRange.contains(Double(sampleRate)) else {
            throw .unsupportedDataFormat("a sample rate of \(sampleRate) Hz")
        }
        guard bitsPerSample >= 4 else { throw .invalidFile("FLAC samples of \(bitsPerSample) bits") }
        guard largestFrameByteCount <= Limits.packetByteCount else {
            throw .unsupportedDataFormat("FLAC frames of up to \(largestFrameByteCount) bytes")
        }
    }

    /// Frames of every block but the last; nil if they vary or the encoder did not know.
    var blockFrameCount: Int? { smallestBlock == largestBlock && largestBlock > 0 ? largestBlock : nil }

    var format: AudioStreamFormat {
        AudioStreamFormat(
            codec: .flac, sampleRate: Double(sampleRate), framesPerPacket: blockFrameCount ?? 0,
            channelsPerFrame: channelCount)
    }

    /// Size of the largest frame to expect: as announced, or with uncompressed samples (section 9.2).
    var packetSizeUpperBound: Int {
        guard largestFrameByteCount == 0, largestBlock > 0 else {
            return largestFrameByteCount > 0 ? largestFrameByteCount : Limits.packetByteCount
        }
        // The frame's header and footer, and a subframe header per channel; a side channel has one more bit.
        let bits = largestBlock * (bitsPerSample * channelCount + 1) + 16 * channelCount
        return min(Limits.packetByteCount, 18 + (bits + 7) / 8)
    }
}
