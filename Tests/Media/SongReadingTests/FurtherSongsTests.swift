import AudioCore
import AudioFileStreamServices
import Glibc
import HostSystem
import Songs
import StreamTestKit
import Testing

/// Several songs in one source, wherever its bytes come from.
@Suite(.timeLimit(.minutes(5)))
struct FurtherSongsTests {
    private static let links: [[UInt8]] = {
        var (stereo, mono) = (OpusWriter(), OpusWriter())
        stereo.comments = ["TITLE=one"]
        (mono.channels, mono.comments) = (1, ["TITLE=three"])
        var vorbis = VorbisWriter()
        vorbis.comments = ["TITLE=two"]
        var writer = vorbis.writerWithHeaders(serial: 2)
        // More than a piece.
        for page in 0..<40 {
            let packets = (0..<10).map { index in
                let number = page * 10 + index
                return (vorbis.packet(isLong: true, byteCount: 400, seed: UInt64(number)), Int64(number) * 1_024)
            }
            writer.add(packets, isLast: page == 39)
        }
        return [
            stereo.file(packets: 60, cut: 300, serial: 1).bytes, writer.bytes,
            mono.file(packets: 25, cut: 7, serial: 3).bytes,
        ]
    }()

    /// What is told of a song.
    private struct Told: Equatable {
        var title: String?
        var format: AudioStreamFormat?
        var packets: [[UInt8]]
        var heardFrameCount: Int64?

        init(_ stream: ParsedStream) {
            title = stream.info(.title)
            format = stream.format
            packets = stream.packets.map(\.bytes)
            heardFrameCount = stream.table?.validFrameCount
        }
    }

    private static let expected = links.map { Told(parse($0, with: AudioFileStream(), pieces: [$0.count])) }

    /// Reads all songs of a source; waits where it has nothing yet.
    private func songs(_ source: any ByteSource, pieceByteCount: Int = 10_000) throws -> [Told] {
        var stream = SongStream(source, pieceByteCount: pieceByteCount)
        let wake = try WakeSignal()
        var songs: [Told] = []
        while true {
            var recorder = EventRecorder()
            while !stream.isFinished {
                let passedCount = stream.passedCount
                _ = try stream.advance(into: &recorder)
                if stream.passedCount != passedCount { recorder = EventRecorder() }
                if stream.isWaiting { stream.wait(atMost: .seconds(1), wake: wake) }
            }
            #expect(stream.songsBefore == songs.count)
            songs.append(Told(ParsedStream(events: recorder.events)))
            guard stream.hasNext else { return songs }
            stream.beginNext()
        }
    }

    @Test(arguments: [1, 1_000, 10_000, 1_000_000]) func aFileHoldsSeveralSongs(pieceByteCount: Int) throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/chain.ogg"
        try Tool.writeFile(path, Self.links.flatMap(\.self))
        for isPureStream in [false, true] {
            let source = FileSource(try SongFile(path: path), isPureStream: isPureStream)
            #expect(try songs(source, pieceByteCount: pieceByteCount) == Self.expected)
        }
    }

    @Test func aFIFOHoldsSeveralSongs() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/fifo"
        mkfifo(path, 0o600)
        let bytes = Self.links.flatMap(\.self)
        let writer = try HostThread(name: "writer") {
            let file = open(path, O_WRONLY | O_CLOEXEC)
            defer { close(file) }
            for start in stride(from: 0, to: bytes.count, by: 3_001) {
                bytes[start..<min(bytes.count, start + 3_001)].withUnsafeBytes {
                    _ = write(file, $0.baseAddress, $0.count)
                }
            }
        }
        let songs = try songs(try PipeSource(fifo: path))
        writer.join()
        #expect(songs == Self.expected)
    }

    /// What has audio by its looks, and none by its packets; of other channels than what comes before and behind it.
    @Test func aSongWithoutAPacketIsPassedOver() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/chain.ogg"
        let garbage = (0..<499).flatMap { index -> [UInt8] in
            var opus = OpusWriter()
            (opus.channels, opus.comments) = (UInt8(1 + index % 2), ["TITLE=none", "ARTIST=none"])
            var writer = opus.writerWithHeaders(serial: UInt32(1_000 + index))
            writer.add([([0xFB, 0], 960), ([0xFB, 7], 1_920)], isLast: true)
            return writer.bytes
        }
        try Tool.writeFile(path, garbage + Self.links[0] + garbage + Self.links[1])
        let songs = try songs(FileSource(try SongFile(path: path)))
        #expect(songs == Array(Self.expected[..<2]))
        let facts = SongFacts.read(path: path)
        #expect(facts.failure == nil && facts.summary.info == [.title: "one"] && facts.isStreamable)
        #expect(facts.frameCount == Self.expected[0].heardFrameCount && facts.problems.isEmpty)
    }

    @Test func aSeekLeadsBackFromTheEnd() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/chain.ogg"
        try Tool.writeFile(path, Self.links.flatMap(\.self))
        var stream = SongStream(try SongFile(path: path), pieceByteCount: 5_000)
        var recorder = EventRecorder()
        for expected in Self.expected {
            while !stream.isFinished { _ = try stream.advance(into: &recorder) }
            let isLast = expected == Self.expected.last
            #expect(stream.hasNext != isLast)
            _ = try stream.seek(to: .zero)
            #expect(!stream.hasNext && !stream.isFinished)
            recorder = EventRecorder()
            while !stream.isFinished { _ = try stream.advance(into: &recorder) }
            #expect(ParsedStream(events: recorder.events).packets.map(\.bytes) == expected.packets)
            #expect(stream.hasNext != isLast)
            stream.beginNext()
        }
        #expect(stream.isFinished && stream.songsBefore == 2)
    }

    @Test func theFirstSongIsExplained() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/chain.ogg"
        try Tool.writeFile(path, Self.links.flatMap(\.self))
        let facts = SongFacts.read(path: path)
        #expect(facts.failure == nil && facts.problems.isEmpty && facts.isStreamable)
        #expect(facts.frameCount == 60 * 960 - 312 - 300 && facts.packetCount == 60)
        #expect(facts.nextSongOffset == Int64(Self.links[0].count))
        var counts: [Int64] = []
        SongFacts.readSongs(path: path) { song in
            counts.append(song.frameCount)
            return counts.count < 2
        }
        #expect(counts == Self.expected[..<2].map(\.heardFrameCount))
    }
}
