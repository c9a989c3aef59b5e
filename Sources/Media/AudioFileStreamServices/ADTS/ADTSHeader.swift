import AudioCore

/// The header of an ADTS frame: ISO/IEC 14496-3 section 1.A.2.2 (and 13818-7 section 6.2).
///
/// A frame holds one to four raw data blocks, each a packet. With CRCs, a table says where each of several blocks
/// begins; without, only a complete decoder could separate them.
struct ADTSHeader: Equatable {
    /// Not counting CRC and block table.
    static let byteCount = 7
    static let framesPerBlock = 1_024
    private static let crcByteCount = 2

    /// The fixed and the variable header, 56 bits, the first bit highest.
    private let word: UInt64

    /// Returns nil if the bytes end early or are not a header.
    @inline(__always)
    init?(_ bytes: RawSpan, at offset: Int) {
        guard offset <= bytes.byteCount - Self.byteCount, bytes[offset] == 0xFF, bytes[offset + 1] & 0xF6 == 0xF0
        else { return nil }
        let first = UInt64(bytes.bigEndian32(at: offset))
        let second = UInt64(bytes.bigEndian32(at: offset + 3) & 0xFF_FFFF)
        word = first << 24 | second
        // Sample rate indices from 13 on are reserved or forbidden; 13818-7 has no fourth profile.
        guard rateIndex < 13, frameByteCount > payloadOffset, !(isMPEG2 && profile == 3) else { return nil }
    }

    private var isMPEG2: Bool { word >> 43 & 1 == 1 }
    private var hasCRC: Bool { word >> 40 & 1 == 0 }
    /// 0 Main, 1 LC, 2 SSR, 3 LTP.
    private var profile: Int { Int(word >> 38 & 3) }
    private var rateIndex: Int { Int(word >> 34 & 15) }
    /// 0 if a program config element in the audio defines the channels.
    private var channelConfiguration: Int { Int(word >> 30 & 7) }
    private var isSplittable: Bool { blockCount == 1 || hasCRC }

    /// Size including header and CRCs.
    var frameByteCount: Int { Int(word >> 13 & 0x1FFF) }
    /// 1 to 4.
    var blockCount: Int { Int(word & 3) + 1 }

    /// Offset of the first block in the frame.
    private var payloadOffset: Int {
        guard hasCRC else { return Self.byteCount }
        return Self.byteCount + 2 * (blockCount - 1) + Self.crcByteCount
    }

    func isCompatible(with other: ADTSHeader) -> Bool {
        profile == other.profile && rateIndex == other.rateIndex && channelConfiguration == other.channelConfiguration
            && isSplittable == other.isSplittable
    }

    /// Returns where a raw data block lies in its frame; nil if the table contradicts itself.
    /// - Parameter start: where the frame begins; the caller has checked that all of it is present.
    func block(_ index: Int, in bytes: RawSpan, frameAt start: Int) -> Range<Int>? {
        guard blockCount > 1 else { return start + payloadOffset..<start + frameByteCount }
        guard hasCRC, frameByteCount >= payloadOffset else { return nil }
        // Offsets count from the first block; each block is followed by its own CRC.
        func blockStart(_ index: Int) -> Int {
            if index == 0 { return payloadOffset }
            if index == blockCount { return frameByteCount }
            return payloadOffset + Int(bytes.bigEndian16(at: start + Self.byteCount + 2 * (index - 1)))
        }
        let (begin, end) = (blockStart(index), blockStart(index + 1) - Self.crcByteCount)
        guard begin < end, end <= frameByteCount else { return nil }
        return start + begin..<start + end
    }

    /// Whether the table places every block inside the frame, in order. Without CRCs there is no table.
    func hasValidTable(_ bytes: RawSpan, frameAt start: Int) -> Bool {
        guard blockCount > 1, hasCRC else { return true }
        return (0..<blockCount).allSatisfy { block($0, in: bytes, frameAt: start) != nil }
    }
}

extension ADTSHeader {
    /// Describes the stream from its first frame.
    func description(_ bytes: RawSpan, frameAt start: Int) throws(AudioStreamError) -> FirstFrameDescription {
        guard isSplittable, let block = block(0, in: bytes, frameAt: start) else {
            throw .unsupportedDataFormat("AAC ADTS with several blocks in a frame and no CRC")
        }
        guard profile != 2 else { throw .unsupportedDataFormat("AAC SSR") }
        let rate = Self.sampleRates[rateIndex]
        guard Limits.sampleRateRange.contains(Double(rate)) else { throw .unsupportedDataFormat("AAC at \(rate) Hz") }
        var config = BitWriter()
        // AudioSpecificConfig (14496-3 section 1.6.2.1): audio object type, sample rate, channels; then
        // GASpecificConfig (4.4.1) with its three flags zero: 1,024 frames, no core coder, no extension.
        config.write(profile + 1, 5)
        config.write(rateIndex, 4)
        config.write(channelConfiguration, 4)
        config.write(0, 3)
        var channelCount = Self.channelCounts[channelConfiguration]
        if channelConfiguration == 0 {
            channelCount = try ProgramConfigElement.copy(from: bytes.copy(block), to: &config)
        }
        return FirstFrameDescription(
            fileType: .adts,
            format: AudioStreamFormat(
                codec: .aac, sampleRate: Double(rate), framesPerPacket: Self.framesPerBlock,
                channelsPerFrame: channelCount),
            cookie: config.bytes, layout: Self.layout(channelConfiguration),
            packetSizeUpperBound: 0x1FFF - Self.byteCount,
            // The transform overlaps with the previous packet; so does SBR's filter bank, which may be unsignalled.
            decoderPrerollPacketCount: 2)
    }

    /// The layouts of table 1.19, in the order of WAVE's speaker mask, in which decoders output the channels.
    private static func layout(_ configuration: Int) -> AudioChannelLayout? {
        switch configuration {
        case 1: AudioChannelLayout([.mono])
        case 2: AudioChannelLayout(speakerMask: 0x3)
        case 3: AudioChannelLayout(speakerMask: 0x7)
        case 4: AudioChannelLayout(speakerMask: 0x107)
        case 5: AudioChannelLayout(speakerMask: 0x37)
        case 6: AudioChannelLayout(speakerMask: 0x3F)
        case 7: AudioChannelLayout(speakerMask: 0xFF)
        default: nil
        }
    }

    private static let channelCounts: [8 of Int] = [0, 1, 2, 3, 4, 5, 6, 8]

    // Table 1.18.
    private static let sampleRates: [13 of Int] = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]
}
