import AudioCore

/// The header of an AC-3 frame, its syncinfo and the start of bsi: ATSC A/52 sections 5.3.1, 5.3.2 and 5.4.
///
/// E-AC-3 (A/52 annex E), and AC-3 stored as 16-bit words with the least significant byte first, are recognised only to
/// be refused by name.
struct AC3Header: Equatable {
    enum Variant { case ac3, eac3, swapped }

    static let byteCount = 7
    static let syncByte: UInt8 = 0x0B
    static let swappedSyncByte: UInt8 = 0x77
    /// Frames per packet: six blocks of 256 (5.3).
    static let frameCount = 1_536

    let variant: Variant
    let frameByteCount: Int
    let sampleRate: Int
    /// Bits per second; 0 if the header does not say.
    let bitRate: Int
    /// acmod: the full-range channels (table 5.8).
    let channelMode: Int
    let hasLFE: Bool
    private let bitStreamID: Int

    /// Returns nil if the bytes end early or are not a header.
    init?(_ bytes: RawSpan, at offset: Int) {
        guard offset <= bytes.byteCount - Self.byteCount else { return nil }
        let isSwapped = bytes[offset] == Self.swappedSyncByte && bytes[offset + 1] == Self.syncByte
        guard isSwapped || (bytes[offset] == Self.syncByte && bytes[offset + 1] == Self.swappedSyncByte) else {
            return nil
        }
        // The seventh byte of a swapped header stands eighth, and need not be in sight.
        let swap = isSwapped ? 1 : 0
        let (code, identifiers) = (bytes[offset + (4 ^ swap)], bytes[offset + (5 ^ swap)])
        bitStreamID = Int(identifiers >> 3)
        guard bitStreamID <= 10 || isSwapped else {
            guard bitStreamID <= 16 else { return nil }
            // Annex E 1.2.1: size in 16-bit words minus one. The rest of the header is not read.
            variant = .eac3
            frameByteCount = (Int(bytes.bigEndian16(at: offset + 2) & 0x7FF) + 1) * 2
            (sampleRate, bitRate, channelMode, hasLFE) = (0, 0, 0, false)
            return
        }
        let (rateCode, sizeCode) = (Int(code >> 6), Int(code & 0x3F))
        guard rateCode < 3, sizeCode < 38, bitStreamID <= 10 else { return nil }
        // 9 halves the sample rate and 10 quarters it: not in the standard, but in use.
        let shift = max(0, bitStreamID - 8)
        let fullRate = [48_000, 44_100, 32_000][rateCode]
        let kilobits = Self.bitRates[sizeCode >> 1]
        let words = kilobits * 96_000 / fullRate + (rateCode == 1 ? sizeCode & 1 : 0)
        variant = isSwapped ? .swapped : .ac3
        frameByteCount = words * 2
        sampleRate = fullRate >> shift
        bitRate = kilobits * 1_000 >> shift
        channelMode = isSwapped ? 0 : Int(bytes[offset + 6] >> 5)
        hasLFE = !isSwapped && bytes[offset + 6] >> UInt8(Self.lfeShift(channelMode)) & 1 == 1
    }

    /// lfeon follows up to two fields of two bits that only some modes have (5.3.2).
    private static func lfeShift(_ mode: Int) -> Int {
        var shift = 4
        if mode & 1 != 0, mode != 1 { shift -= 2 }
        if mode & 4 != 0 { shift -= 2 }
        if mode == 2 { shift -= 2 }
        return shift
    }

    /// Whether both headers can belong to one stream. The bit rate may differ from frame to frame.
    func isCompatible(with other: AC3Header) -> Bool {
        variant == other.variant && sampleRate == other.sampleRate && channelMode == other.channelMode
            && hasLFE == other.hasLFE && bitStreamID == other.bitStreamID
    }

    // kbit/s by frmsizecod / 2 (table 5.18).
    private static let bitRates: [19 of Int] = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
    ]
}

extension AC3Header {
    func description() throws(AudioStreamError) -> FirstFrameDescription {
        switch variant {
        case .ac3: break
        case .eac3: throw .unsupportedDataFormat("E-AC-3")
        case .swapped: throw .unsupportedDataFormat("AC-3 with its bytes swapped")
        }
        let layout = channelLayout
        return FirstFrameDescription(
            fileType: .ac3,
            format: AudioStreamFormat(
                codec: .ac3, sampleRate: Double(sampleRate), framesPerPacket: Self.frameCount,
                channelsPerFrame: layout.labels.count),
            layout: layout, packetSizeUpperBound: 1_920 * 2, nominalBitRate: bitRate,
            // The inverse transform overlaps with the previous block.
            decoderPrerollPacketCount: 1)
    }

    /// The layout in the order of WAVE's speaker mask, in which decoders output the channels.
    private var channelLayout: AudioChannelLayout {
        let surrounds: [AudioChannelLabel] = [.leftSurround, .rightSurround]
        let lfe: [AudioChannelLabel] = hasLFE ? [.lfe] : []
        return switch channelMode {
        case 1: AudioChannelLayout(hasLFE ? [.center] + lfe : [.mono])
        case 3: AudioChannelLayout([.left, .right, .center] + lfe)
        case 4: AudioChannelLayout([.left, .right] + lfe + [.centerSurround])
        case 5: AudioChannelLayout([.left, .right, .center] + lfe + [.centerSurround])
        case 6: AudioChannelLayout([.left, .right] + lfe + surrounds)
        case 7: AudioChannelLayout([.left, .right, .center] + lfe + surrounds)
        // Mode 0 is two programmes of one channel each.
        default: AudioChannelLayout([.left, .right] + lfe)
        }
    }
}
