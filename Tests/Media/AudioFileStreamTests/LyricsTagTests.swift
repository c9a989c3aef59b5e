import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Lyrics in the tags of all containers, as they are given to a sink that wants them.
@Suite(.timeLimit(.minutes(5)))
struct LyricsTagTests {
    private let frames = MPEGWriter().frames(5)

    private func stream(_ bytes: [UInt8]) -> ParsedStream {
        let stream = parse(bytes)
        #expect(stream.failure == nil)
        #expect(splitThatDiffers(bytes, from: stream) == nil)
        return stream
    }

    /// A tag around MPEG frames: identifiers of 2.2 and later, and bodies.
    private func lyrics(
        _ majorVersion: UInt8, _ fields: [(String, String, [UInt8])], isUnsynchronised: Bool = false
    ) -> [AudioStreamLyrics] {
        var tag = ID3v2Writer(majorVersion: majorVersion)
        tag.isUnsynchronised = isUnsynchronised
        for (short, long, body) in fields { tag.add(majorVersion == 2 ? short : long, body) }
        tag.add(majorVersion == 2 ? "TT2" : "TIT2", [0] + Array("After".utf8))
        let stream = stream(tag.bytes + frames.joined())
        #expect(stream.packetBytes == frames)
        #expect(stream.info(.title) == "After")
        return stream.lyrics
    }

