import AudioCore
import AudioDecoding
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PCMDecoderTests {
    private func decoder(
        _ bits: Int, _ byteCount: Int, _ layout: PCMLayout, channels: Int = 1
    ) throws -> any AudioPacketDecoder {
        try DecoderCatalog.builtIn.makeDecoder(
            for: .linearPCM(
                sampleRate: 48_000, channels: channels, bitsPerChannel: bits, bytesPerSample: byteCount, layout: layout)
        )
    }

    private func decode(_ decoder: any AudioPacketDecoder, _ bytes: [UInt8], frames: Int) throws -> [Float] {
        var output = [Float](repeating: .nan, count: frames * decoder.channelCount)
        var span = output.mutableSpan
        try decoder.decode(packet: bytes.span.bytes, frameCount: frames, into: &span)
        return output
    }

    @Test func offsetBinary() throws {
        #expect(try decode(decoder(8, 1, []), [0, 128, 255, 64], frames: 4) == [-1, 0, 127.0 / 128, -0.5])
    }

    @Test func integersInBothByteOrders() throws {
        let samples: [(Int, [UInt8], Float)] = [
            (1, [0x80], -1), (2, [0x80, 0x00], -1), (2, [0x40, 0x00], 0.5), (2, [0x00, 0x01], 0x1p-15),
            (3, [0x80, 0x00, 0x00], -1), (3, [0xC0, 0x00, 0x00], -0.5), (3, [0x00, 0x00, 0x01], 0x1p-23),
            (4, [0x80, 0x00, 0x00, 0x00], -1), (4, [0x20, 0x00, 0x00, 0x00], 0.25),
            (5, [0xFF, 0x00, 0x00, 0x00, 0x00], -0x1p-7), (6, [0x00, 0x00, 0x00, 0x00, 0x00, 0x01], 0x1p-47),
            (7, [0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00], 0.5), (8, [0x80, 0, 0, 0, 0, 0, 0, 0], -1),
        ]
        for (byteCount, bigEndian, value) in samples {
            let big = try decoder(byteCount * 8, byteCount, [.signedInteger, .bigEndian])
            let little = try decoder(byteCount * 8, byteCount, .signedInteger)
            #expect(try decode(big, bigEndian, frames: 1) == [value])
            #expect(try decode(little, bigEndian.reversed(), frames: 1) == [value])
        }
    }

    @Test func floatsInBothByteOrdersBeyondFullScaleToo() throws {
        #expect(try decode(decoder(32, 4, [.float, .bigEndian]), [0x40, 0, 0, 0], frames: 1) == [2])
        #expect(try decode(decoder(32, 4, .float), [0, 0, 0, 0xBF], frames: 1) == [-0.5])
        #expect(try decode(decoder(64, 8, .float), [0, 0, 0, 0, 0, 0, 0xE0, 0x3F], frames: 1) == [0.5])
        #expect(try decode(decoder(64, 8, [.float, .bigEndian]), [0xBF, 0xF0, 0, 0, 0, 0, 0, 0], frames: 1) == [-1])
    }

    @Test func whatIsNoNumberIsSilence() throws {
        let decoder = try decoder(32, 4, .float)
        for bits in [Float.nan, .infinity, -.infinity, .signalingNaN].map(\.bitPattern) {
            let bytes = withUnsafeBytes(of: bits.littleEndian) { Array($0) }
            #expect(try decode(decoder, bytes, frames: 1) == [0])
        }
        let large = withUnsafeBytes(of: Double.greatestFiniteMagnitude.bitPattern.littleEndian) { Array($0) }
        #expect(try decode(self.decoder(64, 8, .float), large, frames: 1) == [0])
    }

    @Test func shortPacketIsFilledWithSilenceAndCounted() throws {
        let decoder = try decoder(16, 2, .signedInteger, channels: 2)
        #expect(try decode(decoder, [0, 0x40, 0, 0x40, 0, 0x40], frames: 3) == [0.5, 0.5, 0, 0, 0, 0])
        #expect(decoder.damagedPacketCount == 1)
    }

    @Test func longPacketGivesItsFramesOnly() throws {
        let decoder = try decoder(16, 2, .signedInteger)
        #expect(try decode(decoder, [0, 0x40, 0, 0x20, 1, 1], frames: 2) == [0.5, 0.25])
        #expect(decoder.damagedPacketCount == 1)
    }

    @Test func packetsBeyondTheLimitsAreRefused() throws {
        let decoder = try decoder(16, 2, .signedInteger)
        var output: [Float] = []
        let bytes: [UInt8] = [1, 2]
        for frames in [-1, Limits.packetFrameCount + 1, Int.max] {
            #expect(throws: AudioDecodingError.packetExceedsLimits(byteCount: 2, frameCount: frames)) {
                var span = output.mutableSpan
                try decoder.decode(packet: bytes.span.bytes, frameCount: frames, into: &span)
            }
        }
    }

    @Test func layoutsThatDoNotFitAreRefused() {
        let layouts: [(Int, Int, PCMLayout)] = [
            (16, 1, .signedInteger), (0, 2, .signedInteger), (16, 0, .signedInteger), (72, 9, .signedInteger),
            (16, 2, .float), (16, 2, []), (48, 5, .signedInteger), (24, 3, .float), (.max, .max / 2, .float),
        ]
        for (bits, byteCount, layout) in layouts {
            #expect(throws: AudioDecodingError.self) { try decoder(bits, byteCount, layout) }
        }
    }
}
