import AudioCore
import StreamTestKit
import Testing

@testable import Songs

/// Lists that are written are read as what they were.
@Suite(.timeLimit(.minutes(5)))
struct PlaylistWritingTests {
    private func text(_ addresses: [String], relativeTo directory: String? = nil) -> String {
        Playlist.m3u8(addresses.map { PlaylistSong(address: $0, title: "t") }, relativeTo: directory)
    }

    private func lines(_ addresses: [String], relativeTo directory: String? = nil) -> [String] {
        text(addresses, relativeTo: directory).split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#E") }
    }

    @Test func theForm() {
        let songs = [
            PlaylistSong(address: "/m/a.mp3", title: "Artist - One\nTwo", duration: .milliseconds(123_600)),
            PlaylistSong(address: "http://radio.example/a", title: "a"),
        ]
        #expect(
            Playlist.m3u8(songs) == """
                #EXTM3U
                #EXTINF:124,Artist - One Two
                /m/a.mp3
                #EXTINF:-1,a
                http://radio.example/a

                """)
        #expect(Playlist.m3u8([]) == "#EXTM3U\n")
    }

    @Test func whatIsAddedToStaysAsItIs() {
        let songs = [PlaylistSong(address: "/a", title: "t")]
        func added(_ list: [UInt8]) -> String { String(decoding: Playlist.appending(songs, to: list), as: UTF8.self) }
        #expect(added([]) == Playlist.m3u8(songs))
        for (old, end) in [
            ("#x\nb\n", ""), ("b\r\n", ""), ("b\r", ""), ("b", "\n"), ("\u{FEFF}#EXTM3U\n#EXTINF:5,", "\n"),
        ] {
            #expect(Array(added(Array(old.utf8)).utf8) == Array((old + end + "#EXTINF:-1,t\n/a\n").utf8))
        }
        #expect(added([0x46, 0xFC, 0x72, 0x0A]) == "Für\n#EXTINF:-1,t\n/a\n", "one file has one encoding")
    }

    @Test func songsBelowTheDirectoryAreNamedFromThere() {
        let paths = ["/m/a.mp3", "/m/cd/b.mp3", "/mm/c.mp3", "/d.mp3", "/m", "/m/#e.mp3", "/m/http://f", "/m/-"]
        #expect(
            lines(paths, relativeTo: "/m")
                == ["a.mp3", "cd/b.mp3", "/mm/c.mp3", "/d.mp3", "/m", "./#e.mp3", "./http://f", "./-"])
        #expect(lines(["/a.mp3"], relativeTo: "/") == ["a.mp3"])
    }

    @Test func whatIsNoLineIsAURL() {
        #expect(lines(["/m/a\nb.mp3"]) == ["file:///m/a%0Ab.mp3"])
        #expect(lines(["/m/ä .mp3 "]) == ["file:///m/%C3%A4%20.mp3%20"])
        #expect(lines(["/m/a\rb"], relativeTo: "/m") == ["file:///m/a%0Db"])
    }

    /// Whatever a path holds, it comes back byte by byte, from the list's directory or from the root.
    @Test func everyPathComesBack() throws {
        let pieces = [
            "a", "#", " ", "\n", "\r", "\t", "\u{2028}", "\u{85}", "%", "%41", "ä", "a\u{308}", "file:", "http:", "-",
            "\u{FEFF}", "=", "\u{B}", "//", "😀",
        ]
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<2_000 {
            let name = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &generator)]
            }.joined()
            for directory in [nil, "/m"] as [String?] {
                let path = "/m/\(name)x"
                let entries = Playlist(Array(text([path], relativeTo: directory).utf8), kind: .m3u).entries
                let entry = try #require(entries.first)
                guard entries.count == 1, case .file(let read) = try SongAddress(entry) else {
                    Issue.record("\(path.debugDescription) became \(entries)")
                    continue
                }
                let whole = FileName.join("/m", read.hasPrefix("./") ? String(read.dropFirst(2)) : read)
                #expect(Array(whole.utf8) == Array(path.utf8), "\(entry.debugDescription)")
            }
        }
    }
}
