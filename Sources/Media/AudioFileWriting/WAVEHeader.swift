import AudioCore

/// All bytes of a WAVE file before its samples.
///
/// Plain (Multimedia Programming Interface 1.0) if that is unambiguous; WAVEFORMATEXTENSIBLE (mmreg.h) for more than
/// two channels, more than 16 bits or bits that do not fill their bytes, since such integers have always been ambiguous
/// in plain files; RF64 (EBU Tech 3306) if 32 bits cannot hold the size. While that is unknown, a chunk JUNK reserves
/// the space (section 3.5).
public struct WAVEHeader {
    public let bytes: [UInt8]
    /// The pad byte after an odd number of sample bytes.
    public let paddingByteCount: Int

    private static let pcm: UInt16 = 1
    private static let float: UInt16 = 3
    private static let extensible: UInt16 = 0xFFFE
    /// "ds64" and its size; the sizes of RIFF and data and the frame count, 64 bits each; no table.
    private static let ds64ByteCount = 8 + 28

    /// - Parameters:
    ///   - speakerMask: 0 if the channels' loudspeakers are unknown.
    ///   - isGrowing: whether the header has the same length for any number of frames.
    public init(
        sampleRate: Double, channelCount: Int, samples: SampleFormat, speakerMask: UInt32, frameCount: Int64,
        isGrowing: Bool = false
    ) {
        let dataByteCount = frameCount * Int64(channelCount * samples.byteCount)
        paddingByteCount = Int(dataByteCount % 2)
        let isExtensible =
            channelCount > 2 || samples.byteCount > 2 || samples.validBits != samples.byteCount * 8
        let tag = samples.isFloat ? Self.float : Self.pcm
        var format: [UInt8] = []
        format.append(little: isExtensible ? Self.extensible : tag)
        format.append(little: UInt16(channelCount))
        format.append(little: UInt32(sampleRate.rounded()))
        let bytesPerFrame = channelCount * samples.byteCount
        format.append(little: UInt32(sampleRate.rounded()) &* UInt32(bytesPerFrame))
        format.append(little: UInt16(bytesPerFrame))
        format.append(little: UInt16(samples.byteCount * 8))
        if isExtensible {
            format.append(little: UInt16(22))
            format.append(little: UInt16(samples.validBits))
            format.append(little: speakerMask)
            // The GUID of KSDATAFORMAT_SUBTYPE_PCM or _IEEE_FLOAT.
            format.append(little: tag)
            format += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        }
        var chunks = Self.chunk("fmt ", format)
        // Required for everything but plain PCM.
        if samples.isFloat { chunks += Self.chunk("fact", little: UInt32(clamping: frameCount)) }
        let reserved = isGrowing ? Self.ds64ByteCount : 0
        var riffByteCount = 4 + Int64(reserved + chunks.count) + 8 + dataByteCount + Int64(paddingByteCount)
        let isLarge = riffByteCount > Int64(UInt32.max)
        if isLarge && !isGrowing { riffByteCount += Int64(Self.ds64ByteCount) }
        var bytes = Array((isLarge ? "RF64" : "RIFF").utf8)
        bytes.append(little: isLarge ? UInt32.max : UInt32(riffByteCount))
        bytes += Array("WAVE".utf8)
        if isLarge {
            bytes += Array("ds64".utf8)
            bytes.append(little: UInt32(Self.ds64ByteCount - 8))
            bytes.append(little: UInt64(riffByteCount))
            bytes.append(little: UInt64(dataByteCount))
            bytes.append(little: UInt64(frameCount))
            bytes.append(little: UInt32(0))
        } else if isGrowing {
            bytes += Self.chunk("JUNK", [UInt8](repeating: 0, count: Self.ds64ByteCount - 8))
        }
        bytes += chunks + Array("data".utf8)
        bytes.append(little: isLarge ? UInt32.max : UInt32(dataByteCount))
        self.bytes = bytes
    }

    private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        var bytes = Array(name.utf8)
        bytes.append(little: UInt32(body.count))
        return bytes + body
    }

    private static func chunk(_ name: String, little value: UInt32) -> [UInt8] {
        var body: [UInt8] = []
        body.append(little: value)
        return chunk(name, body)
    }
}
