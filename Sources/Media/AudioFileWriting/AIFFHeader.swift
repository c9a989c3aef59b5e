import AudioCore

/// All bytes of an AIFF file before its samples.
///
/// Plain AIFF 1.3 for integers; AIFF-C (draft of 1991-08-26) for floats, whose type `fl32` Apple added, and where the
/// file's extension asks for it. All sizes are signed 32-bit numbers: the largest possible file has 2 GiB.
struct AIFFHeader {
    let bytes: [UInt8]

    /// The largest value of FORM's size.
    static let largestByteCount = Int64(Int32.max)

    /// The only version of AIFF-C: 0xA2805140, seconds since 1904.
    private static let version: UInt32 = 0xA280_5140

    /// - Parameter frameCount: no more than the sizes can express.
    init(_ format: PCMFileFormat, frameCount: Int64) {
        let dataByteCount = frameCount * Int64(format.bytesPerFrame)
        let isCompressed = format.type == .aifc
        var chunks: [UInt8] = []
        if isCompressed {
            var version: [UInt8] = []
            version.append(big: Self.version)
            chunks.appendChunk("FVER", version)
        }
        chunks.appendChunk("COMM", Self.common(format, frameCount: frameCount))
        if format.speakers.mask != 0, format.channelCount > 2 {
            chunks.appendChunk("CHAN", CoreAudioLayoutBytes.bytes(mask: format.speakers.mask))
        }
        // Offset and block size precede the samples.
        let formByteCount = 4 + Int64(chunks.count) + 8 + 8 + dataByteCount + dataByteCount % 2
        var bytes = Array("FORM".utf8)
        bytes.append(big: UInt32(formByteCount))
        bytes += Array((isCompressed ? "AIFC" : "AIFF").utf8) + chunks + Array("SSND".utf8)
        bytes.append(big: UInt32(8 + dataByteCount))
        bytes.append(big: UInt64(0))
        self.bytes = bytes
    }

    private static func common(_ format: PCMFileFormat, frameCount: Int64) -> [UInt8] {
        var body: [UInt8] = []
        body.append(big: UInt16(format.channelCount))
        body.append(big: UInt32(frameCount))
        body.append(big: UInt16(format.samples.validBits))
        body += extended(format.sampleRate)
        guard format.type == .aifc else { return body }
        // A readable text after its length; both together have an even size.
        let (type, text) = format.samples.isFloat ? ("fl32", "32-bit floating point") : ("NONE", "not compressed\0")
        return body + Array(type.utf8) + [UInt8(text.prefix { $0 != "\0" }.count)] + Array(text.utf8)
    }

    /// Encodes an IEEE 754 double extended number, 80 bits: the leading 1 of the significand is explicit.
    private static func extended(_ value: Double) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(big: UInt16(16_383 + Int(value.exponent)))
        bytes.append(big: 1 << 63 | value.significandBitPattern << 11)
        return bytes
    }
}

/// Core Audio's channel layout in a file (CAF specification, "Channel Layout Chunk"): the tag says that the layout is
/// in the bitmap, with the bits of WAVE's speaker mask; no descriptions follow.
enum CoreAudioLayoutBytes {
    static func bytes(mask: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(big: UInt32(1 << 16))
        bytes.append(big: mask)
        bytes.append(big: UInt32(0))
        return bytes
    }
}
