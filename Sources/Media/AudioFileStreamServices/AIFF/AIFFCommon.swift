import AudioCore

// The common chunk (AIFF 1.3 and AIFF-C, Apple Computer 1989 and 1991): channels, frames, bits per sample, sample rate
// as an 80-bit float; in AIFF-C then the compression type as four characters and its name. Samples fill whole bytes,
// left-aligned. For ima4 the frame count is in packets of 64 frames (QuickTime does so, and all others with it).

/// The contents of a common chunk.
struct AIFFCommon {
    static let smallestByteCount = 18
    static let typeByteCount = 22

    let format: AudioStreamFormat
    /// Bytes of audio according to the frame count; nil if it is zero.
    let byteCount: Int64?

    /// - Parameter chunk: the chunk's first 18 bytes, in AIFF-C 22 of them.
    init(_ chunk: RawSpan) throws(AudioStreamError) {
        let channels = Int(chunk.bigEndian16(at: 0))
        let count = Int64(chunk.bigEndian32(at: 2))
        let bits = Int(chunk.bigEndian16(at: 6))
        let sampleRate = Self.extended(chunk, at: 8)
        try AudioFormats.check(sampleRate: sampleRate, channels: channels)
        let type = chunk.byteCount >= Self.typeByteCount ? ChunkName(code: chunk.bigEndian32(at: 18)) : "NONE"
        func pcm(_ bits: Int, _ layout: PCMLayout) -> AudioStreamFormat {
            let bytesPerSample = (bits + 7) / 8
            return .packedPCM(
                sampleRate: sampleRate, channels: channels, bits: bits, bytesPerSample: bytesPerSample,
                layout: bytesPerSample > 1 ? layout : layout.subtracting(.bigEndian))
        }
        switch type {
        case "NONE", "twos", "sowt", "raw ":
            guard (1...64).contains(bits) else { throw .invalidFile("AIFF samples of \(bits) bits") }
            guard type != "raw " || bits <= 8 else { throw .unsupportedDataFormat("AIFC with 'raw ' of \(bits) bits") }
            format = pcm(bits, type == "raw " ? [] : type == "sowt" ? .signedInteger : [.signedInteger, .bigEndian])
        case "in24": format = pcm(24, [.signedInteger, .bigEndian])
        case "in32": format = pcm(32, [.signedInteger, .bigEndian])
        case "42ni": format = pcm(24, .signedInteger)
        case "23ni": format = pcm(32, .signedInteger)
        case "fl32", "FL32": format = pcm(32, [.float, .bigEndian])
        case "fl64", "FL64": format = pcm(64, [.float, .bigEndian])
        case "ulaw", "ULAW": format = .packed(.muLaw, sampleRate: sampleRate, channels: channels)
        case "alaw", "ALAW": format = .packed(.aLaw, sampleRate: sampleRate, channels: channels)
        case "ima4": format = .ima4(sampleRate: sampleRate, channels: channels)
        default: throw .unsupportedDataFormat("AIFC with '\(Codec(rawValue: type.code))'")
        }
        byteCount =
            count > 0 ? count * Int64(format.codec == .ima4 ? format.bytesPerPacket : format.bytesPerFrame) : nil
    }

    /// Decodes an 80-bit IEEE 754 number: sign, 15-bit exponent, 64-bit significand with an explicit leading 1.
    static func extended(_ bytes: RawSpan, at offset: Int) -> Double {
        let head = bytes.bigEndian16(at: offset)
        let significand = Double(bytes.bigEndian64(at: offset + 2))
        let value = Double(sign: .plus, exponent: Int(head & 0x7FFF) - 16_383 - 63, significand: significand)
        return head & 0x8000 == 0 ? value : -value
    }
}
