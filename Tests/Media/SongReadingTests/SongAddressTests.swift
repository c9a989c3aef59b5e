import Songs
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SongAddressTests {
    @Test(arguments: [
        ("-", SongAddress.standardInput, "standard input"), ("a/b.mp3", .file("a/b.mp3"), "b.mp3"),
        ("file:///a%20b/c.mp3", .file("/a b/c.mp3"), "c.mp3"), ("file://host/a", .file("/a"), "a"),
        ("FILE:/a", .file("/a"), "a"), ("file:///%C3%BC", .file("/ü"), "ü"),
        ("12: Song.mp3", .file("12: Song.mp3"), "12: Song.mp3"),
        ("Act: One.mp3", .file("Act: One.mp3"), "Act: One.mp3"),
        ("é://x", .file("é://x"), "x"), ("http://a/b.mp3?c=/d", .url("http://a/b.mp3?c=/d"), "b.mp3"),
        ("HTTPS://radio:8000/", .url("HTTPS://radio:8000/"), "radio:8000"),
        ("http://me:secret@radio", .url("http://me:secret@radio"), "radio"),
        ("http://me:secret@radio/?a", .url("http://me:secret@radio/?a"), "radio"),
        ("http://", .url("http://"), "untitled"),
    ]) func aNameMeansASource(text: String, address: SongAddress, title: String) throws {
        #expect(try SongAddress(text) == address)
        #expect(address.title == title)
    }

    @Test(arguments: ["file:///%zz", "file:///%2", "file:///a%00b", "file:///%FF", "file://host"])
    func whatIsNoPathIsRefused(text: String) {
        #expect(throws: SongFailure(.missing, "'\(text)' names no file of this machine; name its path")) {
            try SongAddress(text)
        }
    }

    @Test func unknownSchemesAreNamed() {
        let text = "'rtsp://x/y': rtsp URLs cannot be played; files, http and https URLs can"
        #expect(throws: SongFailure(.missing, text)) { try SongAddress("rtsp://x/y") }
        #expect(throws: SongFailure(.missing, text)) { try SongAddress("rtsp://me:secret@x/y") }
    }
}
