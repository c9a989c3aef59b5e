import AudioCore

// An AudioSpecificConfig (14496-3 section 1.6.2.1) may not say whether SBR is used: a decoder then finds out from the
// first packet, or believes a damaged one. Here that was determined before, and the stream's packets have a fixed
// length. So it is signalled, by the backward compatible extension after the configuration (section 1.6.6.1), in place
// of one that is there: the library believes the first, and then neither guesses nor changes its mind.

enum AACSignalling {
    /// Returns the configuration with the extension that fits the codec; unchanged if its object type is not AAC LC, or
    /// if table 1.18 lacks the stream's sample rate.
    static func explicit(_ setup: LibraryDecoderSetup) -> [UInt8] {
        let cookie = setup.magicCookie
        guard let first = cookie.first, first >> 3 == lowComplexity, cookie.count >= 2 else { return cookie }
        let configuration = withoutExtension(cookie)
        var bits = BitWriter()
        bits.append(0x2B7, count: 11)
        bits.append(spectralBandReplication, count: 5)
        if setup.codec == .aac {
            bits.append(0, count: 1)
            return configuration + bits.bytes
        }
        guard let rate = frequencies.firstIndex(of: setup.sampleRate) else { return cookie }
        bits.append(1, count: 1)
        bits.append(UInt32(rate), count: 4)
        let coreChannels = (cookie[1] >> 3) & 0xF
        if coreChannels == 1 {
            bits.append(0x548, count: 11)
            bits.append(setup.codec == .aacHEv2 ? 1 : 0, count: 1)
        }
        return configuration + bits.bytes
    }

    /// Returns the configuration alone: two bytes, or five if it states the sample rate as a number. With a program
    /// config element, core coder or further flags (section 4.4.1) it is longer, and everything is returned.
    private static func withoutExtension(_ cookie: [UInt8]) -> [UInt8] {
        let rateIndex = (cookie[0] & 7) << 1 | cookie[1] >> 7
        let plain = cookie.prefix(rateIndex == 15 ? 5 : 2)
        guard let last = plain.last, last >> 3 & 0xF != 0, last & 3 == 0 else { return cookie }
        return Array(plain)
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
