import AudioCore
import AudioDecoding
import Testing

/// What files of ffmpeg's do not show: damage, short packets, starts in the middle. See FileDecodingTests for the rest.
@Suite(.timeLimit(.minutes(5)))
struct IMADecoderTests {
    private func decoder(_ codec: Codec, channels: Int = 1) throws -> any AudioPacketDecoder {
        try DecoderCatalog.builtIn.makeDecoder(
            for: AudioStreamFormat(codec: codec, sampleRate: 44_100, channelsPerFrame: channels))
    }

    private func decode(_ decoder: any AudioPacketDecoder, _ bytes: [UInt8], frames: Int) throws -> [Int] {
        var output = [Float](repeating: .nan, count: frames * decoder.channelCount)
        var span = output.mutableSpan
        try decoder.decode(packet: bytes.span.bytes, frameCount: frames, into: &span)
        return output.map { Int($0 * 32_768) }
    }

    /// A block whose every code is the same.
    private func block(_ head: UInt16, _ code: UInt8 = 0) -> [UInt8] {
        [UInt8(head >> 8), UInt8(head & 0xFF)] + [UInt8](repeating: code << 4 | code, count: 32)
    }

    @Test func appleKeepsTheLowerBitsOfWhatItsHeaderAgreesWith() throws {
        let decoder = try decoder(.ima4)
        // Step 7, code 0: nothing is added to 1024.
        #expect(try decode(decoder, block(0x0400), frames: 64) == Array(repeating: 1_024, count: 64))
        // Code 4 adds 7 and the index grows: what follows is no multiple of 128.
        let second = try decode(decoder, block(0x0400, 4), frames: 64)
        #expect(second[0] == 1_031)
        // Full scale, and the last index: the next header agrees, and the state stays.
        #expect(second[63] == 32_767)
        #expect(try decode(decoder, block(0x7F80 | 88, 8), frames: 64)[0] == 32_767 - 4_095)
        // Without what came before, the header is all there is.
        decoder.reset(streamFrame: 64)
        #expect(try decode(decoder, block(0x7F80 | 88, 8), frames: 64)[0] == 0x7F80 - 4_095)
        #expect(decoder.damagedPacketCount == 0)
    }

    @Test func theEndOfABlockMayBeCutOff() throws {
        let (decoder, other) = (try decoder(.ima4, channels: 2), try decoder(.ima4, channels: 2))
        let blocks = block(0x0400, 3) + block(0x1000, 4)
        let whole = try decode(other, blocks, frames: 64)
        #expect(try decode(decoder, blocks, frames: 5) == Array(whole[..<10]))
        // What follows follows all of it.
        #expect(try decode(decoder, blocks, frames: 64) == (try decode(other, blocks, frames: 64)))
        #expect(decoder.damagedPacketCount == 0)
        #expect(try decode(decoder, blocks, frames: 65)[128...] == [0, 0])
        #expect(decoder.damagedPacketCount == 1)
    }

    @Test func blocksThatCannotBeAreSilent() throws {
        let apple = try decoder(.ima4, channels: 2)
        let output = try decode(apple, block(0x0400) + block(0x0400 | 89), frames: 64)
        #expect(output == Array(repeating: [1_024, 0], count: 64).flatMap { $0 })
        #expect(try decode(apple, block(0x0400), frames: 64) == Array(repeating: 0, count: 128))
        #expect(try decode(apple, [], frames: 5) == Array(repeating: 0, count: 10))
        #expect(apple.damagedPacketCount == 3)
        let wave = try decoder(.waveIMA)
        #expect(try decode(wave, [1, 0, 89, 0, 0x77, 0x77, 0x77, 0x77], frames: 9) == Array(repeating: 0, count: 9))
        #expect(try decode(wave, [1, 0, 0], frames: 2) == [0, 0])
        #expect(wave.damagedPacketCount == 2)
    }

    @Test func shortBlockOfWAVEIsFilledWithSilence() throws {
        let wave = try decoder(.waveIMA)
        // (2 * 4 + 1) * 7 / 8 = 7, then steps of growing size; the two frames behind are missing.
        let output = try decode(wave, [0x00, 0x10, 0, 0, 0x04, 0, 0, 0], frames: 11)
        #expect(output[0] == 4_096 && output[1] == 4_103 && output[9] == 0 && output[10] == 0)
        #expect(wave.damagedPacketCount == 1)
        // What a description leaves out of a block is not decoded.
        #expect(try decode(wave, [0x00, 0x10, 0, 0, 0x04, 0, 0, 0], frames: 2) == [4_096, 4_103])
        #expect(wave.damagedPacketCount == 1)
    }
}
