import AudioCore
import NIOCore

/// A frame of MPEG layer III in which nothing sounds: its side information says that no granule has any data (ISO/IEC
/// 11172-3 section 2.4.1.7), and all behind it is padding.
///
/// It stands alone. A frame of a song behind it that begins in bytes before it, the bit reservoir, finds padding there
/// instead: where a song goes on, decoders conceal or garble up to two frames (50 ms), as where one tunes in.
struct SilentFrame: Hashable {
    let bytes: ByteBuffer
    let frameCount: Int
    let sampleRate: Int

    var span: TimeSpan { TimeSpan(seconds: Double(frameCount) / Double(sampleRate)) }

    /// What a stream begins with before any song: 44.1 kHz, stereo.
    static let standard = SilentFrame(word: plainWord, MPEGFrameHeader(word: plainWord))

    /// Of a song's version, rate and channels.
    /// - Parameter header: of layer III; nil for anything else.
    init?(like header: MPEGFrameHeader) {
        guard header.layer == 3 else { return nil }
        // Sync, version, layer, no CRC; the bit rate; the sample rate; no padding; the channel mode without extension.
        let bitRateIndex: UInt32 = header.version == .mpeg1 ? Self.bitRateIndex : Self.halfRateBitRateIndex
        let word = header.word & 0xFFFE_0CC0 | 0x0001_0000 | bitRateIndex << 12
        guard let own = MPEGFrameHeader(word: word) else { return nil }
        self.init(word: word, own)
    }

    private init(word: UInt32, _ header: MPEGFrameHeader?) {
        var bytes = ByteBuffer()
        bytes.writeInteger(word)
        let byteCount = header?.packetByteCount() ?? Self.plainByteCount
        bytes.writeRepeatingByte(0, count: max(0, byteCount - MPEGFrameHeader.byteCount))
        self.bytes = bytes
        frameCount = header?.frameCount ?? 1_152
        sampleRate = header?.sampleRate ?? 44_100
    }

    /// 128 kbit/s of MPEG-1, and 64 kbit/s at the half rates.
    private static let bitRateIndex: UInt32 = 9
    private static let halfRateBitRateIndex: UInt32 = 8
    /// MPEG-1, layer III, no CRC, 128 kbit/s, 44.1 kHz, stereo; 144 * 128000 / 44100 bytes.
    private static let plainWord: UInt32 = 0xFFFB_9000
    private static let plainByteCount = 417
}
