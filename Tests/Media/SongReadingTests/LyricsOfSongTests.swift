import AudioCore
import Glibc
import Songs
import StreamTestKit
import Testing

/// Where the lyrics of a song are found.
@Suite(.timeLimit(.minutes(5)))
struct LyricsOfSongTests {
    private let plainWords = "One\nTwo"
    private let timedWords = "[00:01.00]Eins\n[00:02.00]Zwei"

    /// An MP3 with a tag.
    private func song(plain: String? = nil, timed: [(String, UInt32)] = [], pictureByteCount: Int = 0) -> [UInt8] {
        var tag = ID3v2Writer(majorVersion: 3)
        if pictureByteCount > 0 {
            tag.add("APIC", [0] + Array("image/png".utf8) + [0, 3, 0] + payload(pictureByteCount))
        }
        if let plain { tag.add("USLT", [0] + Array("eng\0\(plain)".utf8)) }
        if !timed.isEmpty {
            var body: [UInt8] = [0] + Array("eng".utf8) + [2, 1, 0]
            for (text, time) in timed {
                body += Array(text.utf8) + [0]
                body.append(bigEndian: time)
            }
            tag.add("SYLT", body)
        }
        return tag.bytes + MPEGWriter().frames(20).joined()
    }

    private func lyrics(of song: [UInt8], named name: String = "a.mp3", beside files: [(String, String)] = []) throws
        -> String?
    {
        let directory = TemporaryDirectory()
        try Tool.writeFile(directory.path + "/" + name, song)
        for (name, text) in files { try Tool.writeFile(directory.path + "/" + name, Array(text.utf8)) }
        return Lyrics(ofSong: directory.path + "/" + name)?.lrc
    }

    @Test(arguments: [
        ("a.mp3", "a.lrc"), ("a.mp3", "a.LRC"), ("a.mp3", "a.LrC"), ("a", "a.lrc"), ("a.b.mp3", "a.b.lrc"),
        (".mp3", ".mp3.lrc"),
    ])
    func aFileBesideTheSongWins(name: String, file: String) throws {
        let song = song(plain: plainWords, timed: [("Tag", 5)])
        #expect(try lyrics(of: song, named: name, beside: [(file, timedWords)]) == timedWords + "\n")
    }

    @Test(arguments: ["b.lrc", "a.txt", "a.mp3.lrc", "a.lrc.txt", "A.lrc"])
    func filesOfOtherNamesAreNone(file: String) throws {
        #expect(try lyrics(of: song(plain: plainWords), beside: [(file, timedWords)]) == plainWords + "\n")
        #expect(try lyrics(of: song(), beside: [(file, timedWords)]) == nil)
    }

    @Test func aFileWithoutTextIsNone() throws {
        for text in ["", "[ti:x]\n", "\u{0}"] {
            #expect(try lyrics(of: song(plain: plainWords), beside: [("a.lrc", text)]) == plainWords + "\n")
        }
    }

    @Test func timedTagsGoFirst() throws {
        #expect(try lyrics(of: song(plain: plainWords)) == plainWords + "\n")
        #expect(try lyrics(of: song(plain: plainWords, timed: [("Tag", 50)])) == "[00:00.05]Tag\n")
        #expect(try lyrics(of: song(plain: timedWords)) == timedWords + "\n")
        #expect(try lyrics(of: song()) == nil)
        let tail = apeTag([("Lyrics", timedWords)])
        #expect(try lyrics(of: song(plain: plainWords) + tail) == timedWords + "\n")
        #expect(try lyrics(of: song(pictureByteCount: 3_000_000) + tail) == timedWords + "\n")
    }

    @Test func otherContainers() throws {
        let fields = ["UNSYNCEDLYRICS=\(plainWords)", "SYNCEDLYRICS=\(timedWords)"]
        var opus = OpusWriter()
        opus.comments = fields
        #expect(try lyrics(of: opus.file(packets: 3).bytes, named: "a.opus") == timedWords + "\n")
        let flac = FLACWriter()
        let file = flac.file(blocks: [(4, vorbisComments(fields))], frames: flac.frames(blockSizes: [4_096]))
        #expect(try lyrics(of: file, named: "a.flac") == timedWords + "\n")
        var movie = MPEG4Writer()
        movie.packets = (0..<8).map { payload(100, seed: UInt64($0)) }
        let data = MPEG4Writer.box("data", MPEG4Writer.numbers([1, 0]) + Array(plainWords.utf8))
        let handler = MPEG4Writer.fullBox("hdlr", MPEG4Writer.numbers([0]) + Array("mdirappl".utf8) + [0])
        movie.userData = MPEG4Writer.fullBox(
            "meta", handler + MPEG4Writer.box("ilst", MPEG4Writer.box("\u{A9}lyr", data)))
        for movieFirst in [true, false] {
            #expect(try lyrics(of: movie.file(movieFirst: movieFirst), named: "a.m4a") == plainWords + "\n")
        }
    }

    /// Links could name any text; what is no file must not block.
    @Test func whatIsNoFileDoesNoHarm() throws {
        let directory = TemporaryDirectory()
        let path = directory.path
        for name in ["a", "b", "c", "d", "e"] { try Tool.writeFile("\(path)/\(name).mp3", song(plain: plainWords)) }
        try Tool.writeFile(path + "/secret", Array("secret".utf8))
        #expect(symlink(path + "/secret", path + "/a.lrc") == 0)
        #expect(symlink("/nowhere", path + "/b.lrc") == 0)
        #expect(mkdir(path + "/c.lrc", 0o700) == 0)
        #expect(mkfifo(path + "/d.lrc", 0o600) == 0)
        #expect(symlink("/dev/zero", path + "/e.lrc") == 0)
        for name in ["a", "b", "c", "d", "e"] {
            #expect(Lyrics(ofSong: "\(path)/\(name).mp3")?.lrc == plainWords + "\n")
        }
        // Neither are these songs.
        for name in ["c.lrc", "d.lrc", "nothing.mp3", ""] { #expect(Lyrics(ofSong: "\(path)/\(name)") == nil) }
        #expect(Lyrics(ofSong: "") == nil)
    }

    @Test func aLargeFileIsReadInPart() throws {
        let text = "first\n" + String(repeating: "more words\n", count: 1_000_000)
        let lyrics = try #require(try lyrics(of: song(), beside: [("a.lrc", text)]))
        #expect(lyrics.hasPrefix("first\nmore words\n") && lyrics.utf8.count <= Lyrics.byteCountLimit)
    }
}
