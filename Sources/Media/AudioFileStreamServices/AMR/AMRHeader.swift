import AudioCore

/// The byte in front of each frame of an AMR file (RFC 4867 section 5.3): a zero, four bits of frame type, the quality
/// bit, two zeros. A frame of either kind lasts 20 ms, even without content (NO_DATA).
struct AMRHeader: Equatable {
    let isWideband: Bool
    /// Index of the mode (3GPP TS 26.101 and 26.201, table 1a).
    let frameType: Int
    /// Size including the header.
    let frameByteCount: Int

    /// Returns nil if the bytes end early or are not a header.
    @inline(__always)
    init?(_ bytes: RawSpan, at offset: Int, isWideband: Bool) {
        guard offset < bytes.byteCount, bytes[offset] & 0x83 == 0 else { return nil }
        frameType = Int(bytes[offset] >> 3)
        let size = Self.byteCount(ofFrameWith: bytes[offset], isWideband: isWideband)
        guard size > 0 else { return nil }
        frameByteCount = size
        self.isWideband = isWideband
    }

    init(isWideband: Bool) {
        self.isWideband = isWideband
        frameType = 15
        frameByteCount = 1
    }

    var frameCount: Int { isWideband ? 320 : 160 }
    var sampleRate: Double { isWideband ? 16_000 : 8_000 }

    var largestFrameByteCount: Int { isWideband ? 61 : 32 }

    /// Returns the size of a frame, including its header byte; 0 if its type is reserved. Only the frame type is read.
    @inline(__always)
    static func byteCount(ofFrameWith header: UInt8, isWideband: Bool) -> Int {
        let type = Int(header >> 3 & 15)
        return isWideband ? widebandByteCounts[type] : narrowbandByteCounts[type]
    }

    // Speech bits of each mode in whole bytes plus the header; then comfort noise (SID). Zero for reserved types.
    private static let narrowbandByteCounts: [16 of Int] = [13, 14, 16, 18, 20, 21, 27, 32, 6, 0, 0, 0, 0, 0, 0, 1]
    private static let widebandByteCounts: [16 of Int] = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 0, 0, 0, 0, 1, 1]
}

extension AMRHeader {
    var description: FirstFrameDescription {
        FirstFrameDescription(
            fileType: .amr,
            format: AudioStreamFormat(
                codec: isWideband ? .amrWideband : .amrNarrowband, sampleRate: sampleRate, framesPerPacket: frameCount,
                channelsPerFrame: 1),
            layout: AudioChannelLayout([.mono]), packetSizeUpperBound: largestFrameByteCount,
            // Synthesis is recursive and so never exact; after 100 ms the difference is inaudible.
            decoderPrerollPacketCount: 5)
    }
}

/// The signature of AMR files (RFC 4867 section 5.1).
enum AMRMagic {
    /// Returns the kind of AMR and the bytes before the first frame; nil if this is not an AMR file.
    static func open(_ bytes: RawSpan) throws(AudioStreamError) -> (isWideband: Bool, byteCount: Int)? {
        if bytes.has("#!AMR\n", at: 0) { return (false, 6) }
        if bytes.has("#!AMR-WB\n", at: 0) { return (true, 9) }
        guard bytes.has("#!AMR", at: 0) else { return nil }
        guard bytes.has("_MC1.0", at: 5) || bytes.has("-WB_MC1", at: 5) else {
            throw .invalidFile("AMR's first line ends in something unknown at byte 5")
        }
        throw .unsupportedDataFormat("AMR of several channels")
    }
}
