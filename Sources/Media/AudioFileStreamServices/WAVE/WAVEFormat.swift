import AudioCore

// The format chunk of a WAVE file: WAVEFORMATEX and WAVEFORMATEXTENSIBLE (Multimedia Programming Interface and Data
// Specifications 1.0; mmreg.h): format tag, channels, frames per second, bytes per second, bytes per frame or block,
// bits per sample; then the size of the extension: for the extensible form valid bits, speaker mask and a GUID that
// begins with the real tag; for IMA ADPCM frames per block. In RIFX all of it is big-endian.

/// The contents of a format chunk.
struct WAVEFormat {
    enum Kind: Equatable {
        case pcm, block
        /// The data are frames that describe themselves.
        case frames(FrameKinds)
    }

    static let smallestByteCount = 16
    private static let extensibleByteCount = 40

    private(set) var kind: Kind
    private(set) var format: AudioStreamFormat
    private(set) var channelLayout: AudioChannelLayout?

    private enum Tag {
        static let pcm: UInt16 = 0x0001
        static let float: UInt16 = 0x0003
        static let aLaw: UInt16 = 0x0006
        static let muLaw: UInt16 = 0x0007
        static let ima: UInt16 = 0x0011
        static let mpeg: UInt16 = 0x0050
        static let mpegLayer3: UInt16 = 0x0055
        static let ac3: UInt16 = 0x2000
        static let extensible: UInt16 = 0xFFFE
    }

    /// - Parameter chunk: the whole body of the chunk, at least ``smallestByteCount`` bytes.
    init(_ chunk: RawSpan, _ syntax: ChunkSyntax) throws(AudioStreamError) {
        var tag = syntax.number16(chunk, at: 0)
        let channels = Int(syntax.number16(chunk, at: 2))
        let sampleRate = Double(syntax.number32(chunk, at: 4))
        let blockByteCount = Int(syntax.number16(chunk, at: 12))
        var bits = Int(syntax.number16(chunk, at: 14))
        if tag == Tag.extensible {
            guard chunk.byteCount >= Self.extensibleByteCount else {
                throw .invalidFile("WAVE's extensible format chunk has \(chunk.byteCount) bytes instead of 40")
            }
            guard let subformat = Self.subformat(chunk, syntax) else {
                throw .unsupportedDataFormat("WAVE with an unknown sub-format")
            }
            tag = subformat
            let declared = Int(syntax.number16(chunk, at: 18))
            if declared > 0, declared <= bits { bits = declared }
            channelLayout = Self.layout(speakerMask: syntax.number32(chunk, at: 20), channels: channels)
        }
        kind =
            switch tag {
            case Tag.ima: .block
            case Tag.mpeg, Tag.mpegLayer3: .frames([.layer1, .layer2, .layer3])
            case Tag.ac3: .frames(.ac3)
            default: .pcm
            }
        format = AudioStreamFormat(
            codec: tag == Tag.ac3 ? .ac3 : .mpegLayer3, sampleRate: sampleRate, channelsPerFrame: channels)
        if case .frames = kind { return }
        guard Self.isPCM(tag) || tag == Tag.ima else { throw .unsupportedDataFormat(Self.name(ofTag: tag)) }
        try AudioFormats.check(sampleRate: sampleRate, channels: channels)
        switch tag {
        case Tag.ima:
            // In the extensible form this field holds the valid bits per sample.
            let isStated = chunk.byteCount >= 20 && syntax.number16(chunk, at: 0) == Tag.ima
            let framesPerBlock = isStated ? Int(syntax.number16(chunk, at: 18)) : 0
            format = try Self.ima(sampleRate, channels, bits, blockByteCount, framesPerBlock)
        case Tag.aLaw: format = .packed(.aLaw, sampleRate: sampleRate, channels: channels)
        case Tag.muLaw: format = .packed(.muLaw, sampleRate: sampleRate, channels: channels)
        default:
            guard blockByteCount > 0, blockByteCount % channels == 0 else {
                throw .invalidFile("WAVE frames of \(blockByteCount) bytes do not divide into \(channels) channels")
            }
            let bytesPerSample = blockByteCount / channels
            var layout = try Self.layout(isFloat: tag == Tag.float, bits: bits, bytesPerSample: bytesPerSample)
            if syntax.isBigEndian, bytesPerSample > 1 { layout.insert(.bigEndian) }
            format = .packedPCM(
                sampleRate: sampleRate, channels: channels, bits: bits, bytesPerSample: bytesPerSample, layout: layout)
        }
    }

