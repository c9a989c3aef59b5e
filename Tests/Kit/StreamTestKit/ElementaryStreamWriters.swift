/// Writes AAC ADTS frames with true headers around meaningless sound.
public struct ADTSWriter {
    public var isMPEG2 = false
    public var hasCRC = false
    /// Main, LC, SSR, LTP.
    public var profile: UInt8 = 1
    /// 4 is 44.1 kHz.
    public var rateIndex: UInt8 = 4
    public var channelConfiguration: UInt8 = 2

    public init() {}

    /// One frame around raw data blocks, with the table and the CRCs that it needs.
    public func frame(_ blocks: [[UInt8]]) -> [UInt8] {
        var body: [UInt8] = []
        if hasCRC {
            var place = blocks[0].count + 2
            for block in blocks.dropFirst() {
                body.append(bigEndian: UInt16(place))
                place += block.count + 2
            }
            body += [0xC0, 0xC1]
        }
        for block in blocks { body += block + (hasCRC && blocks.count > 1 ? [0xC2, 0xC3] : []) }
        let size = body.count + 7
        return [
            0xFF, 0xF0 | (isMPEG2 ? 8 : 0) | (hasCRC ? 0 : 1),
            profile << 6 | rateIndex << 2 | channelConfiguration >> 2,
            (channelConfiguration & 3) << 6 | UInt8(size >> 11), UInt8(size >> 3 & 0xFF),
            UInt8(size & 7) << 5 | 0x1F, 0xFC | UInt8(blocks.count - 1),
        ] + body
    }

    /// Blocks of varying sizes.
    public static func blocks(_ count: Int) -> [[UInt8]] {
        (0..<count).map { payload(200 + $0 * 37 % 150, seed: UInt64($0)) }
    }

    /// A frame to each block.
    public func file(_ blocks: [[UInt8]]) -> [UInt8] { blocks.flatMap { frame([$0]) } }
}

/// Writes AC-3 frames with true headers around meaningless sound.
public struct AC3Writer {
    /// 48, 44.1, 32 kHz.
    public var rateCode: UInt8 = 0
    /// Twice the index of the bit rate; at 44.1 kHz one more for a longer frame. 20: 192 kbit/s.
    public var sizeCode: UInt8 = 20
    public var bitStreamID: UInt8 = 8
    public var channelMode: UInt8 = 2
    public var hasLFE = false

    public init() {}

    public func frame(byteCount: Int, seed: UInt64 = 1) -> [UInt8] {
        var lfe: UInt8 = 0
        if hasLFE { lfe = [1 << 4, 1 << 4, 1 << 2, 1 << 2, 1 << 2, 1, 1 << 2, 1][Int(channelMode)] }
        let header: [UInt8] = [
            0x0B, 0x77, 0x12, 0x34, rateCode << 6 | sizeCode, bitStreamID << 3, channelMode << 5 | lfe,
        ]
        return header + payload(byteCount - 7, seed: seed)
    }

    /// At 48 kHz and 192 kbit/s.
    public func frames(_ count: Int) -> [[UInt8]] { (0..<count).map { frame(byteCount: 768, seed: UInt64($0)) } }

    /// Annex E's: 512 bytes, bit stream 16.
    public static func enhancedFrame() -> [UInt8] {
        [0x0B, 0x77, 0x00, 0xFF, 0x34, 16 << 3, 0] + payload(512 - 7)
    }
}

/// Writes AMR frames with true headers around meaningless sound.
public struct AMRWriter {
    public static let narrowbandMagic = Array("#!AMR\n".utf8)
    public static let widebandMagic = Array("#!AMR-WB\n".utf8)

    public static func frame(type: UInt8, byteCount: Int, seed: UInt64 = 1) -> [UInt8] {
        [type << 3 | 4] + payload(byteCount - 1, seed: seed)
    }

    /// 12.2 kbit/s, with comfort noise and pauses between.
    public static func narrowbandFrames(_ count: Int) -> [[UInt8]] {
        (0..<count).map { index in
            switch index % 10 {
            case 7: frame(type: 8, byteCount: 6, seed: UInt64(index))
            case 8, 9: frame(type: 15, byteCount: 1)
            default: frame(type: 7, byteCount: 32, seed: UInt64(index))
            }
        }
    }
}
