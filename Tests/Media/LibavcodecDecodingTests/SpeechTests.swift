import AudioCore
import LibavcodecDecoding
import StreamTestKit
import Testing

/// AMR and AMR-WB by OpenCORE's decoders, which are 3GPP's own, and by libavcodec's where those are not installed.
@Suite(.timeLimit(.minutes(5)))
struct SpeechTests {
    struct Kind: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var codec: Codec
        var magic: String
        /// What sox calls the file.
        var type: String
        var rate: Int
        /// Bytes of a frame by its type, header included: modes, then noise (SID).
        var byteCounts: [Int]
        var frameCount: Int { rate / 50 }
    }

    static let kinds = [
        Kind(
            testDescription: "AMR", codec: .amrNarrowband, magic: "#!AMR\n", type: "amr-nb", rate: 8_000,
            byteCounts: [13, 14, 16, 18, 20, 21, 27, 32, 6]),
        Kind(
            testDescription: "AMR-WB", codec: .amrWideband, magic: "#!AMR-WB\n", type: "amr-wb", rate: 16_000,
            byteCounts: [18, 24, 33, 37, 41, 47, 51, 59, 61, 6]),
    ]

    /// Frames of random parameters in all modes.
    /// - Parameter hasNoise: whether descriptions of noise and frames with nothing come in between.
    static func frames(_ kind: Kind, hasNoise: Bool) -> [[UInt8]] {
        var generator = SeededGenerator(seed: 5)
        return (0..<200).map { index in
            var type = index / 7 % (kind.byteCounts.count - 1)
            if hasNoise, index % 40 >= 30 { type = index % 3 == 0 ? kind.byteCounts.count - 1 : 15 }
            let count = type == 15 ? 1 : kind.byteCounts[type]
            return [UInt8(type << 3 | 4)] + (1..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
    }

    private func reference(_ kind: Kind, _ frames: [[UInt8]], _ decode: String) throws -> [Float] {
        let directory = TemporaryDirectory()
        try Tool.writeFile(directory.path + "/in.amr", Array(kind.magic.utf8) + frames.flatMap { $0 })
        try Tool.run(decode, in: directory)
        return try Tool.readFile(directory.path + "/out.raw").withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    /// To the bit, comfort noise included.
    @Test(arguments: kinds) func equalsOpenCORE(_ kind: Kind) throws {
        let frames = Self.frames(kind, hasNoise: true)
        let reference = try reference(kind, frames, "sox -t \(kind.type) in.amr -t f32 out.raw")
        let decoder = try WorkerDecoder(
            format: AudioStreamFormat(codec: kind.codec, sampleRate: Double(kind.rate), channelsPerFrame: 1),
            magicCookie: [], program: try .ofTests)
        let output = try decodeAll(frames.map { ($0, kind.frameCount) }, with: decoder)
        #expect(output == reference)
        #expect(output.contains { abs($0) > 0.01 })
        #expect(decoder.damagedPacketCount == 0)
    }

    /// What is cut, or of a type that is reserved, is damaged; what follows is decoded.
    @Test(arguments: kinds) func damagedFramesAreTold(_ kind: Kind) throws {
        var frames = Self.frames(kind, hasNoise: false)
        frames[20].removeLast()
        frames[30] = [12 << 3 | 4, 1, 2, 3]
        frames[40] = []
        let decoder = try WorkerDecoder(
            format: AudioStreamFormat(codec: kind.codec, sampleRate: Double(kind.rate), channelsPerFrame: 1),
            magicCookie: [], program: try .ofTests)
        let output = try decodeAll(frames.map { ($0, kind.frameCount) }, with: decoder)
        #expect(output.count == frames.count * kind.frameCount)
        #expect(decoder.damagedPacketCount == 3)
        #expect(output.suffix(kind.frameCount).contains { abs($0) > 0.01 })
    }

    /// Without OpenCORE: what the ffmpeg program makes of it, which decodes no comfort noise.
    @Test(arguments: kinds) func withoutOpenCOREEqualsFFmpeg(_ kind: Kind) throws {
        let frames = Self.frames(kind, hasNoise: false)
        let reference = try reference(kind, frames, "ffmpeg -v error -i in.amr -f f32le out.raw")
        let setup = LibraryDecoderSetup(
            codec: kind.codec, sampleRate: Double(kind.rate), channelCount: 1, magicCookie: [])
        let decoder = try LibavcodecDecoder(setup, library: try CodecLibrary())
        var output: [Float] = []
        var decoded = DecodedFrames(headerByteCount: 0)
        for frame in frames {
            decoded.removeAll()
            #expect(frame.withUnsafeBytes { decoder.decode($0, into: &decoded) })
            decoded.withMessage { output += Array($0.bindMemory(to: Float.self)) }
        }
        #expect(largestDifference(output, reference) <= 1e-6)
        #expect(output.count == reference.count)
    }
}
