import AudioCore

/// The configuration of an MPEG-4 audio decoder: ISO/IEC 14496-3 section 1.6.2.1, with the two ways to signal SBR and
/// PS (1.6.5): an object type of their own in front (hierarchical), or an extension at the end that older decoders
/// ignore (backward compatible). Implicit signalling, the third, is found only by decoding.
struct AudioSpecificConfig: Equatable {
    /// Object type of the core: 1 Main, 2 Low Complexity, 4 Long Term Prediction, and so on (table 1.17).
    var objectType: Int
    /// Sample rate of the core in hertz.
    var coreSampleRate: Int
    /// Sample rate of the decoder's output, including SBR if it is signalled.
    var sampleRate: Int
    /// Channels of the core; 0 if not even a program config element defines them.
    var channelCount: Int
    var channelConfiguration: Int
    var coreFramesPerPacket: Int
    var hasSBR = false
    var hasPS = false

    private static let sampleRates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]

    /// Channels of each channel configuration (table 1.19, as amended).
    private static let channelCounts = [0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8]

    /// Returns nil if the bytes end early or contain reserved values.
    init?(_ bytes: [UInt8]) {
        var bits = BitReader(bytes)
        guard bytes.count >= 2 else { return nil }
        objectType = Self.objectType(&bits)
        coreSampleRate = Self.sampleRate(&bits)
        channelConfiguration = bits.read(4)
        sampleRate = coreSampleRate
        if objectType == 5 || objectType == 29 {
            hasSBR = true
            hasPS = objectType == 29
            sampleRate = Self.sampleRate(&bits)
            objectType = Self.objectType(&bits)
            if objectType == 22 { bits.skip(4) }
        }
        channelCount = channelConfiguration < Self.channelCounts.count ? Self.channelCounts[channelConfiguration] : 0
        coreFramesPerPacket = 1_024
        guard coreSampleRate > 0, sampleRate > 0 else { return nil }
        // Other object types have different configurations.
        guard [1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23].contains(objectType) else { return }
        readGeneral(&bits)
        readExtension(&bits, bitCount: bytes.count * 8)
    }

    private static func objectType(_ bits: inout BitReader) -> Int {
        let type = bits.read(5)
        return type == 31 ? 32 + bits.read(6) : type
    }

    /// Reads a sample rate; returns 0 if it is reserved.
    private static func sampleRate(_ bits: inout BitReader) -> Int {
        let index = bits.read(4)
        if index == 15 { return bits.read(24) }
        return index < sampleRates.count ? sampleRates[index] : 0
    }

    /// Reads GASpecificConfig, section 4.4.1.
    private mutating func readGeneral(_ bits: inout BitReader) {
        let isShort = bits.readFlag()
        coreFramesPerPacket = objectType == 23 ? (isShort ? 480 : 512) : (isShort ? 960 : 1_024)
        if bits.readFlag() { bits.skip(14) }
        let hasExtension = bits.readFlag()
        if channelConfiguration == 0 { channelCount = Self.programChannelCount(&bits) }
        if objectType == 6 || objectType == 20 { bits.skip(3) }
        guard hasExtension else { return }
        if objectType == 22 { bits.skip(16) }
        if [17, 19, 20, 23].contains(objectType) { bits.skip(3) }
        bits.skip(1)
    }

    /// Reads the channel count of a program_config_element, section 4.4.1.1.
    private static func programChannelCount(_ bits: inout BitReader) -> Int {
        bits.skip(10)
        let counts = [4, 4, 4, 2, 3, 4].map { bits.read($0) }
        for width in [4, 4, 3] where bits.readFlag() { bits.skip(width) }
        var channels = counts[3]
        for group in 0..<3 {
            for _ in 0..<counts[group] {
                channels += bits.readFlag() ? 2 : 1
                bits.skip(4)
            }
        }
        bits.skip(4 * (counts[3] + counts[4]) + 5 * counts[5])
        bits.skip(-bits.position & 7)
        bits.skip(8 * bits.read(8))
        return channels
    }

    /// Reads the extension at the end, with sync words 0x2B7 and 0x548.
    private mutating func readExtension(_ bits: inout BitReader, bitCount: Int) {
        guard !hasSBR, bitCount - bits.position >= 16, bits.read(11) == 0x2B7, Self.objectType(&bits) == 5,
            bits.readFlag()
        else {
            return
        }
        let rate = Self.sampleRate(&bits)
        guard rate > 0 else { return }
        hasSBR = true
        sampleRate = rate
        guard bitCount - bits.position >= 12, bits.read(11) == 0x548 else { return }
        hasPS = bits.readFlag()
    }
}

extension AudioSpecificConfig {
    /// The ways to decode it, the richest first.
    var formats: [AudioStreamFormat] {
        let core = AudioStreamFormat(
            codec: .aac, sampleRate: Double(coreSampleRate), framesPerPacket: coreFramesPerPacket,
            channelsPerFrame: channelCount)
        guard hasSBR else { return [core] }
        // "Downsampled" SBR keeps the core's sample rate.
        let framesPerPacket = sampleRate > coreSampleRate ? 2 * coreFramesPerPacket : coreFramesPerPacket
        let wide = AudioStreamFormat(
            codec: .aacHE, sampleRate: Double(sampleRate), framesPerPacket: framesPerPacket,
            channelsPerFrame: channelCount)
        guard hasPS, channelCount == 1 else { return [wide, core] }
        var stereo = wide
        stereo.codec = .aacHEv2
        stereo.channelsPerFrame = 2
        return [stereo, wide, core]
    }
}
