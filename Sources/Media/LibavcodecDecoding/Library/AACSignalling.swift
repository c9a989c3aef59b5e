import AudioCore

// An AudioSpecificConfig (14496-3 section 1.6.2.1) may not say whether SBR is used: a decoder then finds out from the
// first packet, or believes a damaged one. Here that was determined before, and the stream's packets have a fixed
// length. So it is signalled, by the backward compatible extension after the configuration (section 1.6.6.1): the
// library then neither guesses nor changes its mind.

enum AACSignalling {
    /// Returns the configuration with its extension; unchanged if its object type is not AAC LC, or if table 1.18 lacks
    /// the stream's sample rate.
    static func explicit(_ setup: LibraryDecoderSetup) -> [UInt8] {
        let cookie = setup.magicCookie
        guard let first = cookie.first, first >> 3 == lowComplexity, cookie.count >= 2 else { return cookie }
        var bits = BitWriter()
        bits.append(0x2B7, count: 11)
        bits.append(spectralBandReplication, count: 5)
        if setup.codec == .aac {
            bits.append(0, count: 1)
            return cookie + bits.bytes
        }
        guard let rate = frequencies.firstIndex(of: setup.sampleRate) else { return cookie }
        bits.append(1, count: 1)
        bits.append(UInt32(rate), count: 4)
        let coreChannels = (cookie[1] >> 3) & 0xF
        if coreChannels == 1 {
            bits.append(0x548, count: 11)
            bits.append(setup.codec == .aacHEv2 ? 1 : 0, count: 1)
        }
        return cookie + bits.bytes
    }

    private static let lowComplexity: UInt8 = 2
    private static let spectralBandReplication: UInt32 = 5
    /// Table 1.18: sample rates in hertz by samplingFrequencyIndex.
    private static let frequencies: [Double] = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]
}

/// Writes bits, most significant first; pads the last byte with zeros.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var bitCount = 0

    mutating func append(_ value: UInt32, count: Int) {
        for shift in (0..<count).reversed() {
            if bitCount % 8 == 0 { bytes.append(0) }
            bytes[bytes.count - 1] |= UInt8(value >> UInt32(shift) & 1) << UInt8(7 - bitCount % 8)
            bitCount += 1
        }
    }
}
