import AudioCore
import AudioFileStreamServices
import Glibc
import HostSystem
import Songs
import StreamTestKit
import Testing

/// Songs whose files do not say where their frames are, or how many there are: Ogg chains, and packets of many lengths.
@Suite(.timeLimit(.minutes(5)))
struct UnknownPlaceTests {
    private static let chain = [1_000, 1_500, 700].enumerated().flatMap { index, count in
        OpusWriter().file(packets: count, cut: 300 + index, serial: UInt32(index)).bytes
    }

    /// Long and short blocks, on pages of several lengths.
    private static let varied: [UInt8] = {
        let vorbis = VorbisWriter()
        var writer = vorbis.writerWithHeaders(serial: 5)
        var granule: Int64 = 0
        var packets: [OggWriter.Packet] = []
        for index in 0..<3_000 {
            let isLong = index / 7 % 3 > 0
            if index > 0 { granule += [isLong, (index - 1) / 7 % 3 > 0].reduce(0) { $0 + ($1 ? 512 : 64) } }
            packets.append((vorbis.packet(isLong: isLong, byteCount: 100, seed: UInt64(index)), granule))
        }
        for start in stride(from: 0, to: packets.count, by: 11) {
            let end = min(start + 11, packets.count)
            writer.add(Array(packets[start..<end]), isLast: end == packets.count)
        }
        return writer.bytes
    }()

    private static func file(_ bytes: [UInt8], in directory: borrowing TemporaryDirectory) throws -> String {
        try Tool.writeFile(directory.path + "/song.ogg", bytes)
        return directory.path + "/song.ogg"
    }

    private static func isMeasurable(_ stream: borrowing SongStream) -> Bool {
        if SongMeter(stream) != nil { true } else { false }
    }

    /// The next packets are those of the place that is told, which lies at the frame or a little before it.
    @Test(arguments: [true, false], [0.1, 0.35, 0.6, 0.9, 0.999])
    func aSeekFindsItsFrame(isChain: Bool, share: Double) throws {
        let directory = TemporaryDirectory()
        let path = try Self.file(isChain ? Self.chain : Self.varied, in: directory)
        var whole = EventRecorder()
        var reading = SongStream(try SongFile(path: path))
        while !reading.isFinished { _ = try reading.advance(into: &whole) }
        let packets = ParsedStream(events: whole.events).packets
        let table = try #require(reading.summary.packetTable)
        let frame = FramePosition(Int64(Double(try #require(table.validFrameCount)) * share))

        var stream = SongStream(try SongFile(path: path), pieceByteCount: 4_096)
        var front = EventRecorder()
        while stream.packetCount == 0 { _ = try stream.advance(into: &front) }
        let position = try stream.seek(to: frame)
        var rest = EventRecorder()
        while !stream.isFinished { _ = try stream.advance(into: &rest) }
        let tail = ParsedStream(events: rest.events).packets
        // The padding at the end is cut off as ever.
        #expect(stream.summary.packetTable == table)
        let skipped = packets.dropLast(tail.count).reduce(0) { $0 + Int64($1.frameCount) }
        #expect(tail.map(\.bytes) == packets.suffix(tail.count).map(\.bytes))
        #expect(position == FramePosition(skipped - Int64(table.primingFrameCount)))
        #expect(position <= frame && frame - position < 48_000)
    }

    @Test func aSeekBehindTheEndLeadsToTheLastPacket() throws {
        let directory = TemporaryDirectory()
        var stream = SongStream(try SongFile(path: try Self.file(Self.chain, in: directory)), pieceByteCount: 4_096)
        var front = EventRecorder()
        while stream.packetCount == 0 { _ = try stream.advance(into: &front) }
        let position = try stream.seek(to: FramePosition(100_000_000))
        var rest = EventRecorder()
        while !stream.isFinished { _ = try stream.advance(into: &rest) }
        let count = ParsedStream(events: rest.events).packets.count
        #expect((1...8).contains(count) && position > FramePosition(3_190 * 960) && !stream.hasNext)
    }

    @Test func allOfAChainIsMeasured() throws {
        let directory = TemporaryDirectory()
        var other = OpusWriter()
        other.channels = 1
        let last = other.file(packets: 200, serial: 9).bytes
        var stream = SongStream(try SongFile(path: try Self.file(Self.chain + last, in: directory)))
        // Nothing is open yet.
        let isEarly = Self.isMeasurable(stream)
        var front = EventRecorder()
        while stream.packetCount == 0 { _ = try stream.advance(into: &front) }
        #expect(!isEarly && stream.summary.isReady && stream.summary.duration == nil)
        guard var meter = SongMeter(stream) else { throw SongFailure(.unusable, "it is not measured") }
        var found: [SongMeter.Measurement] = []
        while found.count < 2 { if let next = try meter.advance() { found.append(next) } }
        let lengths: [Int64] = [3_200 * 960 - 3 * 312 - 903, 200 * 960 - 312]
        #expect(found.map(\.frameCount) == lengths && found.map(\.isFollowed) == [true, false])
    }

    /// A pipe can be read only once.
    @Test func whatIsNoFileIsNotMeasured() throws {
        let directory = TemporaryDirectory()
        let file = try SongFile(path: try Self.file(Self.chain, in: directory))
        var stream = SongStream(file, isPureStream: true)
        var front = EventRecorder()
        while stream.packetCount == 0 { _ = try stream.advance(into: &front) }
        let isMeasurable = Self.isMeasurable(stream)
        #expect(!stream.isFile && stream.summary.isReady && !isMeasurable)
    }
}
