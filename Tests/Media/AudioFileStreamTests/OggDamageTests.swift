import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// A page whose check is wrong is left out, and told of once, with its place; the next page is played.
@Suite(.timeLimit(.minutes(5)))
struct OggDamageTests {
    private static let packetsPerPage = 10
    /// Two header pages, then six with audio.
    private static var opus: OggWriter { OpusWriter().file(packets: 60, perPage: packetsPerPage, cut: 300) }

    private static func problems(_ stream: ParsedStream) -> [AudioStreamProblem] {
        stream.properties.compactMap { if case .problem(let problem) = $0 { problem } else { nil } }
    }

    /// Parses the file with the pages as they are: as a stream, byte by byte, and with all of it at hand.
    private static func parseInEveryWay(_ pages: [[UInt8]]) -> [ParsedStream] {
        let bytes: [UInt8] = pages.flatMap { $0 }
        let single = parse(bytes, with: AudioFileStream(), pieces: repeatElement(1, count: bytes.count))
        return [parse(bytes), single, OggTests.parseFile(bytes)]
    }

    private static func offset(ofPage index: Int) -> Int64 {
        Int64(opus.pages[..<index].reduce(0) { $0 + $1.count })
    }

    /// Capture pattern, version, flags, granule, serial number, sequence number, check, count of segments, lacing
    /// values, and the packets' bytes.
    @Test(arguments: [0, 3, 4, 5, 6, 13, 14, 18, 22, 25, 26, 27, 36, 37, 500, 1_000])
    func onePageIsLostForOneByte(place: Int) {
        let all = parse(Self.opus.bytes).packetBytes
        for index in 2..<7 {
            var pages = Self.opus.pages
            pages[index][place] ^= 0x41
            let start = (index - 2) * Self.packetsPerPage
            let rest = Array(all[..<start] + all[(start + Self.packetsPerPage)...])
            let problem = AudioStreamProblem(
                .skipped(byteCount: Int64(pages[index].count)), at: Self.offset(ofPage: index))
            for stream in Self.parseInEveryWay(pages) {
                #expect(stream.failure == nil)
                #expect(Self.problems(stream) == [problem], "page \(index)")
                #expect(stream.packetBytes == rest, "page \(index)")
            }
        }
    }

    @Test func neighboursAreOneProblemAndOthersAreTheirOwn() {
        let all = parse(Self.opus.bytes).packetBytes
        var pages = Self.opus.pages
        for index in [3, 4, 6] { pages[index][600] ^= 1 }
        let expected = [
            AudioStreamProblem(
                .skipped(byteCount: Int64(pages[3].count + pages[4].count)), at: Self.offset(ofPage: 3)),
            AudioStreamProblem(.skipped(byteCount: Int64(pages[6].count)), at: Self.offset(ofPage: 6)),
        ]
        for stream in Self.parseInEveryWay(pages) {
            #expect(Self.problems(stream) == expected)
            #expect(stream.packetBytes == Array(all[..<10] + all[30..<40] + all[50...]))
        }
    }

    @Test func lastPageMayBeHurt() {
        let all = parse(Self.opus.bytes).packetBytes
        var pages = Self.opus.pages
        pages[7][600] ^= 1
        let problem = AudioStreamProblem(.skipped(byteCount: Int64(pages[7].count)), at: Self.offset(ofPage: 7))
        for stream in Self.parseInEveryWay(pages) {
            #expect(Self.problems(stream) == [problem])
            #expect(stream.packetBytes == Array(all[..<50]))
            #expect(stream.table?.validFrameCount == 47_688)
            #expect(stream.table?.remainderFrameCount == 0)
        }
    }

    /// Of a packet that goes on on a page that is lost nothing is given; the page after it is played from its first
    /// whole packet on.
    @Test func packetOnAHurtPageIsLeftOut() {
        let packets = (0..<8).map { OpusWriter.packet(byteCount: 1_500, seed: UInt64($0)) }
        var writer = OpusWriter().writerWithHeaders()
        writer.add(packets.enumerated().map { ($1, Int64($0 + 1) * 960) }, isLast: true, segmentsPerPage: 8)
        // A packet has six segments: the third page holds the end of the third packet, the fourth, and no more.
        var pages = writer.pages
        pages[3][100] ^= 1
        let offset = pages[..<3].reduce(0) { $0 + $1.count }
        let problem = AudioStreamProblem(.skipped(byteCount: Int64(pages[3].count)), at: Int64(offset))
        for stream in Self.parseInEveryWay(pages) {
            #expect(Self.problems(stream) == [problem])
            #expect(stream.packetBytes == [packets[0]] + packets[3...])
        }
    }
}
