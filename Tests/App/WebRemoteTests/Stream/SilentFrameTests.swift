import AudioCore
import AudioDecoding
import MPEGDecoding
import Testing

@testable import WebRemote

@Suite(.timeLimit(.minutes(5)))
struct SilentFrameTests {
    /// Versions 1, 2 and 2.5; stereo, joint stereo with an extension and a CRC, mono.
    private static let words: [UInt32] = [
        0xFFFB_9000, 0xFFFA_E264, 0xFFFB_90C4, 0xFFF3_8004, 0xFFF2_88C0, 0xFFE3_8400, 0xFFFB_0004,
    ]

    @Test(arguments: words)
    func aSilentFrameIsLikeTheSongs(word: UInt32) throws {
        let song = try #require(MPEGFrameHeader(word: word))
        let silence = try #require(SilentFrame(like: song))
        let parsed = MPEGFrameHeader(silence.bytes.readableBytesSpan, at: 0)
        let header = try #require(parsed)
        #expect(header.version == song.version && header.sampleRate == song.sampleRate)
        #expect(header.channelCount == song.channelCount && header.layer == 3 && !header.hasCRC)
        #expect(header.packetByteCount() == silence.bytes.readableBytes && header.bitRate <= 128_000)
        #expect(silence.bytes.readableBytes >= 4 + header.sideInfoByteCount)
        #expect(silence.frameCount == song.frameCount && silence.sampleRate == song.sampleRate)
    }

    @Test(arguments: words)
    func aSilentFrameDecodesToSilence(word: UInt32) throws {
        let song = try #require(MPEGFrameHeader(word: word))
        let silence = try #require(SilentFrame(like: song))
        let decoder = try MPEGDecoder(
            format: AudioStreamFormat(
                codec: .mpegLayer3, sampleRate: Double(song.sampleRate), framesPerPacket: song.frameCount,
                channelsPerFrame: song.channelCount))
        for _ in 0..<10 {
            var samples = [Float](repeating: 1, count: song.frameCount * song.channelCount)
            var span = samples.mutableSpan
            try decoder.decode(
                packet: silence.bytes.readableBytesSpan, frameCount: song.frameCount, into: &span)
            #expect(samples.allSatisfy { $0 == 0 })
        }
        #expect(decoder.damagedPacketCount == 0)
    }

    @Test func otherLayersHaveNone() throws {
        #expect(SilentFrame(like: try #require(MPEGFrameHeader(word: 0xFFFC_A404))) == nil)
        #expect(SilentFrame.standard.bytes.readableBytes == 417)
    }
}
