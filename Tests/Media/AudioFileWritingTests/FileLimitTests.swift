import AudioCore
import AudioFileWriting
import Glibc
import StreamTestKit
import Testing

/// Files that grow beyond what something holds: their kind, or the disk.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FileLimitTests {
    private func append(_ samples: [Float], to writer: inout AudioFileWriter) throws {
        try samples.withUnsafeBufferPointer { try writer.append($0) }
    }

    private func tail(_ path: String, _ count: Int) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        lseek(descriptor, off_t(-count), Int32(SEEK_END))
        #expect(read(descriptor, &bytes, count) == count)
        return bytes
    }

    private func head(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 96)
        #expect(read(descriptor, &bytes, 96) == 96)
        return bytes
    }

    private func little(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
        (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
    }

    /// EBU Tech 3306: while the file is small there is room for the sizes, once it is large they stand there.
    @Test func waveBecomesRF64() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/a.wav"
        let format = try PCMFileFormat(
            type: .wave, sampleRate: 48_000, channelCount: 2, samples: .integer(bits: 16)!)
        var writer = try AudioFileWriter(path: path, format: format)
        try append([0.5, -0.5], to: &writer)
        let most = (Int64(UInt32.max) - 72) / 4
        try writer.appendSilence(frameCount: most - 1)
        #expect(try head(path).starts(with: Array("RIFF".utf8)))
        #expect(try little(head(path), 4, 4) == UInt64(most) * 4 + 72)
        try append([0.25, -0.25], to: &writer)
        try writer.flush()
        let bytes = try head(path)
        #expect(bytes.starts(with: Array("RF64".utf8)) && little(bytes, 4, 4) == 0xFFFF_FFFF)
        #expect(Array(bytes[12..<16]) == Array("ds64".utf8) && little(bytes, 16, 4) == 28)
        #expect(little(bytes, 20, 8) == UInt64(most + 1) * 4 + 72)
        #expect(little(bytes, 28, 8) == UInt64(most + 1) * 4 && little(bytes, 36, 8) == UInt64(most + 1))
        #expect(Array(bytes[72..<76]) == Array("data".utf8) && little(bytes, 76, 4) == 0xFFFF_FFFF)
        #expect(Array(bytes[80..<84]) == [0, 0x40, 0, 0xC0])
        try append([Float](repeating: 0.125, count: 200), to: &writer)
        try writer.finish()
        #expect(try tail(path, 404) == [0, 0x20, 0, 0xE0] + [0, 0x10].repeated(200))
        try Tool.run(
            "test $(ffprobe -v error -show_entries stream=duration_ts -of csv=p=0 a.wav) = \(most + 101)",
            in: directory)
    }

    @Test func cafHasNoLimit() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/a.caf"
        let format = try PCMFileFormat(type: .caf, sampleRate: 96_000, channelCount: 8, samples: .float32)
        var writer = try AudioFileWriter(path: path, format: format)
        try writer.appendSilence(frameCount: 1 << 28)
        try append([1, 2, 3, 4, 5, 6, 7, 8], to: &writer)
        try writer.finish()
        let bytes = try head(path)
        #expect(Array(bytes[52..<64]) == Array("data".utf8) + [0, 0, 0, 2, 0, 0, 0, 36])
        #expect(try tail(path, 4) == [0, 0, 0, 0x41])
    }

    @Test func aiffEndsAtTwoGibibytes() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/a.aiff"
        let format = try PCMFileFormat(
            type: .aiff, sampleRate: 48_000, channelCount: 2, samples: .integer(bits: 24)!)
        var writer = try AudioFileWriter(path: path, format: format)
        let most = (Int64(Int32.max) - 54 - 1) / 6
        try writer.appendSilence(frameCount: most - 2)
        #expect(throws: AudioFileWritingError.isFull(path: path)) {
            try append([Float](repeating: 0.5, count: 6), to: &writer)
        }
        #expect(writer.frameCount == most)
        #expect(throws: AudioFileWritingError.isFull(path: path)) { try append([0, 0], to: &writer) }
        try writer.finish()
        #expect(try tail(path, 12) == [0x40, 0, 0].repeated(4))
        try Tool.run("test $(soxi -s a.aiff) = \(most)", in: directory)
        #expect(
            AudioFileWritingError.isFull(path: "a.aiff").description
                == "'a.aiff' has 2 GiB, the most that AIFF holds; WAVE and CAF hold more")
    }

    /// The disk is full at any place, also within a frame, and also where an odd number needs one byte more.
    @Test(arguments: ["a.wav", "a.aiff", "a.caf"], [100_000, 100_001, 100_002, 100_005])
    func whatWasWrittenOnAFullDiskStays(name: String, limit: Int) throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/" + name
        let format = try PCMFileFormat(
            type: #require(PCMFileFormat.type(forPath: name)), sampleRate: 8_000, channelCount: 1,
            samples: .integer(bits: 24)!)
        let samples = ramp(60_000)
        var own: [UInt8] = []
        format.encoding.append(samples, to: &own)
        var writer = try AudioFileWriter(path: path, format: format)
        let failure = AudioFileWritingError.writingFailed(path: path, code: EFBIG)
        signal(SIGXFSZ, SIG_IGN)
        var old = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old)
        var new = rlimit(rlim_cur: rlim_t(limit), rlim_max: old.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &new)
        let thrown = #expect(throws: AudioFileWritingError.self) {
            for start in stride(from: 0, to: samples.count, by: 500) {
                try append(Array(samples[start..<start + 500]), to: &writer)
            }
        }
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old)
        #expect(thrown == failure)
        #expect(failure.description == "writing '\(path)' failed: File too large")
        #expect(throws: failure) { try append([0], to: &writer) }
        try writer.finish()
        let recorded = try Recorded(path: path)
        #expect(recorded.problems.isEmpty && recorded.stream.failure == nil)
        #expect(recorded.frameCount == Int(writer.frameCount) && own.starts(with: recorded.data))
        // All but the header, a frame, and one more frame for an odd number.
        #expect(recorded.data.count > limit - 104 - 3 - 3 - 1)
    }

    @Test func namesThatCannotBeWritten() throws {
        let directory = TemporaryDirectory()
        let format = try PCMFileFormat(
            type: .wave, sampleRate: 48_000, channelCount: 1, samples: .integer(bits: 16)!)
        func failure(_ name: String, replaces: Bool = false) -> AudioFileWritingError? {
            do throws(AudioFileWritingError) {
                _ = try AudioFileWriter(path: directory.path + "/" + name, format: format, replaces: replaces)
                return nil
            } catch {
                return error
            }
        }
        let base = directory.path
        try Tool.writeFile(base + "/old.wav", [1, 2, 3])
        #expect(failure("old.wav") == .exists(path: base + "/old.wav"))
        #expect(try Tool.readFile(base + "/old.wav") == [1, 2, 3])
        let directoryFailure = failure("no/such/a.wav")
        #expect(
            directoryFailure?.description
                == "cannot create '\(base)/no/such/a.wav': there is no directory '\(base)/no/such'")
        mkdir(base + "/d.wav", 0o755)
        mkfifo(base + "/f.wav", 0o644)
        for name in ["d.wav", "f.wav"] {
            #expect(failure(name) == .isNotRegularFile(path: base + "/" + name))
            #expect(failure(name, replaces: true) == .isNotRegularFile(path: base + "/" + name))
        }
        var writer = try AudioFileWriter(path: base + "/busy.wav", format: format)
        try append([0.5], to: &writer)
        #expect(failure("busy.wav", replaces: true) == .isBeingWritten(path: base + "/busy.wav"))
        try writer.finish()
        #expect(try Recorded(path: base + "/busy.wav").frameCount == 1)
        #expect(failure("old.wav", replaces: true) == nil)
        #expect(try Recorded(path: base + "/old.wav").frameCount == 0)
    }

    @Test func endingsSayTheKind() {
        #expect(PCMFileFormat.type(forPath: "x/y.WAV") == .wave && PCMFileFormat.type(forPath: "y.wave") == .wave)
        #expect(PCMFileFormat.type(forPath: "y.aif") == .aiff && PCMFileFormat.type(forPath: "y.aifc") == .aifc)
        #expect(PCMFileFormat.type(forPath: "a.b.caf") == .caf)
        for name in ["y", ".wav", "wav", "y.mp3", "y.wav/", "x.wav/y", ""] {
            #expect(PCMFileFormat.type(forPath: name) == nil)
        }
    }
}

extension [UInt8] {
    fileprivate func repeated(_ count: Int) -> [UInt8] { Array(repeatElement(self, count: count).joined()) }
}
