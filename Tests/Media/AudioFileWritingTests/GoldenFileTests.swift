import AudioCore
import AudioFileWriting
import StreamTestKit
import Testing

/// Whole files, byte for byte.
@Suite(.timeLimit(.minutes(5)))
struct GoldenFileTests {
    private func file(
        _ name: String, _ samples: SampleFormat, channels: Int = 2, rate: Double = 48_000,
        mask: SpeakerOrder = .unknown,
        _ values: [Float]
    ) throws -> [UInt8] {
        let directory = TemporaryDirectory()
        let path = directory.path + "/" + name
        let format = try PCMFileFormat(
            type: #require(PCMFileFormat.type(forPath: path)), sampleRate: rate, channelCount: channels,
            samples: samples, speakers: mask)
        var writer = try AudioFileWriter(path: path, format: format)
        try values.withUnsafeBufferPointer { try writer.append($0) }
        try writer.finish()
        return try Tool.readFile(path)
    }

    private let junk = Array("JUNK".utf8) + [28, 0, 0, 0] + [UInt8](repeating: 0, count: 28)

    @Test func wave() throws {
        let riff: [UInt8] = Array("RIFF".utf8) + [80, 0, 0, 0] + Array("WAVE".utf8)
        let format: [UInt8] =
            Array("fmt ".utf8) + [16, 0, 0, 0, 1, 0, 2, 0, 0x80, 0xBB, 0, 0, 0, 0xEE, 2, 0, 4, 0, 16, 0]
        let data: [UInt8] = Array("data".utf8) + [8, 0, 0, 0, 0, 0x40, 0, 0xC0, 0xFF, 0x7F, 0, 0x80]
        #expect(try file("a.wav", .integer(bits: 16)!, [0.5, -0.5, 1, -1]) == riff + junk + format + data)
    }

    @Test func waveOfFloats() throws {
        let riff: [UInt8] = Array("RIFF".utf8) + [88, 0, 0, 0] + Array("WAVE".utf8)
        let format: [UInt8] =
            Array("fmt ".utf8) + [40, 0, 0, 0, 0xFE, 0xFF, 1, 0, 0x80, 0xBB, 0, 0, 0, 0xEE, 2, 0, 4, 0, 32, 0]
            + [22, 0, 32, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        let rest: [UInt8] =
            Array("fact".utf8) + [4, 0, 0, 0, 1, 0, 0, 0] + Array("data".utf8) + [4, 0, 0, 0, 0, 0, 0xC0, 0x3F]
        let bytes = try file("a.WAVE", .float32, channels: 1, [1.5])
        #expect(bytes == riff.replacing(4, with: UInt8(bytes.count - 8)) + junk + format + rest)
    }

    @Test func waveOfEightBitsIsPadded() throws {
        let bytes = try file("a.wav", .integer(bits: 8)!, channels: 1, [0, 0.5, -1])
        #expect(bytes.suffix(12) == Array("data".utf8) + [3, 0, 0, 0, 128, 192, 0, 0])
        #expect(bytes[4] == UInt8(bytes.count - 8))
    }

    @Test func aiff() throws {
        let form: [UInt8] = Array("FORM".utf8) + [0, 0, 0, 54] + Array("AIFF".utf8)
        // 44,100 Hz in the 80-bit format: the example that every description of AIFF gives.
        let common: [UInt8] =
            Array("COMM".utf8) + [0, 0, 0, 18, 0, 2, 0, 0, 0, 2, 0, 16] + [0x40, 0x0E, 0xAC, 0x44, 0, 0, 0, 0, 0, 0]
        let sound: [UInt8] =
            Array("SSND".utf8) + [0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0xC0, 0, 0x7F, 0xFF, 0x80, 0]
        #expect(
            try file("a.aiff", .integer(bits: 16)!, rate: 44_100, [0.5, -0.5, 1, -1]) == form + common + sound)
    }

    @Test func aiffOfFloatsIsAIFFC() throws {
        let form: [UInt8] = Array("FORM".utf8) + [0, 0, 0, 88] + Array("AIFC".utf8)
        let version: [UInt8] = Array("FVER".utf8) + [0, 0, 0, 4, 0xA2, 0x80, 0x51, 0x40]
        let common: [UInt8] =
            Array("COMM".utf8) + [0, 0, 0, 44, 0, 1, 0, 0, 0, 1, 0, 32] + [0x40, 0x0E, 0xBB, 0x80, 0, 0, 0, 0, 0, 0]
            + Array("fl32".utf8) + [21] + Array("32-bit floating point".utf8)
        let sound: [UInt8] = Array("SSND".utf8) + [0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0x3F, 0xC0, 0, 0]
        #expect(try file("a.aif", .float32, channels: 1, [1.5]) == form + version + common + sound)
    }

    @Test func aifcOfIntegers() throws {
        let bytes = try file("a.aifc", .integer(bits: 24)!, channels: 1, [0.5])
        let type: [UInt8] = Array("NONE".utf8) + [14] + Array("not compressed".utf8) + [0]
        #expect(Array(bytes[50..<70]) == type)
        // Three bytes and one that makes them even.
        #expect(bytes.suffix(4) == [0x40, 0, 0, 0] && bytes.count == 12 + 12 + 46 + 16 + 4)
    }

    @Test func caf() throws {
        let head: [UInt8] = Array("caff".utf8) + [0, 1, 0, 0] + Array("desc".utf8) + [0, 0, 0, 0, 0, 0, 0, 32]
        let description: [UInt8] =
            [0x40, 0xE7, 0x70, 0, 0, 0, 0, 0] + Array("lpcm".utf8) + [0, 0, 0, 2, 0, 0, 0, 6, 0, 0, 0, 1]
            + [0, 0, 0, 2, 0, 0, 0, 24]
        let data: [UInt8] =
            Array("data".utf8) + [0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0] + [0, 0, 0x40, 0, 0, 0xC0]
        #expect(try file("a.caf", .integer(bits: 24)!, [0.5, -0.5]) == head + description + data)
    }

    @Test func loudspeakersAreNamedInTheirOrder() throws {
        let speakers = SpeakerOrder(AudioChannelLayout([.center, .left, .right]), channelCount: 3)
        let mask: [UInt8] = [0, 0, 0, 12, 0, 1, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0]
        let caf = try file("a.caf", .integer(bits: 16)!, channels: 3, mask: speakers, [0.5, 0.25, 0.125])
        #expect(Array(caf[52..<76]) == Array("chan".utf8) + [0, 0, 0, 0] + mask)
        #expect(caf.suffix(6) == [0, 0x20, 0, 0x10, 0, 0x40])
        let aiff = try file("a.aiff", .integer(bits: 16)!, channels: 3, mask: speakers, [0.5, 0.25, 0.125])
        #expect(Array(aiff[38..<58]) == Array("CHAN".utf8) + mask)
        #expect(aiff.suffix(6) == [0x20, 0, 0x10, 0, 0x40, 0])
    }
}

extension [UInt8] {
    fileprivate func replacing(_ index: Int, with byte: UInt8) -> [UInt8] {
        var bytes = self
        bytes[index] = byte
        return bytes
    }
}
