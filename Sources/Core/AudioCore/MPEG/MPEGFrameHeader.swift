/// The 32-bit header of an MPEG audio frame: ISO/IEC 11172-3 section 2.4.1.3 and 13818-3 section 2.4.1.3.
///
/// MPEG-2.5, which no standard describes, clears the lowest of the twelve sync bits and halves MPEG-2's rates. The type
/// is in AudioCore because both the file parsers and the packet decoders need it. It allocates nothing.
public struct MPEGFrameHeader: Hashable, Sendable, BitwiseCopyable {
    public enum Version: UInt8, Hashable, Sendable, BitwiseCopyable { case mpeg1, mpeg2, mpeg25 }

    /// Bytes of the header itself.
    public static let byteCount = 4
    /// Bytes of the CRC that follows the header if ``hasCRC`` is true.
    public static let crcByteCount = 2

    public let word: UInt32

    /// - Parameter word: the four bytes, first one most significant. Nil if a field has a forbidden or reserved value.
    public init?(word: UInt32) {
        guard word >> 21 == 0x7FF, (word >> 19) & 3 != 1, (word >> 17) & 3 != 0, (word >> 12) & 15 != 15,
            (word >> 10) & 3 != 3
        else { return nil }
        self.word = word
    }

    /// Reads the header at `offset`; nil if the bytes end before it does, or are not a header.
    @inline(__always)
    public init?(_ bytes: RawSpan, at offset: Int) {
        guard offset >= 0, offset <= bytes.byteCount - Self.byteCount else { return nil }
        self.init(word: UInt32(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    public var version: Version {
        switch (word >> 19) & 3 {
        case 3: .mpeg1
        case 2: .mpeg2
        default: .mpeg25
        }
    }

    /// 1, 2 or 3.
    public var layer: Int { 4 - Int((word >> 17) & 3) }
    public var hasCRC: Bool { (word >> 16) & 1 == 0 }
    public var isPadded: Bool { (word >> 9) & 1 == 1 }
    public var isMono: Bool { (word >> 6) & 3 == 3 }
    public var channelCount: Int { isMono ? 1 : 2 }
    /// 0 for free format; 1 to 14 index the layer's table.
    public var bitRateIndex: Int { Int((word >> 12) & 15) }
    public var isFreeFormat: Bool { bitRateIndex == 0 }

    public var codec: Codec {
        switch layer {
        case 1: .mpegLayer1
        case 2: .mpegLayer2
        default: .mpegLayer3
        }
    }

    /// In hertz (2.4.2.3, table of sampling_frequency).
    public var sampleRate: Int {
        let full: Int
        switch (word >> 10) & 3 {
        case 0: full = 44_100
        case 1: full = 48_000
        default: full = 32_000
        }
        return full >> Int(version.rawValue)
    }

    /// Bits per second; 0 for free format, where the header does not give it.
    public var bitRate: Int { bitRate(atIndex: bitRateIndex) }

    /// Frames (samples per channel) that one MPEG frame decodes to.
    public var frameCount: Int {
        switch layer {
        case 1: 384
        case 2: 1_152
        default: version == .mpeg1 ? 1_152 : 576
        }
    }

    /// Returns the bytes of the whole MPEG frame, header included.
    /// - Parameter freeFormatByteCount: the unpadded size in a free-format stream; unused for others.
    public func packetByteCount(freeFormatByteCount: Int = 0) -> Int {
        let unpadded = isFreeFormat ? freeFormatByteCount : unpaddedByteCount(atIndex: bitRateIndex)
        return unpadded + paddingByteCount
    }

    /// Bytes of one slot if the frame is padded, else 0.
    public var paddingByteCount: Int { isPadded ? (layer == 1 ? 4 : 1) : 0 }

    /// Bytes of a padded frame at the highest bit rate of this version, layer and sample rate.
    public var largestPacketByteCount: Int { unpaddedByteCount(atIndex: 14) + (layer == 1 ? 4 : 1) }

    /// Bytes of an unpadded frame at the lowest bit rate of this version, layer and sample rate.
    public var smallestPacketByteCount: Int { unpaddedByteCount(atIndex: 1) }

    /// Bytes of layer III's side information (2.4.1.7); 0 for the other layers.
    public var sideInfoByteCount: Int {
        switch (layer, version, isMono) {
        case (3, .mpeg1, false): 32
        case (3, .mpeg1, true): 17
        case (3, _, false): 17
        case (3, _, true): 9
        default: 0
        }
    }

    /// Returns whether both headers can belong to one stream: same version, layer and sample rate, and both or neither
    /// free format. Bit rate, padding, CRC and stereo mode may change from packet to packet, and so may the channel
    /// count, where files were joined or a station changes.
    public func isCompatible(with other: MPEGFrameHeader) -> Bool {
        (word ^ other.word) & 0xFFFE_0C00 == 0 && isFreeFormat == other.isFreeFormat
    }

    private func unpaddedByteCount(atIndex index: Int) -> Int {
        let bitRate = bitRate(atIndex: index)
        return layer == 1 ? 12 * bitRate / sampleRate * 4 : frameCount / 8 * bitRate / sampleRate
    }

    private func bitRate(atIndex index: Int) -> Int {
        switch (version, layer) {
        case (.mpeg1, 1): index * 32_000
        case (.mpeg1, 2): Self.layer2BitRates[index] * 1_000
        case (.mpeg1, _): Self.layer3BitRates[index] * 1_000
        case (_, 1): Self.halfRateLayer1BitRates[index] * 1_000
        default: Self.halfRateBitRates[index] * 1_000
        }
    }

    // kbit/s by bitrate_index: 11172-3 section 2.4.2.3, and 13818-3 section 2.4.2.3 for the half sampling rates.
    private static let layer2BitRates: [15 of Int] = [
        0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384,
    ]
    private static let layer3BitRates: [15 of Int] = [
        0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
    ]
    private static let halfRateLayer1BitRates: [15 of Int] = [
        0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256,
    ]
    private static let halfRateBitRates: [15 of Int] = [
        0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160,
    ]
}
