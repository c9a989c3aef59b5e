import AudioCore
import Testing

@testable import AudioFileWriting

@Suite(.timeLimit(.minutes(5)))
struct SampleFormatTests {
    @Test(arguments: [8, 12, 16, 20, 24])
    func integersComeBackAsTheyWere(bits: Int) {
        let format = SampleFormat.integer(bits: bits)!
        let most = 1 << (bits - 1)
        let values = [-most, -most + 1, -1, 0, 1, 12, most - 1]
        var bytes: [UInt8] = []
        SampleEncoding(format, in: .wave).append(values.map { Float($0) / Float(most) }, to: &bytes)
        let shift = format.byteCount * 8 - bits
        let read = stride(from: 0, to: bytes.count, by: format.byteCount).map { place in
            let word = (0..<format.byteCount).reversed().reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
            let sign = 1 << (format.byteCount * 8)
            if format.byteCount == 1 { return (word - 128) >> shift }
            return (word >= sign / 2 ? word - sign : word) >> shift
        }
        #expect(read == values)
    }

    @Test func whatIsTooLoudIsCut() {
        var bytes: [UInt8] = []
        SampleEncoding(.integer(bits: 16)!, in: .wave).append([2, -2, .nan, .infinity], to: &bytes)
        #expect(bytes == [0xFF, 0x7F, 0, 0x80, 0, 0, 0, 0])
    }

    @Test func pcmOfEveryKindPassesAsItIs() {
        func passed(
            _ pcm: [UInt8], _ byteCount: Int, _ layout: PCMLayout, in type: AudioFileType = .wave
        ) -> [UInt8] {
            let format = AudioStreamFormat.linearPCM(
                sampleRate: 48_000, channels: 1, bitsPerChannel: byteCount * 8, bytesPerSample: byteCount,
                layout: layout)
            var bytes: [UInt8] = []
            let encoding = SampleEncoding(SampleFormat(of: format, cookie: []), in: type)
            encoding.append(pcm: pcm.span.bytes, of: format, to: &bytes)
            return bytes
        }
        #expect(passed([0, 127, 255], 1, []) == [0, 127, 255])
        #expect(passed([0, 127, 255], 1, .signedInteger) == [128, 255, 127])
        #expect(passed([1, 2, 3, 4], 2, .signedInteger) == [1, 2, 3, 4])
        #expect(passed([1, 2, 3, 4], 2, [.signedInteger, .bigEndian]) == [2, 1, 4, 3])
        #expect(passed([1, 2, 3, 4, 5, 6], 3, [.signedInteger, .bigEndian]) == [3, 2, 1, 6, 5, 4])
        #expect(passed([1, 2, 3, 4], 4, [.signedInteger, .bigEndian]) == [4, 3, 2, 1])
        #expect(passed([1, 2, 3, 4], 2, [.signedInteger, .bigEndian], in: .aiff) == [1, 2, 3, 4])
        #expect(passed([1, 2, 3, 4], 2, .signedInteger, in: .aiff) == [2, 1, 4, 3])
        #expect(passed([0, 127, 255], 1, [], in: .caf) == [128, 255, 127])
        #expect(passed([0, 127, 255], 1, .signedInteger, in: .caf) == [0, 127, 255])
    }

    @Test func theCodecSaysTheWidth() {
        func bits(_ codec: Codec, _ cookie: [UInt8]) -> SampleFormat {
            SampleFormat(of: AudioStreamFormat(codec: codec, sampleRate: 44_100, channelsPerFrame: 2), cookie: cookie)
        }
        // 44.1 kHz, 2 channels, 24 bits: RFC 9639, section 8.2.
        var streamInfo = [UInt8](repeating: 0, count: 34)
        streamInfo.replaceSubrange(10..<14, with: [0x0A, 0xC4, 0x43, 0x70])
        #expect(bits(.flac, streamInfo) == .integer(bits: 24))
        var alac = [UInt8](repeating: 0, count: 24)
        alac[5] = 20
        #expect(bits(.alac, alac) == .integer(bits: 20))
        #expect(bits(.muLaw, []) == .integer(bits: 16))
        #expect(bits(.mpegLayer3, []) == .float32 && bits(.flac, []) == .float32)
    }

    @Test func channelsGoWhereWAVEWantsThem() {
        let order = SpeakerOrder(
            AudioChannelLayout([.center, .left, .right, .leftSurround, .rightSurround, .lfe]), channelCount: 6)
        #expect(order.mask == 0x3F)
        var bytes = Array("##CLRlr.CLRlr.".utf8)
        order.arrange(&bytes, from: 2, bytesPerSample: 1)
        #expect(bytes == Array("##LRC.lrLRC.lr".utf8))
        let decoded = SpeakerOrder(AudioChannelLayout([.center, .left, .right]), channelCount: 3, isArranged: true)
        #expect(decoded.mask == 7 && decoded.permutation == nil)
        #expect(SpeakerOrder(AudioChannelLayout([.left, .left]), channelCount: 2).mask == 0)
        #expect(SpeakerOrder(AudioChannelLayout([.mono]), channelCount: 1).mask == 4)
        #expect(SpeakerOrder(nil, channelCount: 2) == SpeakerOrder(AudioChannelLayout([]), channelCount: 2))
    }
}
