import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// What is audible of an MPEG-4 file, and what its tags say.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4LengthTests {
    private let writer = MPEG4Writer()

    private func table(_ change: (inout MPEG4Writer) -> Void) -> AudioPacketTableInfo? {
        var writer = writer
        change(&writer)
        let stream = parse(writer.file())
        #expect(stream.table == stream.announcedTable)
        return stream.table
    }

    private func info(_ valid: Int64, _ priming: Int, _ remainder: Int) -> AudioPacketTableInfo {
        AudioPacketTableInfo(validFrameCount: valid, primingFrameCount: priming, remainderFrameCount: remainder)
    }

    @Test func withoutEditsAllIsAudible() {
        #expect(table { _ in } == info(40_960, 0, 0))
        #expect(table { $0.lastDuration = 24 } == info(39_960, 0, 1_000))
    }

    @Test func editsSayWhereTheSongBeginsAndEnds() {
        #expect(table { $0.edits = [(0, 2_112)] } == info(40_960 - 2_112, 2_112, 0))
        // 500 ms.
        #expect(table { $0.edits = [(500, 1_024)] } == info(22_050, 1_024, 40_960 - 1_024 - 22_050))
        // Silence in front is for a picture.
        #expect(table { $0.edits = [(700, -1), (500, 1_024)] } == info(22_050, 1_024, 40_960 - 1_024 - 22_050))
        // To the thousandth of a second where the media end: these say it better.
        #expect(table { $0.edits = [(905, 1_024)] } == info(39_936, 1_024, 0))
        #expect(table { $0.edits = [(99_999, 1_024)] } == info(39_936, 1_024, 0))
    }

    @Test(arguments: [[(9, -1), (100, 1_024), (9, -1)], [(9, -1), (9, -1)]] as [[(UInt32, Int32)]])
    func silenceAroundTheSongIsNoProblem(edits: [(UInt32, Int32)]) {
        var writer = writer
        writer.edits = edits
        #expect(parse(writer.file()).reportedProblems == [])
    }

    @Test func editsOfNonsenseAreHarmless() {
        #expect(table { $0.edits = [(5, .max)] } == info(0, 40_960, 0))
        #expect(table { $0.edits = [(5, -7)] } == info(40_960, 0, 0))
        #expect(
            table {
                $0.edits = [(5, 1_024)]
                $0.movieTimescale = 0
            } == info(39_936, 1_024, 0))
    }

    /// In fragments, too, what lies behind the last edit is not heard; but an end that the beginning had is none.
    @Test func editsOfFragmentsEndWhereTheySay() {
        func table(_ duration: UInt32, described: Int = 0) -> AudioPacketTableInfo? {
            var writer = writer
            writer.edits = [(duration, 1_024)]
            let file = writer.fragmented(packetsPerFragment: 8, described: described)
            let stream = parse(file)
            #expect(stream.packetBytes == writer.packets && stream.reportedProblems == [])
            #expect(splitThatDiffers(file, from: stream) == nil)
            let isAnnounced = stream.announcedTable?.validFrameCount == stream.table?.validFrameCount
            #expect(isAnnounced == (stream.table?.remainderFrameCount != 0))
            return stream.table
        }
        // 500 ms; to the end, as nothing says and as a number beyond it says.
        #expect(table(500) == info(22_050, 1_024, 40_960 - 1_024 - 22_050))
        #expect(table(0) == info(39_936, 1_024, 0))
        #expect(table(5_000) == info(39_936, 1_024, 0))
        // Of 10 packets in front, 232 ms, with the priming and without, and of more than those.
        #expect(table(232, described: 10) == info(39_936, 1_024, 0))
        #expect(table(209, described: 10) == info(39_936, 1_024, 0))
        #expect(table(500, described: 10) == info(22_050, 1_024, 40_960 - 1_024 - 22_050))
    }

    @Test func timesInOtherUnitsThanFrames() {
        var writer = writer
        writer.timescale = 90_000
        writer.duration = 2_090
        writer.edits = [(0, 4_180)]
        let stream = parse(writer.file())
        // The codec says how long packets are, the times where the song begins and ends.
        #expect(stream.packets.allSatisfy { $0.frameCount == 1_024 })
        #expect(stream.table == info(40_960 - 2_048, 2_048, 0))
    }

    @Test func gaplessTagOfITunesWins() {
        let tag = custom("iTunSMPB", " 00000000 00000840 000001C0 0000000000009600 00000000 00000000")
        // The second list is not followed, but the tag is.
        for edits in [[(0, 1_024)], [(200, 1_024), (300, 20_000)]] as [[(UInt32, Int32)]] {
            #expect(
                table {
                    $0.edits = edits
                    $0.userData = Self.list(tag)
                } == info(0x9600, 0x840, 0x1C0))
        }
        let nonsense = custom("iTunSMPB", " 00000000 7FFFFFFF 000001C0 0000000000009600")
        #expect(table { $0.userData = Self.list(nonsense) } == info(40_960, 0, 0))
    }

    @Test func gaplessTagInFramesOfTheCore() {
        // 40 packets of 1,024 frames of the core are 81,920 of HE-AAC.
        let tag = custom("iTunSMPB", " 00000000 00000840 000001C0 0000000000009600")
        #expect(
            table {
                $0.sampleEntry = MPEG4Writer.aac([0x2B, 0x92, 0x08, 0x00])
                $0.userData = Self.list(tag)
            } == info(2 * 0x9600, 2 * 0x840, 2 * 0x1C0))
    }

    // MARK: Tags

    private static func list(_ items: [UInt8], isQuickTime: Bool = false) -> [UInt8] {
        let handler = MPEG4Writer.fullBox("hdlr", MPEG4Writer.numbers([0]) + Array("mdirappl".utf8) + [0, 0, 0, 0])
        let body = handler + MPEG4Writer.box("ilst", items)
        return isQuickTime ? MPEG4Writer.box("meta", body) : MPEG4Writer.fullBox("meta", body)
    }

    private func item(_ type: String, _ value: [UInt8], kind: UInt32 = 1) -> [UInt8] {
        MPEG4Writer.box(type, MPEG4Writer.box("data", MPEG4Writer.numbers([kind, 0]) + value))
    }

    private func custom(_ name: String, _ value: String) -> [UInt8] {
        MPEG4Writer.box(
            "----",
            MPEG4Writer.fullBox("mean", Array("com.apple.iTunes".utf8)) + MPEG4Writer.fullBox("name", Array(name.utf8))
                + MPEG4Writer.box("data", MPEG4Writer.numbers([1, 0]) + Array(value.utf8)))
    }

    private func parsed(_ userData: [UInt8]) -> ParsedStream {
        var writer = writer
        writer.userData = userData
        return parse(writer.file())
    }

    @Test(arguments: [false, true])
    func itemsOfITunes(isQuickTime: Bool) {
        let picture = payload(70_000)
        let items =
            item("\u{A9}nam", Array("Tïtle".utf8)) + item("\u{A9}ART", Array("Artist".utf8))
            + item("\u{A9}alb", Array("Album".utf8)) + item("aART", Array("All".utf8))
            + item("\u{A9}wrt", Array("Writer".utf8)) + item("\u{A9}gen", Array("Genre".utf8))
            + item("\u{A9}cmt", Array("Comment".utf8)) + item("\u{A9}day", Array("1999-05-01T00:00:00Z".utf8))
            + item("trkn", [0, 0, 0, 3, 0, 12, 0, 0], kind: 0) + item("disk", [0, 0, 0, 1, 0, 0], kind: 0)
            + item("covr", picture, kind: 13) + item("covr", [1], kind: 13)
            + custom("replaygain_track_gain", "-6.20 dB") + custom("REPLAYGAIN_TRACK_PEAK", "0.98")
            + item("sonm", Array("Title, A".utf8)) + item("soar", Array("Artist, An".utf8))
            + item("soal", Array("Album, The".utf8)) + custom("ALBUMARTISTSORT", "All, The")
            + item("soaa", Array("Later".utf8))
        let stream = parsed(Self.list(items, isQuickTime: isQuickTime))
        let expected: [AudioInfoKey: String] = [
            .title: "Tïtle", .artist: "Artist", .album: "Album", .albumArtist: "All", .composer: "Writer",
            .genre: "Genre", .comment: "Comment", .year: "1999", .track: "3/12", .disc: "1", .trackGain: "-6.20 dB",
            .trackPeak: "0.98", .titleSort: "Title, A", .artistSort: "Artist, An", .albumSort: "Album, The",
            .albumArtistSort: "All, The",
        ]
        for (key, text) in expected { #expect(stream.info(key) == text) }
        let pictures = stream.properties.compactMap { if case .artwork(let bytes) = $0 { bytes } else { nil } }
        #expect(pictures == [picture])
    }

    @Test(
        arguments: [
            ([1], 21, "1"), ([0], 21, "0"), ([1], 0, "1"), ([0, 1], 21, "1"), ([0, 0, 0, 0], 21, "0"), ([], 21, nil),
            (Array(repeating: 1, count: 9), 21, nil),
        ] as [([UInt8], UInt32, String?)])
    func flagOfACompilation(value: [UInt8], kind: UInt32, text: String?) {
        let stream = parsed(Self.list(item("cpil", value, kind: kind) + item("\u{A9}nam", Array("After".utf8))))
        #expect(stream.info(.compilation) == text && stream.info(.title) == "After")
    }

    @Test func textsOf3GPPAndQuickTime() {
        let title = MPEG4Writer.fullBox("titl", [0x15, 0xC7] + Array("Title".utf8) + [0])
        let artist = MPEG4Writer.fullBox("perf", [0x15, 0xC7, 0xFE, 0xFF, 0x01, 0x60, 0, 0])
        let year = MPEG4Writer.fullBox("yrrc", [0x07, 0xCF])
        let album = MPEG4Writer.box("\u{A9}alb", [0, 5, 0, 0] + Array("Album".utf8) + [9, 9])
        let stream = parsed(title + artist + year + album + [0, 0, 0, 0])
        #expect(stream.info(.title) == "Title")
        #expect(stream.info(.artist) == "Š")
        #expect(stream.info(.year) == "1999")
        #expect(stream.info(.album) == "Album")
    }

    @Test func namedItemsOfQuickTime() {
        func key(_ name: String) -> [UInt8] { MPEG4Writer.box("mdta", Array(name.utf8)) }
        let keys = MPEG4Writer.fullBox(
            "keys", MPEG4Writer.numbers([3]) + key("com.apple.quicktime.title") + key("artist") + key("compilation"))
        let items =
            item("\0\0\0\u{1}", Array("Title".utf8)) + item("\0\0\0\u{2}", Array("Artist".utf8))
            + item("\0\0\0\u{3}", Array("1".utf8))
        var writer = writer
        let handler = MPEG4Writer.fullBox("hdlr", MPEG4Writer.numbers([0]) + Array("mdta".utf8) + [0, 0, 0, 0])
        writer.movieBoxes = MPEG4Writer.box("meta", handler + keys + MPEG4Writer.box("ilst", items))
        let stream = parse(writer.file())
        #expect(stream.info(.title) == "Title")
        #expect(stream.info(.artist) == "Artist" && stream.info(.compilation) == "1")
    }
}
