import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// What tags around frames say beyond title, artist, album, track and year.
@Suite(.timeLimit(.minutes(5)))
struct TagFieldTests {
    private let frames = MPEGWriter().frames(5)
    private var audio: [UInt8] { frames.flatMap { $0 } }

    /// A tag around the frames: identifiers of 2.2 and later, and bodies.
    private func stream(_ majorVersion: UInt8, _ fields: [(String, String, [UInt8])], isUnsynchronised: Bool = false)
        -> ParsedStream
    {
        var tag = ID3v2Writer(majorVersion: majorVersion)
        tag.isUnsynchronised = isUnsynchronised
        for (short, long, body) in fields { tag.add(majorVersion == 2 ? short : long, body) }
        let bytes = tag.bytes + audio
        let stream = parse(bytes)
        #expect(stream.packetBytes == frames)
        #expect(splitThatDiffers(bytes, from: stream) == nil)
        return stream
    }

    private func utf16(_ text: String) -> [UInt8] { text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }

    @Test(arguments: [2, 3, 4] as [UInt8])
    func textFrames(majorVersion: UInt8) {
        let stream = stream(
            majorVersion,
            [
                ("TP2", "TPE2", [0] + Array("Various".utf8)),
                ("TCM", "TCOM", [0] + Array("Fauré".unicodeScalars.map { UInt8($0.value) })),
                ("TPA", "TPOS", [0] + Array("1/2".utf8)), ("TCO", "TCON", [0] + Array("(8)".utf8)),
                ("TXX", "TXXX", [0] + Array("replaygain_track_gain\0-6.20 dB".utf8)),
                ("TXX", "TXXX", [1, 0xFF, 0xFE] + utf16("REPLAYGAIN_ALBUM_PEAK\0") + [0xFF, 0xFE] + utf16("0.98")),
                ("COM", "COMM", [0] + Array("engiTunNORM\0 0000".utf8)),
                ("COM", "COMM", [1] + Array("eng".utf8) + [0xFF, 0xFE, 0, 0, 0xFF, 0xFE] + utf16("Live")),
                ("COM", "COMM", [0] + Array("eng\0Later".utf8)),
                ("TST", "TSOT", [0] + Array("Title, A".utf8)), ("TSP", "TSOP", [0] + Array("Artist, An".utf8)),
                ("TSA", "TSOA", [1, 0xFF, 0xFE] + utf16("Album, The")),
                ("TS2", "TSO2", [0] + Array("All, The".utf8)), ("TCP", "TCMP", [0] + Array("1".utf8)),
            ])
        let sortNames: [AudioInfoKey: String] = [
            .titleSort: "Title, A", .artistSort: "Artist, An", .albumSort: "Album, The", .albumArtistSort: "All, The",
        ]
        for (key, name) in sortNames { #expect(stream.info(key) == name) }
        #expect(stream.info(.albumArtist) == "Various")
        #expect(stream.info(.composer) == "Fauré")
        #expect(stream.info(.disc) == "1/2" && stream.info(.compilation) == "1")
        #expect(stream.info(.genre) == "Jazz")
        #expect(stream.info(.trackGain) == "-6.20 dB")
        #expect(stream.info(.albumPeak) == "0.98")
        #expect(stream.info(.comment) == "Live")
    }

    /// Frames that say themselves what they are: by name, whatever its case; other names say nothing.
    @Test(arguments: [2, 3, 4] as [UInt8])
    func userTextFrames(majorVersion: UInt8) {
        func stream(_ fields: [(String, String)], encoding: UInt8 = 0) -> ParsedStream {
            self.stream(
                majorVersion,
                fields.map { ("TXX", "TXXX", [encoding] + Array("\($0.0)\0\($0.1)".utf8)) }
                    + [("TT2", "TIT2", [0] + Array("After".utf8))])
        }
        let known: [(String, AudioInfoKey, String)] = [
            ("replaygain_track_gain", .trackGain, "-6.20 dB"), ("REPLAYGAIN_TRACK_PEAK", .trackPeak, "0.98"),
            ("Replaygain_Album_Gain", .albumGain, "+1.00 dB"), ("replaygain_album_peak", .albumPeak, "1.02"),
            ("comment", .comment, "Live"), ("ALBUM ARTIST", .albumArtist, "Various"),
            ("Compilation", .compilation, "1"),
        ]
        let all = stream(known.map { ($0.0, $0.2) })
        for (_, key, text) in known { #expect(all.info(key) == text) }
        #expect(all.info(.title) == "After")
        #expect(stream([("ALBUMARTIST", "Various")]).info(.albumArtist) == "Various")
        #expect(stream([("AlbumArtistSort", "Various, The")]).info(.albumArtistSort) == "Various, The")
        // Unknown, without a value, of an unknown encoding, too long: passed over, and the next frame is read.
        let long = String(repeating: "x", count: AudioFileStreamLimits.tagTextByteCount)
        for odd in [
            stream([("MOOD", "calm")]), stream([("comment", "")]), stream([("comment", "Live")], encoding: 4),
            stream([("comment", long)]),
        ] {
            let keys = odd.properties.compactMap { if case .info(let key, _) = $0 { key } else { nil } }
            #expect(keys == [.title])
            #expect(odd.info(.title) == "After")
        }
    }

    @Test(arguments: [
        ("17", "Rock"), ("(17)", "Rock"), ("(17)Hard", "Hard"), ("(51)(39)", "Techno-Industrial"), ("((odd)", "(odd)"),
        ("(RX)", "Remix"), ("Rock", "Rock"), ("(999)", "(999)"), ("(", "("),
    ])
    func genres(text: String, genre: String) {
        #expect(stream(3, [("TCO", "TCON", [0] + Array(text.utf8))]).info(.genre) == genre)
    }

    /// JPEG's start, and bytes that unsynchronisation must take care of.
    private let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0x00] + payload(9_000) + [0xFF]

    @Test(arguments: [2, 3, 4] as [UInt8], [false, true])
    func pictures(majorVersion: UInt8, isUnsynchronised: Bool) {
        func body(_ kind: UInt8, _ picture: [UInt8], encoding: UInt8 = 0) -> [UInt8] {
            let type = majorVersion == 2 ? Array("JPG".utf8) : Array("image/jpeg".utf8) + [0]
            let description: [UInt8] = encoding == 1 ? [0xFF, 0xFE, 0x60, 1, 0, 0] : Array("front".utf8) + [0]
            return [encoding] + type + [kind] + description + picture
        }
        let link = [0] + Array((majorVersion == 2 ? "-->" : "-->\0").utf8) + [3, 0] + Array("http://x/y".utf8)
        let stream = stream(
            majorVersion,
            [
                ("PIC", "APIC", body(1, payload(300))), ("PIC", "APIC", link),
                ("PIC", "APIC", body(3, picture, encoding: 1)), ("PIC", "APIC", body(4, payload(400))),
                ("TT2", "TIT2", [0] + Array("After".utf8)),
            ], isUnsynchronised: isUnsynchronised)
        #expect(stream.artwork == [picture])
        #expect(stream.info(.title) == "After")
    }

    @Test func pictureCutShortIsNone() {
        #expect(stream(3, [("PIC", "APIC", [0] + Array("image/png".utf8))]).artwork == [])
        #expect(stream(3, [("PIC", "APIC", [1, 0, 3, 0x41])]).artwork == [])
        #expect(stream(3, [("PIC", "APIC", [0])]).artwork == [])
    }

    @Test func itemsOfAPETags() {
        let tag = apeTag(
            [
                ("Title", "Pavane"), ("ARTIST", "Fauré"), ("Album Artist", "Various"), ("Track", "3/7"),
                ("Genre", "(8)"), ("Unknown", "x"), ("Comment", ""), ("MP3GAIN_MINMAX", "100,200"),
                ("REPLAYGAIN_TRACK_GAIN", "-3.1 dB"), ("Year", "1999-01-02"),
                ("TitleSort", "Pavane, A"), ("ARTISTSORT", "Fauré, Gabriel"), ("AlbumSort", "Album"),
                ("AlbumArtistSort", "Various, The"), ("Compilation", "1"),
            ], pictures: [("Cover Art (Front)", picture), ("Cover Art (Back)", payload(50))])
        for bytes in [audio + tag, tag + audio] {
            let stream = parse(bytes)
            #expect(stream.packetBytes == frames)
            #expect(stream.info(.title) == "Pavane")
            #expect(stream.info(.artist) == "Fauré")
            #expect(stream.info(.albumArtist) == "Various")
            #expect(stream.info(.titleSort) == "Pavane, A" && stream.info(.artistSort) == "Fauré, Gabriel")
            #expect(stream.info(.albumSort) == "Album" && stream.info(.albumArtistSort) == "Various, The")
            #expect(stream.info(.track) == "3/7" && stream.info(.compilation) == "1")
            #expect(stream.info(.genre) == "Jazz")
            #expect(stream.info(.comment) == nil)
            #expect(stream.info(.trackGain) == "-3.1 dB")
            #expect(stream.info(.year) == "1999")
            #expect(stream.artwork == [picture])
            #expect(splitThatDiffers(bytes, from: stream) == nil)
        }
    }

    @Test func itemsBeyondTheTagAreHarmless() {
        var tag = apeTag([("Title", "Good"), ("Artist", "Bad")])
        tag.put(bigEndian: UInt32(0xFFFF_FF7F), at: 32 + 8 + 6 + 4)
        let stream = parse(audio + tag + id3v1(title: "", artist: "Last", album: "", year: "", track: 0))
        #expect(stream.info(.title) == "Good")
        #expect(stream.info(.artist) == "Last")
        #expect(stream.packetBytes == frames)
    }

    @Test func genreAndCommentOfTheOldTag() {
        let tag = id3v1(title: "T", artist: "", album: "", year: "", track: 3, comment: "Live", genre: 17)
        let stream = parse(audio + tag)
        #expect(stream.info(.comment) == "Live")
        #expect(stream.info(.genre) == "Rock")
        #expect(stream.info(.track) == "3")
        #expect(parse(audio + tag.dropLast() + [255]).info(.genre) == nil)
    }

    @Test func pictureOfSeveralTagsIsGivenOnce() {
        var tag = ID3v2Writer(majorVersion: 3)
        tag.add("APIC", [0] + Array("image/jpeg".utf8) + [0, 3, 0] + picture)
        let bytes = tag.bytes + audio + apeTag([], pictures: [("Cover Art (Front)", payload(50))])
        #expect(parse(bytes).artwork == [picture])
    }

    @Test(arguments: [3, 4])
    func tagsThatFFmpegWrote(version: Int) throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            "ffmpeg -v error -f lavfi -i color=red:s=64x64 -frames:v 1 -c:v mjpeg cover.jpg && "
                + "ffmpeg -v error -f lavfi -i sine=d=1 -i cover.jpg -map 0 -map 1 -c:v copy -c:a libmp3lame "
                + "-id3v2_version \(version) -metadata title=Tïtle -metadata album_artist=Various -metadata genre=Jazz "
                + "-metadata composer=Fauré -metadata compilation=1 -metadata disc=2 -metadata comment=Live -metadata date=1999-05-01 "
                + "-metadata REPLAYGAIN_TRACK_GAIN='-6.20 dB' a.mp3", in: directory)
        let stream = parse(try Tool.readFile(directory.path + "/a.mp3"))
        #expect(stream.artwork == [try Tool.readFile(directory.path + "/cover.jpg")])
        let expected: [AudioInfoKey: String] = [
            .title: "Tïtle", .albumArtist: "Various", .genre: "Jazz", .composer: "Fauré", .disc: "2",
            .compilation: "1", .comment: "Live", .year: "1999", .trackGain: "-6.20 dB",
        ]
        for (key, value) in expected { #expect(stream.info(key) == value) }
    }
}
