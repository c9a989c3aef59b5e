import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Edit lists that trim a song, to the frame; and those that say more, which are told and not followed.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4EditListTests {
    private let writer = MPEG4Writer()

    private static func info(_ valid: Int64, _ priming: Int64, _ remainder: Int64) -> AudioPacketTableInfo {
        AudioPacketTableInfo(
            validFrameCount: valid, primingFrameCount: Int(priming), remainderFrameCount: Int(remainder))
    }

    /// The beginning, the end, both, neither; all but a frame.
    @Test(arguments: EditedMedia.all) func trimsAreToTheFrame(media: EditedMedia) {
        let end = media.frameCount
        for heard in [64..<end, 0..<1_500, 100..<end - 10, 0..<end, 3_000..<3_001] as [Range<Int64>] {
            let writer = media.trimmed(to: heard)
            for file in [writer.file(), writer.file(movieFirst: false), writer.fragmented(packetsPerFragment: 5)] {
                let stream = parseFile(file).stream
                #expect(stream.failure == nil && stream.reportedProblems == [])
                #expect(stream.packetBytes.flatMap { $0 } == media.packets.flatMap { $0 })
                let decoded = stream.packets.reduce(0) { $0 + Int64($1.frameCount) }
                let info = Self.info(Int64(heard.count), heard.lowerBound, decoded - heard.upperBound)
                #expect(stream.table == info, "\(media) \(heard)")
                #expect(stream.announcedTable?.validFrameCount == info.validFrameCount)
                #expect(stream.announcedTable?.primingFrameCount == info.primingFrameCount)
            }
            let stream = parse(writer.file())
            #expect(stream == parseFile(writer.file()).stream && stream.announcedTable == stream.table)
        }
    }

    @Test func editsInOtherUnitsThanFrames() {
        var writer = writer
        // A packet is 2,089.8 units.
        (writer.timescale, writer.movieTimescale, writer.duration) = (90_000, 90_000, 2_090)
        // From 10,000 on 20,000 frames.
        writer.edits = [(40_816, 20_408)]
        let stream = parse(writer.file())
        #expect(stream.table == Self.info(20_000, 10_000, 10_960) && stream.reportedProblems == [])
    }

    // MARK: Lists that say more

    private static let unfollowed: [(edits: [(UInt32, Int32)], priming: Int64)] = [
        // A part is cut out, by edits with an end and to the end; one goes on where the other ends.
        ([(200, 1_024), (300, 20_000)], 1_024), ([(200, 1_024), (0, 20_000)], 1_024),
        ([(100, 1_024), (200, 5_434)], 1_024),
        // Another order, a part that comes twice, silence between.
        ([(200, 20_000), (100, 1_024)], 20_000), ([(200, 1_024), (200, 1_024)], 1_024),
        ([(9, -1), (100, 1_024), (500, -1), (100, 5_434), (9, -1)], 1_024),
        // One without length counts as well; one begins behind the end.
        ([(0, 1_024), (300, 20_000)], 1_024), ([(100, 50_000), (100, 2_000)], 40_960),
        ([(100, 2_000), (100, 50_000)], 2_000),
        ((0..<9_000).map { (1, 7 + $0) }, 7),
    ]

    /// All is played from where the first edit begins, and the list is named as a problem.
    @Test(arguments: unfollowed.indices) func manyEditsAreToldAndPlayedThrough(index: Int) throws {
        let (edits, priming) = Self.unfollowed[index]
        var writer = writer
        writer.edits = edits
        for file in [writer.file(), writer.fragmented(packetsPerFragment: 6)] {
            let stream = parse(file)
            #expect(stream.table == Self.info(40_960 - priming, priming, 0))
            #expect(stream.packetBytes == writer.packets)
            let list = try #require(file.indices.first { file[$0...].starts(with: Array("elst".utf8)) }) + 4
            let text = "MPEG-4 edits inside the song, which are not followed, at byte \(list)"
            #expect(stream.reportedProblems.map(\.description) == [text])
            #expect(splitThatDiffers(file, from: stream) == nil)
            #expect(parseFile(file).stream == stream)
        }
        let stream = parse(writer.file())
        #expect(stream.announcedTable == stream.table)
        #expect(parse(writer.fragmented(packetsPerFragment: 6)).announcedTable?.validFrameCount == nil)
    }

    /// Pauses and other speeds, of one edit too: how much of the media it plays is not reckoned.
    @Test(arguments: [0, 0x8000, 0x2_0000, .max] as [UInt32]) func editsAtAnotherSpeedAreTold(rate: UInt32) {
        for edits in [[(200, 1_024)], [(200, 1_024), (300, 20_000)]] as [[(UInt32, Int32)]] {
            var writer = writer
            (writer.edits, writer.editRates) = (edits, [0: rate])
            let stream = parse(writer.file())
            #expect(stream.reportedProblems.count == 1 && stream.table == Self.info(39_936, 1_024, 0))
        }
    }

    /// Silence has no speed.
    @Test func silenceAtAnotherSpeedIsNoProblem() {
        var writer = writer
        (writer.edits, writer.editRates) = ([(200, -1), (500, 1_024)], [0: 0])
        let stream = parse(writer.file())
        #expect(stream.reportedProblems == [] && stream.table == Self.info(22_050, 1_024, 40_960 - 23_074))
    }
}