    /// Text in one of ID3's encodings, with a byte order mark in the second.
    private static func text(_ text: String, encoding: UInt8, isMarked: Bool = true) -> [UInt8] {
        switch encoding {
        case 0: text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        case 1:
            (isMarked ? [0xFF, 0xFE] : []) + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] as [UInt8] }
        case 2: text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] as [UInt8] }
        default: Array(text.utf8)
        }
    }

    private static func plain(_ words: String, language: String = "eng", encoding: UInt8 = 0) -> [UInt8] {
        [encoding] + Array(language.utf8) + text("About\0", encoding: encoding) + text(words, encoding: encoding)
    }

    private static func timed(
        _ pieces: [(String, UInt32)], unit: UInt8 = 2, kind: UInt8 = 1, encoding: UInt8 = 0, isMarked: Bool = true
    ) -> [UInt8] {
        var body: [UInt8] = [encoding] + Array("eng".utf8) + [unit, kind] + text("About\0", encoding: encoding)
        for (piece, time) in pieces {
            body += text(piece + "\0", encoding: encoding, isMarked: isMarked)
            body.append(bigEndian: time)
        }
        return body
    }

    private func lines(_ lines: [(String, Int64)]) -> [AudioStreamLyrics] {
        [.timed(lines.map { AudioStreamLyrics.Line(time: .milliseconds($0.1), text: $0.0) })]
    }

    // MARK: ID3

    @Test(arguments: [2, 3, 4] as [UInt8], [0, 1, 2, 3] as [UInt8])
    func plainLyrics(majorVersion: UInt8, encoding: UInt8) {
        let words = "Für dich\nund mich" + (encoding == 0 ? "" : " ♪")
        #expect(lyrics(majorVersion, [("ULT", "USLT", Self.plain(words, encoding: encoding))]) == [.text(words)])
    }

    @Test(arguments: [2, 3, 4] as [UInt8], [0, 1, 2, 3] as [UInt8])
    func timedLines(majorVersion: UInt8, encoding: UInt8) {
        let body = Self.timed([("Für dich", 1_000), ("", 2_500), ("und mich", 70_000)], encoding: encoding)
        #expect(
            lyrics(majorVersion, [("SLT", "SYLT", body)])
                == lines([("Für dich", 1_000), ("", 2_500), ("und mich", 70_000)]))
    }

    @Test func byteOrderMarkInFrontOfTheDescriptionOnly() {
        let body = Self.timed([("Für", 5)], encoding: 1, isMarked: false)
        #expect(lyrics(3, [("SLT", "SYLT", body)]) == lines([("Für", 5)]))
        // Big-endian, though the encoding says that the mark decides.
        var other = Self.timed([("Für", 5)], encoding: 2)
        other[0] = 1
        other.insert(contentsOf: [0xFE, 0xFF], at: 6)
        #expect(lyrics(3, [("SLT", "SYLT", other)]) == lines([("Für", 5)]))
    }

    @Test func syllablesAreJoinedToLines() {
        let pieces: [(String, UInt32)] = [
            ("Strang", 100), ("ers", 200), (" in", 300), ("\nEx", 1_000), ("chang", 1_100), ("ing\r\n", 1_200),
            ("glances", 2_000), ("\n", 2_500), ("won", 3_000),
        ]
        #expect(
            lyrics(4, [("SLT", "SYLT", Self.timed(pieces))])
                == lines([("Strangers in", 100), ("Exchanging", 1_000), ("glances", 2_000), ("won", 3_000)]))
    }

    @Test func firstOfSeveralLanguagesCounts() {
        #expect(
            lyrics(
                3,
                [
                    ("ULT", "USLT", Self.plain("", language: "fra")), ("ULT", "USLT", Self.plain("One")),
                    ("ULT", "USLT", Self.plain("Eins", language: "deu")), ("SLT", "SYLT", Self.timed([("A", 1)])),
                    ("SLT", "SYLT", Self.timed([("B", 1)])),
                ]) == [.text("One")] + lines([("A", 1)]))
    }

    @Test func timesInFramesAndOtherKindsAreNotTaken() {
        #expect(lyrics(3, [("SLT", "SYLT", Self.timed([("A", 7), ("B", 8)], unit: 1))]) == [.text("A\nB")])
        #expect(lyrics(3, [("SLT", "SYLT", Self.timed([("Am", 7)], kind: 5))]) == [])
        #expect(lyrics(3, [("SLT", "SYLT", Self.timed([("A", 7)], kind: 2))]) == lines([("A", 7)]))
    }

    @Test func framesThatAreCutShortAreHarmless() {
        let whole = Self.timed([("One", 1_000), ("Two", 2_000)], encoding: 1)
        for count in 1..<whole.count {
            let found = lyrics(3, [("SLT", "SYLT", Array(whole.prefix(count)))])
            #expect(found == [] || found == lines([("One", 1_000)]))
        }
        for count in 1...4 { #expect(lyrics(3, [("ULT", "USLT", Array(Self.plain("").prefix(count)))]) == []) }
        #expect(lyrics(3, [("ULT", "USLT", [4] + Self.plain("One").dropFirst())]) == [])
    }

    @Test(arguments: [2, 3, 4] as [UInt8])
    func longLyricsHaveTheirOwnLimit(majorVersion: UInt8) {
        let head = Self.plain("").count
        let words = String(repeating: "ÿ", count: Limits.lyricsByteCount - head)
        for isUnsynchronised in [false, true] {
            // What is inserted counts for 2.4.
            let text = isUnsynchronised ? String(words.prefix(30_000)) : words
            #expect(
                lyrics(majorVersion, [("ULT", "USLT", Self.plain(text))], isUnsynchronised: isUnsynchronised)
                    == [.text(text)])
        }
        #expect(lyrics(majorVersion, [("ULT", "USLT", Self.plain(words + "a"))]) == [])
    }

    // MARK: Other tags

    private let words = "[00:01.00]One\n[00:02.00]Two"

    @Test func itemsOfAPETags() {
        let tag = apeTag([
            ("Title", "T"), ("Lyrics", words), ("LYRICS", "later"), ("UNSYNCEDLYRICS", ""), ("Artist", "A"),
        ])
        for bytes in [frames.joined() + tag, tag + frames.joined()] {
            let stream = stream(bytes)
            #expect(stream.lyrics == [.text(words)])
            #expect(stream.info(.artist) == "A")
        }
        #expect(parseAtHand(Array(frames.joined()) + tag, piece: 4_096).lyrics.contains(.text(words)))
        let long = apeTag([("Lyrics", String(repeating: "x", count: Limits.lyricsByteCount + 1)), ("Title", "T")])
        let stream = stream(frames.joined() + long)
        #expect(stream.lyrics == [])
        #expect(stream.info(.title) == "T")
    }

    /// Short fields, and long ones, whose names are read first.
    @Test(arguments: [100, 5_000, Limits.lyricsByteCount])
    func fieldsOfVorbisComments(byteCount: Int) {
        func words(_ letter: String) -> String { String(repeating: letter, count: byteCount) }
        let fields = [
            "TITLE=T", "UnsyncedLyrics=" + words("a"), "LYRICS=" + words("b"), "lyrics=" + words("c"),
            "SYNCEDLYRICS=" + words("d"), "LYRICS =" + words("e"), "ARTIST=A",
        ]
        let expected: [AudioStreamLyrics] = [.text(words("a")), .text(words("b")), .text(words("d"))]
        var opus = OpusWriter()
        opus.comments = fields
        var vorbis = VorbisWriter()
        vorbis.comments = fields
        var ogg = vorbis.writerWithHeaders()
        ogg.add((0..<4).map { (vorbis.packet(isLong: false, seed: UInt64($0)), Int64($0) * 128) })
        let flac = FLACWriter()
        let blocks: [(type: UInt8, body: [UInt8])] = [(4, vorbisComments(fields))]
        for file in [
            opus.file(packets: 3).bytes, ogg.bytes, flac.file(blocks: blocks, frames: flac.frames(blockSizes: [4_096])),
        ] {
            let stream = parse(file)
            #expect(stream.lyrics == expected)
            #expect(stream.info(.title) == "T")
            #expect(stream.info(.artist) == "A")
            // A block's findings come together, texts first: in pieces some come before the others.
            let pieced = parse(file, with: AudioFileStream(), pieces: repeatElement(997, count: .max))
            #expect(pieced.lyrics == expected && pieced.failure == nil && pieced.events.count == stream.events.count)
            #expect(
                pieced.info(.title) == "T" && pieced.info(.artist) == "A"
                    && pieced.packets.count == stream.packets.count)
        }
    }

    @Test func tooLongCommentIsPassedOver() {
        var opus = OpusWriter()
        opus.comments = ["LYRICS=" + String(repeating: "x", count: Limits.lyricsByteCount + 1), "LYRICS=", "TITLE=T"]
        let stream = stream(opus.file(packets: 3).bytes)
        #expect(stream.lyrics == [])
        #expect(stream.info(.title) == "T")
    }

    @Test func itemOfMPEG4() {
        func item(_ type: String, _ value: [UInt8], kind: UInt32 = 1) -> [UInt8] {
            MPEG4Writer.box(type, MPEG4Writer.box("data", MPEG4Writer.numbers([kind, 0]) + value))
        }
        func file(_ items: [UInt8]) -> [UInt8] {
            var writer = MPEG4Writer()
            writer.packets = (0..<8).map { payload(100, seed: UInt64($0)) }
            let handler = MPEG4Writer.fullBox("hdlr", MPEG4Writer.numbers([0]) + Array("mdirappl".utf8) + [0])
            writer.userData = MPEG4Writer.fullBox("meta", handler + MPEG4Writer.box("ilst", items))
            return writer.file()
        }
        let long = String(repeating: "ü", count: Limits.lyricsByteCount / 2)
        for text in ["One\rTwo", long] {
            let bytes = file(
                item("\u{A9}lyr", Array(text.utf8)) + item("\u{A9}lyr", [0x41]) + item("\u{A9}nam", [0x54]))
            let stream = parse(bytes)
            #expect(stream.lyrics == [.text(text)])
            #expect(stream.info(.title) == "T")
            #expect(parse(bytes, with: AudioFileStream(), pieces: repeatElement(997, count: .max)) == stream)
        }
        #expect(parse(file(item("\u{A9}lyr", Array((long + "a").utf8)))).lyrics == [])
        #expect(parse(file(item("\u{A9}lyr", [0, 0x46, 0, 0xFC], kind: 2))).lyrics == [.text("Fü")])
        #expect(parse(file(item("\u{A9}lyr", []))).lyrics == [])
    }

    /// What keeps properties keeps no lyrics.
    @Test func areNoProperty() throws {
        var tag = ID3v2Writer(majorVersion: 3)
        tag.add("USLT", Self.plain("One"))
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        let bytes = tag.bytes + frames.joined()
        try parser.parse(bytes.span.bytes, discontinuity: false, into: &recorder)
        try parser.finish(into: &recorder)
        #expect(recorder.events.contains(.lyrics(.text("One"))))
        #expect(!"\(parser.summary)".contains("One"))
    }
}
