import AudioCore
import Glibc
import Songs
import StreamTestKit
import Testing

/// What is said of a file that was read whole.
@Suite(.timeLimit(.minutes(5)))
struct SongFactsTests {
    private func facts(_ bytes: [UInt8]) throws -> SongFacts {
        let directory = TemporaryDirectory()
        let path = directory.path + "/song"
        try Tool.writeFile(path, bytes)
        return SongFacts.read(path: path)
    }

    @Test func anMP3WithTrims() throws {
        let writer = MPEGWriter()
        let frames = writer.frames(20)
        var tag = ID3v2Writer(majorVersion: 3)
        tag.add("TIT2", [0] + Array("Title".utf8))
        let file = tag.bytes + writer.xing("Info", packets: 20, delay: 576, padding: 1_000) + frames.flatMap { $0 }
        let facts = try facts(file)
        #expect(facts.failure == nil && facts.isStreamable && facts.problems.isEmpty)
        #expect(facts.summary.fileType == .mpegLayer3)
        #expect(facts.packetCount == 20 && facts.framesPerPacket == 1_152)
        #expect(facts.primingFrameCount == 576 + 529)
        #expect(facts.remainderFrameCount == 1_000 - 529)
        #expect(facts.frameCount == 20 * 1_152 - 576 - 1_000)
        #expect(facts.seconds == Double(facts.frameCount) / 44_100)
        #expect(facts.bitRate == 128_000)
        #expect(facts.byteCount == Int64(file.count))
        #expect(facts.audioByteCount == Int64(frames.joined().count))
        #expect(facts.smallestPacketByteCount == 417 && facts.largestPacketByteCount == 418)
        #expect(facts.summary.info[.title] == "Title")
    }

    @Test func aWAVEWhoseLastPacketIsShort() throws {
        let facts = try facts(WAVEWriter().file(data: payload(4 * 3_000)))
        #expect(facts.packetCount == 3 && facts.framesPerPacket == 1_024 && facts.frameCount == 3_000)
        #expect(facts.bitRate == 44_100 * 32)
    }

    @Test func aCutFileIsPlayableAndHasAProblem() throws {
        let bytes = Array(WAVEWriter().file(data: payload(40_000)).dropLast(10_000))
        let facts = try facts(bytes)
        #expect(facts.failure == nil)
        #expect(facts.frameCount == 7_500)
        #expect(facts.problems.map(\.description) == ["cut off at byte \(bytes.count), 10000 bytes missing"])
    }

    @Test func moreProblemsThanAreTold() throws {
        let writer = MPEGWriter()
        let facts = try facts((0..<30).flatMap { _ in writer.frames(4).flatMap { $0 } + payload(50) })
        #expect(facts.problems.count == Limits.streamProblemCount && facts.problemCount == 30)
    }

    @Test func whatCannotBePlayed() throws {
        #expect(
            SongFacts.read(path: "/nowhere/song").failure
                == SongFailure(.missing, "'/nowhere/song' does not exist; check the path"))
        #expect(SongFacts.read(path: "/tmp").failure?.kind == .missing)
        #expect(SongFacts.read(path: "/dev/null").failure?.kind == .missing)
        #expect(try facts([]).failure?.kind == .unusable)
        let text = try facts(Array("Dear diary".utf8))
        #expect(text.failure?.message.contains("is not a song that Tutti knows") == true)
        var writer = WAVEWriter()
        writer.leading = WAVEWriter.chunk("data", payload(8))
        let disordered = try facts(writer.file(data: []))
        #expect(
            disordered.failure?.message.hasSuffix("is damaged: WAVE's data at byte 12 come before their format") == true
        )
        #expect(disordered.seconds == nil)
    }

    @Test func tablesThatAreMissingAreToldOf() throws {
        let directory = TemporaryDirectory()
        try Tool.run("ffmpeg -v error -f lavfi -i sine=duration=1 -c:a aac -y s.m4a", in: directory)
        let file = try Tool.readFile(directory.path + "/s.m4a")
        let facts = try facts(Array(file.prefix(2_000)))
        let message = try #require(facts.failure?.message)
        #expect(message.contains("is damaged: MPEG-4") && message.hasSuffix("the file ends at byte 2000"), "\(message)")
    }

    @Test func stopsWhenAsked() throws {
        let directory = TemporaryDirectory()
        try Tool.writeFile(directory.path + "/song", WAVEWriter().file(data: payload(4_000_000)))
        var count = 0
        let facts = SongFacts.read(path: directory.path + "/song") {
            count += 1
            return count == 3
        }
        #expect(facts.failure?.kind == .stopped)
    }

    /// It is cut where it was cut, and nobody waits for the rest.
    @Test func aFileThatShrinksWhileItIsRead() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/song"
        try Tool.writeFile(path, WAVEWriter().file(data: payload(1_000_000)))
        var stream = SongStream(try SongFile(path: path), pieceByteCount: 10_000)
        var recorder = EventRecorder()
        #expect(try stream.advance(into: &recorder) == 10_000)
        #expect(truncate(path, 25_000) == 0)
        var readCount = 10_000
        while !stream.isFinished { readCount += try stream.advance(into: &recorder) }
        #expect(readCount == 25_000)
        #expect(stream.summary.problems == [AudioStreamProblem(.truncated(missingByteCount: 975_044), at: 25_000)])
    }

    /// What comes while it is read is not looked at.
    @Test func aFileThatGrowsWhileItIsRead() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/song"
        let bytes = WAVEWriter().file(data: payload(100_000))
        try Tool.writeFile(path, bytes)
        var stream = SongStream(try SongFile(path: path), pieceByteCount: 10_000)
        var recorder = EventRecorder()
        _ = try stream.advance(into: &recorder)
        try Tool.writeFile(path, bytes + payload(50_000))
        while !stream.isFinished { _ = try stream.advance(into: &recorder) }
        #expect(stream.summary.problems.isEmpty)
    }
}
