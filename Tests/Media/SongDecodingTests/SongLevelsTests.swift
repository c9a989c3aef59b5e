import AudioCore
import AudioDecoding
import Glibc
import MPEGDecoding
import Songs
import StreamTestKit
import Testing

/// How loud whole files are.
@Suite(.timeLimit(.minutes(5)))
struct SongLevelsTests {
    private static let decoders: DecoderCatalog = {
        var catalog = DecoderCatalog.builtIn
        catalog.registerMPEG()
        return catalog
    }()

    private func levels(_ path: String, isStopped: () -> Bool = { false }) throws -> LevelEnvelope {
        try SongLevels.measure(path: path, decoders: Self.decoders, isStopped: isStopped)
    }

    private func levels(_ bytes: [UInt8]) throws -> LevelEnvelope {
        let directory = TemporaryDirectory()
        try Tool.writeFile(directory.path + "/song", bytes)
        return try levels(directory.path + "/song")
    }

    private func samples(_ values: [Int16]) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in values { bytes.append(littleEndian: value) }
        return bytes
    }

    @Test func aWAVEsLevels() throws {
        // A tenth of full scale on the left, then silence; on the right the other way round.
        let frames = (0..<8_000).flatMap { $0 < 4_000 ? [3_277, 0] : [0, -3_277] as [Int16] }
        let envelope = try levels(WAVEWriter(rate: 8_000).file(data: samples(frames)))
        #expect(envelope.intervalCount == 20 && envelope.duration == .seconds(1) && envelope.channelCount == 2)
        let loud = LevelEnvelope.Level(peak: 215, rms: 215)
        for milliseconds in stride(from: 0, to: 1_000, by: 50) {
            let (left, right) = envelope.level(at: .milliseconds(Int64(milliseconds)))
            #expect(left == (milliseconds < 500 ? loud : .silence))
            #expect(right == (milliseconds < 500 ? .silence : loud))
        }
    }

    /// The centre is on both sides, and the low frequencies are.
    @Test func aWAVEOfManyChannels() throws {
        var writer = WAVEWriter(rate: 8_000, channels: 3)
        writer.validBits = 16
        writer.speakerMask = 7
        let envelope = try levels(writer.file(data: samples((0..<400).flatMap { _ in [33, 0, 3_277] as [Int16] })))
        let (left, right) = envelope.level(at: .zero)
        #expect(left.peak == 215 && right.peak == 215)
    }

    /// What the encoder padded is not measured, and a sine's RMS is 3 dB below its peak.
    @Test func anMP3IsTrimmed() throws {
        let directory = TemporaryDirectory()
        try Tool.run("sox -n -r 44100 -b 16 s.wav synth 2.5 sine 1000 gain -6", in: directory)
        try Tool.run("lame --quiet -b 128 s.wav s.mp3", in: directory)
        let envelope = try levels(directory.path + "/s.mp3")
        #expect(envelope.intervalCount == 50 && envelope.channelCount == 1)
        for milliseconds in stride(from: 100, to: 2_400, by: 50) {
            let level = envelope.level(at: .milliseconds(Int64(milliseconds))).left
            #expect(abs(Int(level.peak) - 243) <= 1 && abs(Int(level.rms) - 237) <= 1)
        }
    }

    @Test func whatCannotBeMeasured() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/song"
        #expect(throws: SongFailure(.missing, "'\(path)' does not exist; check the path")) { try levels(path) }
        try Tool.writeFile(path, Array("This is a text.".utf8))
        #expect(throws: SongFailure.self) { try levels(path) }
        try Tool.writeFile(path, ADTSWriter().file(ADTSWriter.blocks(20)))
        let error = #expect(throws: SongFailure.self) { try levels(path) }
        #expect(error?.message.contains("for which this machine has no decoder") == true)
        #expect(mkfifo(directory.path + "/pipe", 0o600) == 0)
        #expect(throws: SongFailure(.missing, "'\(directory.path)/pipe' is not a file; name a song")) {
            try levels(directory.path + "/pipe")
        }
    }

    @Test func itCanBeStopped() throws {
        let directory = TemporaryDirectory()
        try Tool.writeFile(directory.path + "/song", WAVEWriter().file(data: payload(1_000_000)))
        var count = 0
        #expect(throws: SongFailure(.stopped, "stopped")) {
            try levels(directory.path + "/song") {
                count += 1
                return count == 3
            }
        }
    }

    /// A few bytes stand for hours: they are refused, and nothing is held.
    @Test func moreThanADayIsRefused() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/song"
        // A header says how long the silence is; the file is a hole.
        let byteCount = 8_000 * 86_400 + 8_000
        var writer = WAVEWriter(rate: 8_000, channels: 1, bits: 8)
        writer.dataSize = UInt32(byteCount)
        let header = writer.file(data: [])
        try Tool.writeFile(path, header)
        #expect(truncate(path, off_t(header.count + byteCount)) == 0)
        let error = #expect(throws: SongFailure.self) { try levels(path) }
        #expect(error?.message == "'\(path)' is longer than 24 hours: that much has no levels; choose a shorter song")
    }
}
