import AudioCore
import AudioFileStreamServices
import AudioFileWriting
import Glibc
import StreamTestKit
import Testing

/// Files are read back by other programs and by this project's parser.
@Suite(.timeLimit(.minutes(5)))
struct WrittenFileTests {
    struct Kind: CustomStringConvertible {
        var name: String
        var samples: SampleFormat
        /// What ffmpeg calls the samples as they were given.
        var raw: String
        var description: String { "\(name) \(raw)" }
    }

    static let kinds = ["a.wav", "a.aiff", "a.aifc", "a.caf"].flatMap { name in
        [
            Kind(name: name, samples: .integer(bits: 16)!, raw: "s16le"),
            Kind(name: name, samples: .integer(bits: 24)!, raw: "s24le"),
            Kind(name: name, samples: .integer(bits: 32)!, raw: "s32le"),
            Kind(name: name, samples: .float32, raw: "f32le"),
        ]
    }

    private static func format(_ kind: Kind, channels: Int, rate: Double) throws -> PCMFileFormat {
        try PCMFileFormat(
            type: #require(PCMFileFormat.type(forPath: kind.name)), sampleRate: rate, channelCount: channels,
            samples: kind.samples)
    }

    /// The samples in pieces of odd sizes.
    private static func write(_ samples: [Float], to writer: inout AudioFileWriter) throws {
        let channels = writer.format.channelCount
        var generator = SeededGenerator(seed: 7)
        var done = 0
        while done < samples.count {
            let count = min(Int.random(in: 0...30_000, using: &generator) * channels, samples.count - done)
            try samples[done..<done + count].withUnsafeBufferPointer { try writer.append($0) }
            done += count
        }
    }

    /// The same samples as a program that knows nothing of this one gives them.
    @Test(arguments: kinds, [1, 6])
    func othersReadEverySample(kind: Kind, channels: Int) throws {
        let directory = TemporaryDirectory()
        let rate = [8_000, 44_100, 96_000, 192_000][channels % 4]
        let samples = ramp(20_001 * channels)
        let format = try Self.format(kind, channels: channels, rate: Double(rate))
        var writer = try AudioFileWriter(path: directory.path + "/" + kind.name, format: format)
        try Self.write(samples, to: &writer)
        try writer.finish()
        try Tool.run("ffmpeg -v error -xerror -i \(kind.name) -f \(kind.raw) raw", in: directory)
        let expected = SampleEncoding(kind.samples, in: .caf)
        var bytes: [UInt8] = []
        expected.append(samples, to: &bytes)
        #expect(try Tool.readFile(directory.path + "/raw") == bytes)
        try Tool.run(
            "test $(ffprobe -v error -show_entries stream=sample_rate,channels -of csv=p=0 \(kind.name)) "
                + "= \(rate),\(channels)", in: directory)
        if kind.name != "a.caf" {
            try Tool.run(
                "test $(soxi -s \(kind.name)) = 20001 && test $(soxi -r \(kind.name)) = \(rate)", in: directory)
        }
        let recorded = try Recorded(path: directory.path + "/" + kind.name)
        #expect(recorded.stream.failure == nil && recorded.problems.isEmpty && recorded.frameCount == 20_001)
        #expect(recorded.stream.format?.sampleRate == Double(rate))
        var own: [UInt8] = []
        format.encoding.append(samples, to: &own)
        #expect(recorded.data == own)
    }

    @Test(arguments: kinds.filter { $0.raw != "f32le" })
    func integersPassAsTheyAre(kind: Kind) throws {
        let directory = TemporaryDirectory()
        let format = try Self.format(kind, channels: 2, rate: 44_100)
        let width = kind.samples.byteCount
        let pcm = payload(2 * width * 40_000)
        let source = AudioStreamFormat.linearPCM(
            sampleRate: 44_100, channels: 2, bitsPerChannel: width * 8, bytesPerSample: width, layout: .signedInteger)
        var writer = try AudioFileWriter(path: directory.path + "/" + kind.name, format: format)
        try writer.append(pcm: pcm.span.bytes, of: source)
        try writer.finish()
        try Tool.run("ffmpeg -v error -xerror -i \(kind.name) -f \(kind.raw) raw", in: directory)
        #expect(try Tool.readFile(directory.path + "/raw") == pcm)
    }

    /// What is in the file at any moment is what a writer leaves that is killed then.
    @Test(arguments: kinds)
    func aWriterThatIsKilledLeavesAWholeFile(kind: Kind) throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/" + kind.name
        let format = try Self.format(kind, channels: 2, rate: 8_000)
        var own: [UInt8] = []
        let samples = ramp(2 * 30_001)
        format.encoding.append(samples, to: &own)
        var writer = try AudioFileWriter(path: path, format: format)
        var least = 0
        for start in stride(from: 0, to: samples.count, by: 2 * 1_000) {
            try samples[start..<min(start + 2 * 1_000, samples.count)].withUnsafeBufferPointer { try writer.append($0) }
            let recorded = try Recorded(path: path)
            #expect(recorded.problems.isEmpty)
            #expect(own.starts(with: recorded.data))
            // A second at most is missing, and nothing is lost again.
            #expect(recorded.frameCount > Int(writer.frameCount) - 8_000 && recorded.frameCount >= least)
            least = recorded.frameCount
        }
        #expect(least > 20_000)
    }

    @Test func whoForgetsToFinishLosesNothing() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/a.wav"
        do {
            let format = try PCMFileFormat(
                type: .wave, sampleRate: 48_000, channelCount: 1, samples: .integer(bits: 24)!)
            var writer = try AudioFileWriter(path: path, format: format)
            try ramp(1_001).withUnsafeBufferPointer { try writer.append($0) }
        }
        let recorded = try Recorded(path: path)
        #expect(recorded.frameCount == 1_001 && recorded.problems.isEmpty)
    }

    @Test(arguments: ["a.wav", "a.caf", "a.aiff"], [8, 16])
    func silenceIsSilence(name: String, bits: Int) throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/" + name
        let format = try Self.format(
            Kind(name: name, samples: .integer(bits: bits)!, raw: ""), channels: 1, rate: 8_000)
        var writer = try AudioFileWriter(path: path, format: format)
        try [Float](repeating: 0.5, count: 3).withUnsafeBufferPointer { try writer.append($0) }
        try writer.appendSilence(frameCount: 5)
        try writer.appendSilence(frameCount: 100_000)
        try [Float](repeating: 0.5, count: 3).withUnsafeBufferPointer { try writer.append($0) }
        try writer.finish()
        #expect(writer.frameCount == 100_011)
        try Tool.run("ffmpeg -v error -xerror -i \(name) -f s16le raw", in: directory)
        let loud: [UInt8] = [0, 0x40, 0, 0x40, 0, 0x40]
        #expect(try Tool.readFile(directory.path + "/raw") == loud + [UInt8](repeating: 0, count: 200_010) + loud)
    }
}