    private static func isPCM(_ tag: UInt16) -> Bool {
        [Tag.pcm, Tag.float, Tag.aLaw, Tag.muLaw].contains(tag)
    }

    /// Returns the tag in a GUID of KSDATAFORMAT_SUBTYPE_WAVEFORMATEX: {0000xxxx-0000-0010-8000-00AA00389B71}. Its
    /// first three parts are numbers in the file's byte order; in RIFX, sox swaps only the tag.
    private static func subformat(_ chunk: RawSpan, _ syntax: ChunkSyntax) -> UInt16? {
        let tail: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        if chunk.copy(26..<40) == tail { return syntax.number16(chunk, at: 24) }
        let number = chunk.bigEndian32(at: 24)
        guard syntax.isBigEndian, number <= UInt16.max, chunk.bigEndian32(at: 28) == 0x10,
            chunk.copy(32..<40) == Array(tail[6...])
        else { return nil }
        return UInt16(number)
    }

    /// Returns nil for an empty mask. Channels without a bit are unknown; bits without a channel are dropped.
    private static func layout(speakerMask: UInt32, channels: Int) -> AudioChannelLayout? {
        var labels = AudioChannelLayout(speakerMask: speakerMask).labels.prefix(channels)
        guard !labels.isEmpty else { return nil }
        while labels.count < min(channels, Limits.channelRange.upperBound) { labels.append(.unknown) }
        return AudioChannelLayout(Array(labels))
    }

    private static func layout(
        isFloat: Bool, bits: Int, bytesPerSample: Int
    ) throws(AudioStreamError) -> PCMLayout {
        guard bits > 0, bits <= bytesPerSample * 8 else {
            throw .invalidFile("WAVE samples of \(bits) bits in \(bytesPerSample) bytes")
        }
        switch (isFloat, bytesPerSample) {
        case (true, 4), (true, 8): return .float
        // "Samples of 1 to 8 bits are unsigned, of 9 and more signed", left-aligned in their bytes.
        case (false, 1): return []
        case (false, 2...8): return .signedInteger
        default: throw .unsupportedDataFormat("\(isFloat ? "float" : "PCM") samples of \(bytesPerSample) bytes")
        }
    }

    /// Returns the IMA ADPCM format: per channel, a block has 4 bytes with one sample, then 8 samples per 4 bytes.
    private static func ima(
        _ sampleRate: Double, _ channels: Int, _ bits: Int, _ blockByteCount: Int, _ declaredFrameCount: Int
    ) throws(AudioStreamError) -> AudioStreamFormat {
        guard bits == 4 else { throw .unsupportedDataFormat("WAVE with IMA ADPCM of \(bits) bits") }
        let unit = 4 * channels
        guard blockByteCount >= 2 * unit, blockByteCount % unit == 0 else {
            throw .invalidFile("WAVE's IMA blocks of \(blockByteCount) bytes do not suit \(channels) channels")
        }
        let most = (blockByteCount / unit - 1) * 8 + 1
        return AudioStreamFormat(
            codec: .waveIMA, sampleRate: sampleRate, bytesPerPacket: blockByteCount,
            framesPerPacket: (1...most).contains(declaredFrameCount) ? declaredFrameCount : most,
            channelsPerFrame: channels)
    }

    private static func name(ofTag tag: UInt16) -> String {
        switch tag {
        case 0x0002: "WAVE with Microsoft ADPCM"
        case 0x0031: "WAVE with GSM 6.10"
        case 0x00FF, 0x1600, 0x1610: "WAVE with AAC"
        case 0x0160, 0x0161, 0x0162, 0x0163: "WAVE with Windows Media Audio"
        case 0x2001: "WAVE with DTS"
        default: "WAVE with format tag \(tag)"
        }
    }
}
