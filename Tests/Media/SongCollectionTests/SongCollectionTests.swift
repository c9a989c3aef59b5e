import Glibc
import Songs
import StreamTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SongCollectionTests {
    private final class SongFolder {
        let directory = TemporaryDirectory()

        func path(_ name: String) -> String { name.isEmpty ? directory.path : directory.path + "/" + name }

        func put(_ name: String, _ bytes: [UInt8] = [1]) throws { try Tool.writeFile(path(name), bytes) }

        /// An MP3 with tags.
        func song(_ name: String, album: String? = nil, disc: String? = nil, track: String? = nil) throws {
            var tag = ID3v2Writer(majorVersion: 3)
            for (id, text) in [("TALB", album), ("TPOS", disc), ("TRCK", track)] {
                if let text { tag.add(id, [0] + Array(text.utf8)) }
            }
            try put(name, tag.bytes + MPEGWriter().frames(4).flatMap { $0 })
        }

        func folder(_ name: String) { mkdir(path(name), 0o755) }

        func link(_ name: String, to target: String) { symlink(target, path(name)) }

        /// Names relative to the folder.
        func find(_ names: [String]) throws(SongFailure) -> (songs: [String], problems: [String]) {
            let collection = try SongCollection(names.map { path($0) })
            func short(_ text: String) -> String {
                var rest = text[...]
                var out = ""
                while let range = rest.firstRange(of: directory.path) {
                    out += rest[..<range.lowerBound]
                    rest = rest[range.upperBound...]
                    if rest.first == "/" { rest.removeFirst() }
                }
                return out + rest
            }
            return (collection.songs.map(short), collection.problems.map(short))
        }
    }

    @Test func aFileIsItselfWhateverItIs() throws {
        let songFolder = SongFolder()
        try songFolder.put("text.txt")
        mkfifo(songFolder.path("pipe"), 0o644)
        let found = try songFolder.find(["text.txt", "none.mp3", "pipe", "text.txt"])
        #expect(found.songs == ["text.txt", "none.mp3", "pipe", "text.txt"])
        #expect(found.problems.isEmpty)
    }

    @Test func aDirectoryHoldsSongsByTagsAndThenDirectoriesByName() throws {
        let songFolder = SongFolder()
        for name in ["CD 10", "CD 2", ".hidden", "Scans"] { songFolder.folder(name) }
        try songFolder.song("b.mp3", album: "Album", track: "1")
        try songFolder.song("A.MP3", album: "Album", track: "2/2")
        try songFolder.song("c.mp3")
        try songFolder.put("cover.jpg")
        try songFolder.put("list.m3u", Array("c.mp3\n".utf8))
        try songFolder.put(".mp3")
        try songFolder.put(".d.mp3")
        try songFolder.song("CD 10/x.mp3")
        try songFolder.song("CD 2/y2.mp3")
        try songFolder.song("CD 2/y10.mp3")
        try songFolder.song(".hidden/z.mp3")
        mkfifo(songFolder.path("pipe.mp3"), 0o644)
        let found = try songFolder.find([""])
        #expect(found.songs == ["b.mp3", "A.MP3", "c.mp3", "CD 2/y2.mp3", "CD 2/y10.mp3", "CD 10/x.mp3"])
        #expect(found.problems.isEmpty)
    }

    @Test func aPlaylistNamesFilesDirectoriesAndPlaylists() throws {
        let songFolder = SongFolder()
        for name in ["Lists", "Album"] { songFolder.folder(name) }
        try songFolder.song("Album/1.mp3")
        try songFolder.song("Album/2.mp3")
        try songFolder.song("s.mp3")
        let absolute = songFolder.path("s.mp3")
        try songFolder.put(
            "Lists/a.m3u8",
            Array("#EXTM3U\n../Album\n\(absolute)\nb.pls\nfile://\(absolute)\nhttp://x/y.mp3\nftp://x/y\n-\n".utf8))
        try songFolder.put("Lists/b.pls", Array("[playlist]\nFile1=../Album/2.mp3\nFile2=gone.mp3\n".utf8))
        let found = try songFolder.find(["Lists/a.m3u8"])
        #expect(
            found.songs == [
                "Lists/../Album/1.mp3", "Lists/../Album/2.mp3", "s.mp3", "Lists/../Album/2.mp3", "Lists/gone.mp3",
                "s.mp3", "http://x/y.mp3", "Lists/-",
            ])
        #expect(found.problems == ["'Lists/a.m3u8' names 'ftp://x/y': \(Self.foreignScheme)"])
    }

    @Test func whatIsInsideItselfIsEnteredOnce() throws {
        let songFolder = SongFolder()
        songFolder.folder("d")
        try songFolder.song("d/1.mp3")
        songFolder.link("d/loop", to: ".")
        songFolder.link("d/up", to: "..")
        try songFolder.put("l.m3u", Array("l.m3u\nd\nl.m3u\n".utf8))
        #expect(try songFolder.find(["d"]).songs == ["d/1.mp3"])
        #expect(try songFolder.find(["l.m3u"]).songs == ["d/1.mp3"])
        // By two ways that are no circle it is there twice.
        #expect(try songFolder.find(["d", "d"]).songs == ["d/1.mp3", "d/1.mp3"])
    }

    @Test func whatHoldsNoSongsSaysSo() throws {
        let songFolder = SongFolder()
        songFolder.folder("empty")
        songFolder.folder("empty/below")
        try songFolder.put("empty/cover.jpg")
        try songFolder.put("l.m3u", Array("#EXTM3U\n".utf8))
        try songFolder.put("nothing.m3u", [])
        try songFolder.put("web.m3u", Array("ftp://x/y\n".utf8))
        func failure(_ name: String) -> SongFailure? {
            do throws(SongFailure) { _ = try songFolder.find([name]) } catch { return error }
            return nil
        }
        let at = { (name: String) in "'\(songFolder.path(name))'" }
        #expect(
            failure("empty")
                == SongFailure(
                    .missing,
                    "\(at("empty")) holds no songs, nor do its subdirectories; name another directory, or a song"))
        for name in ["l.m3u", "nothing.m3u"] {
            #expect(
                failure(name)
                    == SongFailure(
                        .missing,
                        "\(at(name)) names no songs; a playlist has a path on each line (M3U) or File1=... (PLS)"))
        }
        #expect(
            failure("web.m3u")
                == SongFailure(.missing, "\(at("web.m3u")) names 'ftp://x/y': \(Self.foreignScheme)"))
    }

    private static let foreignScheme = "ftp URLs cannot be played; files, http and https URLs can"

    @Test func whatIsNoFileIsTakenAsItIs() throws {
        let names = ["-", "http://x/y.mp3", "HTTPS://x:8000/"]
        #expect(try SongCollection(names).songs == names)
        #expect(try SongCollection(["file:///none%20.mp3"]).songs == ["/none .mp3"])
        #expect(throws: SongFailure(.missing, "'ftp://x/y': \(Self.foreignScheme)")) {
            try SongCollection(["ftp://x/y"])
        }
    }

    /// What was passed over before is not to blame.
    @Test func eachThatHoldsNoSongsSaysItsOwn() throws {
        let songFolder = SongFolder()
        songFolder.folder("empty")
        try songFolder.song("s.mp3")
        try songFolder.put("l.m3u", Array("s.mp3\nftp://x/y\n".utf8))
        let text =
            "'\(songFolder.path("empty"))' holds no songs, nor do its subdirectories; name another directory, or a song"
        #expect(throws: SongFailure(.missing, text)) { try songFolder.find(["l.m3u", "empty"]) }
    }

    /// Twelve directories with links to each other: more ways through them than could ever be gone.
    @Test func linksInAllDirectionsComeToAnEnd() throws {
        let songFolder = SongFolder()
        let names = (0..<12).map { "d\($0)" }
        for name in names { songFolder.folder(name) }
        for name in names {
            for other in names { songFolder.link("\(name)/\(other)", to: "../\(other)") }
        }
        #expect(throws: SongFailure.self) { try songFolder.find(["d0"]) }
    }

    @Test func whatIsTooLargeForAListIsNotRead() throws {
        let songFolder = SongFolder()
        try songFolder.put("big.m3u", [UInt8](repeating: 0x41, count: Playlist.byteCountLimit + 1))
        #expect(throws: SongFailure.self) { try songFolder.find(["big.m3u"]) }
        // Inside another it is passed over.
        try songFolder.song("s.mp3")
        try songFolder.put("l.m3u", Array("big.m3u\ns.mp3\n".utf8))
        let found = try songFolder.find(["l.m3u"])
        #expect(found.songs == ["s.mp3"] && found.problems.count == 1)
    }

    @Test func namesThatAreNoUTF8AreToldOf() throws {
        let songFolder = SongFolder()
        try songFolder.song("s.mp3")
        var name =
            Array((songFolder.directory.path + "/x").utf8CString.dropLast()).map { UInt8(bitPattern: $0) } + [0xFF, 0]
        name.withUnsafeMutableBytes { bytes in
            _ = close(open(bytes.assumingMemoryBound(to: CChar.self).baseAddress!, O_CREAT | O_WRONLY, 0o644))
        }
        let found = try songFolder.find([""])
        #expect(found.songs == ["s.mp3"])
        #expect(found.problems == ["'' holds 1 names that are not UTF-8: passed over"])
    }

    @Test func whatIsTooManyIsToldWithoutItsPassword() throws {
        let songFolder = SongFolder()
        let lines = String(repeating: "http://me:secret@host/a\n", count: SongCollection.countLimit + 1)
        try songFolder.put("list.m3u", Array(lines.utf8))
        let found = try songFolder.find(["list.m3u"])
        #expect(found.songs.count == SongCollection.countLimit)
        #expect(found.problems == ["'http://host/a' is one song too many"])
    }

    @Test func whoStopsGetsWhatWasFound() throws {
        let songFolder = SongFolder()
        for number in 1...9 { try songFolder.song("\(number).mp3") }
        var asked = 0
        let collection = try SongCollection([songFolder.path("")]) {
            asked += 1
            return asked > 4
        }
        #expect(collection.songs.isEmpty && asked < 9)
    }
}
