import AudioCore
import AudioDecoding
import Testing

@Suite(.timeLimit(.minutes(5)))
struct G711DecoderTests {
    private func decode(_ codec: Codec, _ bytes: [UInt8], frames: Int, channels: Int = 1) throws -> ([Float], Int) {
        let format = AudioStreamFormat(codec: codec, sampleRate: 8_000, channelsPerFrame: channels)
        let decoder = try DecoderCatalog.builtIn.makeDecoder(for: format)
        var output = [Float](repeating: .nan, count: frames * channels)
        var span = output.mutableSpan
        try decoder.decode(packet: bytes.span.bytes, frameCount: frames, into: &span)
        return (output, decoder.damagedPacketCount)
    }

    /// ITU-T G.711, tables 1 and 2: the ends of the range, the values around zero, the ends of a segment.
    @Test func valuesOfTheStandard() throws {
        let muLaw: [(UInt8, Float)] = [
            (0xFF, 0), (0x7F, 0), (0xFE, 8), (0x7E, -8), (0x80, 32_124), (0x00, -32_124), (0xEF, 132), (0x9F, 8_316),
        ]
        let aLaw: [(UInt8, Float)] = [
            (0xD5, 8), (0x55, -8), (0xD4, 24), (0xAA, 32_256), (0x2A, -32_256), (0xC5, 264), (0x80, 5_504),
        ]
        for (codec, values) in [(Codec.muLaw, muLaw), (.aLaw, aLaw)] {
            let (output, damaged) = try decode(codec, values.map(\.0), frames: values.count)
            #expect(output == values.map { $0.1 / 32_768 }, "\(codec)")
            #expect(damaged == 0)
        }
    }

    @Test func shortPacketIsFilledWithSilenceAndCounted() throws {
        let (output, damaged) = try decode(.aLaw, [0xAA, 0xAA, 0xAA], frames: 2, channels: 2)
        #expect(output == [0.984375, 0.984375, 0, 0])
        #expect(damaged == 1)
    }
}
