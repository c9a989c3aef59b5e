import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Edit lists in units of many kinds: which are followed, and what of those is heard that are not.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4EditListTests {
    private let writer = MPEG4Writer()

    private func info(_ valid: Int64, _ priming: Int, _ remainder: Int) -> AudioPacketTableInfo {
        AudioPacketTableInfo(validFrameCount: valid, primingFrameCount: priming, remainderFrameCount: remainder)
    }

    private typealias Edits = [(UInt32, Int32)]

    private static let cuts: [(edits: Edits, priming: Int, valid: Int64)] = [
        // Of thousandths of a second a cut; to the end; silence in front and behind.
        ([(200, 1_024), (300, 20_000)], 1_024, 8_820 + 13_230),
        ([(200, 1_024), (0, 20_000)], 1_024, 8_820 + 20_960),
        ([(9, -1), (200, 1_024), (300, 20_000), (9, -1)], 1_024, 8_820 + 13_230),
        // 441 frames; 309 of 308.7; as near to the end as may be.
        ([(10, 0), (7, 9_000), (700, 10_100)], 0, 441 + 309 + 30_860),
        // Of two that go on where they should, to the thousandth, one is made.
        ([(100, 1_024), (200, 5_400), (100, 20_000)], 1_024, 13_196 + 4_410),
        // Silence between, where the song goes on or not; in two parts.
        ([(100, 1_024), (500, -1), (100, 5_434)], 1_024, 4_410 + 22_050 + 4_410),
        ([(100, 1_024), (200, -1), (300, -1), (100, 5_500)], 1_024, 4_410 + 22_050 + 4_410),
        // One that is empty, and one behind the end, leave one.
        ([(0, 1_024), (300, 20_000)], 20_000, 13_230), ([(100, 2_000), (100, 50_000)], 2_000, 4_410),
    ]

    @Test(arguments: cuts.indices)
    func editsInsideTheSong(index: Int) {
        let (edits, priming, valid) = Self.cuts[index]
        var writer = writer
        writer.edits = edits
        let file = writer.file()
        let stream = parse(file)
        #expect(stream.table?.validFrameCount == valid && stream.table?.primingFrameCount == priming)
        #expect(stream.announcedTable == stream.table)
        #expect(stream.toldProblems == [])
        #expect(splitThatDiffers(file, from: stream) == nil)
    }

    /// In times of 90 kHz a packet is 2,089.8.
    @Test func editsInOtherUnitsThanFrames() {
        var writer = writer
        (writer.timescale, writer.movieTimescale, writer.duration) = (90_000, 90_000, 2_090)
        // 100 frames; from 10,000 on 20,000.
        writer.edits = [(204, 0), (40_816, 20_408)]
        let stream = parse(writer.file())
        #expect(stream.table == info(100 + 20_000, 0, 0) && stream.announcedTable == stream.table)
        // A part of the first; the end of the tenth to the beginning of the thirtieth.
        #expect(stream.packets.count == 1 + 21 && stream.toldProblems == [])
        #expect(stream.packets.map(\.frameCount).reduce(0, +) == 20_100)
    }

    /// Pauses and other speeds.
    @Test func editsAtAnotherSpeedAreTold() {
        for rate in [0, 0x8000, 0x2_0000] as [UInt32] {
            var writer = writer
            writer.edits = [(200, 1_024), (300, 20_000)]
            writer.editRates = [0: rate, 1: rate]
            #expect(parse(writer.file()).toldProblems.count == 1)
        }
    }

    private static let unfollowed: [(edits: Edits, priming: Int, end: Int64)] = [
        // In a stream another order, and a part that comes twice; silence of an hour.
        ([(200, 20_000), (100, 1_024)], 1_024, 28_820), ([(200, 1_024), (200, 1_024)], 1_024, 9_844),
        ([(100, 1_024), (3_600_000, -1), (100, 5_434)], 1_024, 9_844),
        // More than are followed.
        ((0...256).map { (1, $0 * 150) }, 0, 38_444),
    ]

    /// One stretch is played, and the list is named as a problem.
    @Test(arguments: unfollowed.indices)
    func editsThatAreNotFollowedAreTold(index: Int) throws {
        let (edits, priming, end) = Self.unfollowed[index]
        var writer = writer
        writer.edits = edits
        let file = writer.file()
        let stream = parse(file)
        let expected = info(end - Int64(priming), priming, Int(40_960 - end))
        #expect(stream.table == expected && stream.announcedTable == expected)
        #expect(stream.packetBytes == writer.packets)
        let list = try #require(file.indices.first { file[$0...].starts(with: Array("elst".utf8)) }) + 4
        let problem = try #require(stream.toldProblems.first)
        #expect(stream.toldProblems.count == 1)
        #expect(problem.description == "MPEG-4 edits inside the song, which are not followed, at byte \(list)")
        #expect(splitThatDiffers(file, from: stream) == nil)
    }
}
