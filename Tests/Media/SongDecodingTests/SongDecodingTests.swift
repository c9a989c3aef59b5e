import AudioCore
import AudioDecoding
import Glibc
import MPEGDecoding
import Songs
import StreamTestKit
import Testing

/// Decodes whole files to WAVE files.
@Suite(.timeLimit(.minutes(5)))
struct SongDecodingTests {
    private static let decoders: DecoderCatalog = {
        var catalog = DecoderCatalog.builtIn
        catalog.registerMPEG()
        return catalog
    }()

    private func run(_ decoding: SongDecoding, isStopped: () -> Bool = { false }) throws -> SongDecoding.Outcome {
        try decoding.run(decoders: Self.decoders, isStopped: isStopped)
    }

    private func entries(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    @Test(arguments: [(1, 8), (1, 16), (1, 24), (1, 32), (3, 32)] as [(UInt16, UInt16)])
    func pcmComesOutAsItWas(tag: UInt16, bits: UInt16) throws {
        let directory = TemporaryDirectory()
        var writer = WAVEWriter()
        writer.formatTag = tag
        writer.bitsPerSample = bits
        // Finite floats whatever the payload: the exponent's bits are cleared.
        let data = payload(2 * Int(bits) / 8 * 2_500).enumerated().map {
            tag == 3 && $0.offset % 4 == 3 ? 0x3E : $0.element
        }
        try Tool.writeFile(directory.path + "/in.wav", writer.file(data: data))
        let decoding = SongDecoding(path: directory.path + "/in.wav", output: directory.path + "/out.wav")
        #expect(try run(decoding).frameCount == 2_500)
        #expect(try Array(Tool.readFile(directory.path + "/out.wav").suffix(data.count)) == data)
        let facts = SongFacts.read(path: directory.path + "/out.wav")
        #expect(facts.problems.isEmpty && facts.frameCount == 2_500)
        #expect(facts.summary.format?.bitsPerChannel == Int(bits))
        #expect(entries(directory.path) == ["in.wav", "out.wav"])
    }

    @Test func floatSamplesAreWrittenOnRequest() throws {
        let directory = TemporaryDirectory()
        var writer = WAVEWriter()
        writer.channels = 1
        try Tool.writeFile(directory.path + "/in.wav", writer.file(data: [0, 0x40, 0, 0x80]))
        var decoding = SongDecoding(path: directory.path + "/in.wav", output: directory.path + "/out.wav")
        decoding.asFloat = true
        _ = try run(decoding)
        let bytes = try Tool.readFile(directory.path + "/out.wav").suffix(8)
        #expect(Array(bytes) == [0, 0, 0, 0x3F, 0, 0, 0x80, 0xBF])
    }

    /// The frames that mpg123 puts out in its gapless mode.
    @Test func anMP3IsTrimmedToTheFrame() throws {
        let directory = TemporaryDirectory()
        try Tool.run("sox -n -r 44100 -b 16 s.wav synth 2.5 sine 300:3000 gain -6", in: directory)
        try Tool.run("lame --quiet -b 128 s.wav s.mp3", in: directory)
        try Tool.run("mpg123 -q -e f32 -w reference.wav s.mp3", in: directory)
        let decoding = SongDecoding(path: directory.path + "/s.mp3", output: directory.path + "/out.wav")
        let outcome = try run(decoding)
        #expect(outcome.frameCount == 110_250 && outcome.damagedPacketCount == 0 && outcome.problems.isEmpty)
        let byteCount = 110_250 * 4
        let ours = try Tool.readFile(directory.path + "/out.wav").suffix(byteCount)
        let reference = try Tool.readFile(directory.path + "/reference.wav").suffix(byteCount)
        #expect(ours.count == byteCount && Array(ours) == Array(reference))
    }

    /// An edit list with one part trims the beginning and the end. One with several parts trims only the beginning, and
    /// is reported.
    @Test(arguments: ["libmp3lame -b:a 128k c.mp4", "pcm_s16le c.mov", "adpcm_ima_qt c.mov", "pcm_mulaw c.mov"])
    func editListsTrimToTheFrame(encoding: String) throws {
        let directory = TemporaryDirectory()
        let name = encoding.suffix(5)
        try Tool.run("sox -R -n -r 44100 -b 16 -c 2 s.wav synth 2.5 sine 300:3000 whitenoise gain -6", in: directory)
        try Tool.run("ffmpeg -v error -i s.wav -c:a \(encoding)", in: directory)
        let original = try Tool.readFile("\(directory.path)/\(name)")
        func decoded(_ parts: [Range<Int64>]) throws -> [UInt8] {
            let file = EditList.replaced(in: original, by: parts, rate: 44_100, movieTimescale: 44_100)
            try Tool.writeFile("\(directory.path)/\(name)", file)
            var decoding = SongDecoding(path: "\(directory.path)/\(name)", output: directory.path + "/out.wav")
            decoding.asFloat = true
            let outcome = try run(decoding)
            #expect(outcome.damagedPacketCount == 0 && outcome.problems.count == parts.count - 1)
            return try Tool.readFile(directory.path + "/out.wav").suffix(8 * Int(outcome.frameCount))
        }
        let whole = try decoded([0..<Int64.max])
        #expect(try decoded([1_000..<20_011]) == Array(whole[8_000..<8 * 20_011]))
        #expect(try decoded([1_000..<20_011, 40_000..<40_003]) == Array(whole[8_000...]))
    }

    @Test func aMissingDecoderIsNamed() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/s.aac"
        try Tool.writeFile(path, ADTSWriter().file(ADTSWriter.blocks(20)))
        let text = "'\(path)' holds AAC, for which this machine has no decoder; install libavcodec 59 (on"
        #expect(throws: SongFailure(.unusable, text + " Debian 12: sudo apt install libavcodec59)")) {
            try run(SongDecoding(path: path, output: directory.path + "/out.wav"))
        }
        #expect(entries(directory.path) == ["s.aac"])
    }

    @Test func theInputIsNeverWritten() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/in.wav"
        let file = WAVEWriter().file(data: payload(400))
        try Tool.writeFile(path, file)
        symlink(path, directory.path + "/link.wav")
        link(path, directory.path + "/hard.wav")
        for output in ["in.wav", "link.wav", "hard.wav", "../\(directory.path.split(separator: "/").last!)/in.wav"] {
            let target = directory.path + "/" + output
            #expect(
                throws: SongFailure(.cannotCreate, "'\(target)' is the song itself; choose another name to write to")
            ) {
                try run(SongDecoding(path: path, output: target))
            }
        }
        #expect(try Tool.readFile(path) == file)
        #expect(entries(directory.path) == ["hard.wav", "in.wav", "link.wav"])
    }

    @Test func aFailureLeavesNothingBehind() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/in.wav"
        try Tool.writeFile(path, WAVEWriter().file(data: payload(4_000_000)))
        try Tool.writeFile(directory.path + "/out.wav", [1, 2, 3])
        // The first pass over the song asks some sixty times, so this stops the second, which writes.
        var count = 0
        #expect(throws: SongFailure(.stopped, "stopped")) {
            try run(SongDecoding(path: path, output: directory.path + "/out.wav")) {
                count += 1
                return count == 100
            }
        }
        #expect(try Tool.readFile(directory.path + "/out.wav") == [1, 2, 3])
        try Tool.writeFile(directory.path + "/text", Array("text".utf8))
        #expect(throws: SongFailure.self) {
            try run(SongDecoding(path: directory.path + "/text", output: directory.path + "/new.wav"))
        }
        #expect(throws: SongFailure.self) { try run(SongDecoding(path: path, output: directory.path)) }
        #expect(throws: SongFailure.self) {
            try run(SongDecoding(path: path, output: directory.path + "/none/out.wav"))
        }
        #expect(entries(directory.path) == ["in.wav", "out.wav", "text"])
    }

    @Test func aLinkStaysALinkAndADeviceADevice() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/in.wav"
        try Tool.writeFile(path, WAVEWriter().file(data: payload(400)))
        try Tool.writeFile(directory.path + "/real.wav", [1])
        symlink("real.wav", directory.path + "/link.wav")
        _ = try run(SongDecoding(path: path, output: directory.path + "/link.wav"))
        #expect(try Tool.readFile(directory.path + "/real.wav").count == 444)
        var status = stat()
        #expect(lstat(directory.path + "/link.wav", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        _ = try run(SongDecoding(path: path, output: "/dev/null"))
        #expect(lstat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test func aFullDiskIsReported() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/in.wav"
        try Tool.writeFile(path, WAVEWriter().file(data: payload(400)))
        #expect(throws: SongFailure(.cannotCreate, "writing '/dev/full' failed: No space left on device")) {
            try run(SongDecoding(path: path, output: "/dev/full"))
        }
    }
}
