/// The header of a FLAC frame (RFC 9639 section 9.1).
struct FLACFrameHeader: Equatable {
    /// Sync and flags 4, coded number 7, block size 2, sample rate 2, CRC 1.
    static let largestByteCount = 16

    var hasVariableBlockSize: Bool
    /// The coded number (section 9.1.5): of the first sample if the block size is variable, otherwise of the FLAC
    /// frame.
    var number: Int64
    /// Samples per channel.
    var blockSize: Int

    /// Returns nil unless a header with a valid CRC stands at `offset`, and its channels, bits, rate and block size are
    /// possible in the stream.
    init?(_ bytes: RawSpan, at offset: Int, stream: FLACStreamInfo) {
        let available = bytes.byteCount - offset
        // Sync code, and the reserved bit of the fourth byte.
        guard available >= 6, bytes[offset] == 0xFF, bytes[offset + 1] & 0xFE == 0xF8, bytes[offset + 3] & 1 == 0,
            Self.channelCount(bytes[offset + 3] >> 4) == stream.channelCount,
            Self.bits(bytes[offset + 3] >> 1 & 7, stream) == stream.bitsPerSample
        else { return nil }
        hasVariableBlockSize = bytes[offset + 1] & 1 == 1
        guard let (number, numberByteCount) = Self.codedNumber(bytes, at: offset + 4),
            hasVariableBlockSize || numberByteCount < 7
        else { return nil }
        self.number = number
        var end = offset + 4 + numberByteCount
        let (blockCode, rateCode) = (bytes[offset + 2] >> 4, bytes[offset + 2] & 15)
        let extra = Self.extraByteCount(blockCode: blockCode, rateCode: rateCode)
        guard bytes.byteCount - end >= extra + 1, let blockSize = Self.blockSize(blockCode, bytes, at: &end),
            stream.largestBlock == 0 || blockSize <= stream.largestBlock,
            Self.sampleRate(rateCode, bytes, at: &end, stream) == stream.sampleRate
        else { return nil }
        self.blockSize = blockSize
        var crc: UInt8 = 0
        for index in offset..<end { crc = Self.crcTable[Int(crc ^ bytes[index])] }
        guard crc == bytes[end] else { return nil }
    }

    /// Whether the other header's number is the next one.
    func isFollowed(by other: FLACFrameHeader) -> Bool {
        other.hasVariableBlockSize == hasVariableBlockSize
            && other.number == number + (hasVariableBlockSize ? Int64(blockSize) : 1)
    }

    /// Decodes a number of up to 36 bits, coded like UTF-8 (section 9.1.5).
    private static func codedNumber(_ bytes: RawSpan, at offset: Int) -> (Int64, byteCount: Int)? {
        let first = bytes[offset]
        guard first >= 0x80 else { return (Int64(first), 1) }
        let byteCount = (~first).leadingZeroBitCount
        guard (2...7).contains(byteCount), byteCount <= bytes.byteCount - offset else { return nil }
        var number = Int64(first & (0x7F >> byteCount))
        for index in offset + 1..<offset + byteCount {
            guard bytes[index] & 0xC0 == 0x80 else { return nil }
            number = number << 6 | Int64(bytes[index] & 0x3F)
        }
        return (number, byteCount)
    }

    /// Returns how many bytes the block size and the sample rate take behind the coded number (sections 9.1.6 and
    /// 9.1.7).
    private static func extraByteCount(blockCode: UInt8, rateCode: UInt8) -> Int {
        let blockByteCount =
            switch blockCode {
            case 6: 1
            case 7: 2
            default: 0
            }
        let rateByteCount =
            switch rateCode {
            case 12: 1
            case 13, 14: 2
            default: 0
            }
        return blockByteCount + rateByteCount
    }

    /// Decodes the block size (section 9.1.1), and moves `place` behind its bytes. Code 0 is reserved, and 65,536
    /// forbidden.
    private static func blockSize(_ code: UInt8, _ bytes: RawSpan, at place: inout Int) -> Int? {
        switch code {
        case 0: return nil
        case 1: return 192
        case 2...5: return 576 << (Int(code) - 2)
        case 6:
            place += 1
            return Int(bytes[place - 1]) + 1
        case 7:
            place += 2
            let value = Int(bytes.bigEndian16(at: place - 2))
            return value < 0xFFFF ? value + 1 : nil
        default: return 256 << (Int(code) - 8)
        }
    }

    /// Decodes the sample rate in hertz (section 9.1.2), and moves `place` behind its bytes.
    private static func sampleRate(
        _ code: UInt8, _ bytes: RawSpan, at place: inout Int, _ stream: FLACStreamInfo
    ) -> Int? {
        switch code {
        case 0: return stream.sampleRate
        case 1...11: return rates[Int(code)]
        case 12:
            place += 1
            return Int(bytes[place - 1]) * 1_000
        case 13, 14:
            place += 2
            return Int(bytes.bigEndian16(at: place - 2)) * (code == 14 ? 10 : 1)
        default: return nil
        }
    }

    /// In hertz, by code; code 0 refers to STREAMINFO.
    private static let rates = [
        0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
    ]

    /// Decodes the channel count (section 9.1.3); 8 to 10 are stereo with a side channel.
    private static func channelCount(_ code: UInt8) -> Int? {
        code < 8 ? Int(code) + 1 : code <= 10 ? 2 : nil
    }

    /// Decodes the bits per sample (section 9.1.4).
    private static func bits(_ code: UInt8, _ stream: FLACStreamInfo) -> Int? {
        switch code {
        case 0: stream.bitsPerSample
        case 1: 8
        case 2: 12
        case 4: 16
        case 5: 20
        case 6: 24
        case 7: 32
        default: nil
        }
    }

    /// The CRC-8 of each byte (section 9.1.8): x^8 + x^2 + x + 1.
    private static let crcTable: [UInt8] = (0..<256).map { byte in
        (0..<8).reduce(UInt8(byte)) { register, _ in register << 1 ^ (register >> 7 == 1 ? 0x07 : 0) }
    }
}
