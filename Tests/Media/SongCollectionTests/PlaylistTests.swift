import AudioCore
import StreamTestKit
import Testing

@testable import Songs

@Suite(.timeLimit(.minutes(5)))
struct PlaylistTests {
    private func entries(_ text: String, _ kind: Playlist.Kind) -> [String] {
        Playlist(Array(text.utf8), kind: kind).entries
    }

    @Test func aLineIsASong() {
        #expect(entries("a.mp3\nCD 1/b.mp3\n/c.mp3", .m3u) == ["a.mp3", "CD 1/b.mp3", "/c.mp3"])
    }

    @Test func commentsEmptyLinesAndLineEndsAreNoSongs() {
        let text = "\u{FEFF}#EXTM3U\r\n#EXTINF:123,Artist - Title\r\na.mp3\r\n\r\n  \r\n b.mp3\t\r\n# c.mp3\r\n"
        #expect(entries(text, .m3u) == ["a.mp3", "b.mp3"])
        #expect(entries("a.mp3\rb.mp3\r", .m3u) == ["a.mp3", "b.mp3"])
        #expect(entries("", .m3u).isEmpty)
    }

    @Test func bytesThatAreNoUTF8AreLatin1() {
        #expect(Playlist([0x46, 0xFC, 0x72, 0x0A], kind: .m3u).entries == ["Für"])
        #expect(entries("Für\n", .m3u) == ["Für"])
    }

    @Test func filesOfPLSComeByNumber() {
        let text = """
            [playlist]
            File2=two.mp3
            Title2=A = B
            file1 = one.mp3
            Length1=-1
            File10=http://radio.example:8000/a=b
            File=none.mp3
            FileX=none.mp3
            File3=
            NumberOfEntries=3
            Version=2
            """
        #expect(entries(text, .pls) == ["one.mp3", "two.mp3", "http://radio.example:8000/a=b"])
    }

    @Test func whatAListSaysOfASong() {
        let m3u = """
            #EXTINF:-1,Old
            #EXTINF:124,Artist - Title, live
            #comment
            a.mp3
            b.mp3
            #EXTINF:-1 tvg-id="x,y" group="z",Station
            http://radio.example/c
            #EXTINF:99999999999999,
            d.mp3
            """
        #expect(
            Playlist(Array(m3u.utf8), kind: .m3u).songs == [
                .init(address: "a.mp3", title: "Artist - Title, live", duration: .seconds(124)),
                .init(address: "b.mp3"), .init(address: "http://radio.example/c", title: "Station"),
                .init(address: "d.mp3"),
            ])
        let pls = "[playlist]\nTitle2=Two\nFile2=b\nFile1=a\nLength1=5\nLength2=-1\nTitle3=Three\n"
        #expect(
            Playlist(Array(pls.utf8), kind: .pls).songs
                == [.init(address: "a", duration: .seconds(5)), .init(address: "b", title: "Two")])
    }

    @Test(arguments: [
        ("a.m3u", Playlist.Kind.m3u), ("/x/A.M3U8", .m3u), ("a.b.pls", .pls), ("m3u", nil), (".m3u", nil),
        ("a.m3u/b", nil), ("a.mp3", nil), ("", nil),
    ]) func theExtensionTellsTheKind(name: String, kind: Playlist.Kind?) {
        #expect(Playlist.Kind(fileName: name) == kind)
    }
}
