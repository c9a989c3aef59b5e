import AudioFileStreamServices
@testable import Songs
import Testing

/// What is said before the bytes, and what URLs mean.
@Suite(.timeLimit(.minutes(5)))
struct HTTPTextTests {
    private func head(_ lines: String...) -> HTTPResponseHead {
        var head = HTTPResponseHead()
        for line in lines { head.take((line + "\r\n").utf8) }
        return head
    }

    @Test func aRedirectionIsFollowedByTheAnswer() {
        var head = head("HTTP/1.1 302 Found", "Location: /there", "X: 1", "")
        #expect(head.isComplete && !head.isFinal)
        for line in ["HTTP/1.1 404 Not Found\r\n", "Content-Type: Text/HTML; charset=utf-8\r\n", "\r\n"] {
            head.take(line.utf8)
        }
        #expect(head.isFinal && head.status == 404 && head.statusText == "404 Not Found")
        #expect(head["location"] == nil && head.contentType == "text/html" && head.isWebPage)
    }

    @Test func aStationSaysItsInterval() {
        let head = head("ICY 200 OK", "icy-name:Radio", "icy-metaint:16000", "")
        #expect(head.isFinal && head.status == 200 && head.isStation && head.stationInterval == 16_000)
        #expect(HTTPResource(head).access == .stream)
    }

    @Test func aPartOfKnownLengthIsAFileAtHand() {
        let whole = head("HTTP/1.1 206 Partial Content", "Content-Range: bytes 0-99/100", "")
        #expect(HTTPResource(whole).access == .file(byteCount: 100))
        #expect(HTTPResource(head("HTTP/1.1 200 OK", "Content-Length: 100", "")).access == .stream)
    }

    @Test(arguments: ["bytes 0-99/*", "bytes */100", "bytes 5-9/3", "bytes -1-2/3", "0-99/100", "bytes 0-99"])
    func aRangeThatSaysNothingIsNone(text: String) {
        #expect(head("HTTP/1.1 206 Partial Content", "Content-Range: \(text)", "").range == nil)
    }

    @Test func whatBrokeOffGoesOnAtTheNextByte() {
        let first = head("HTTP/1.1 206 x", "Content-Range: bytes 0-99/100", "ETag: a", "")
        let resource = HTTPResource(first)
        let rest = head("HTTP/1.1 206 x", "Content-Range: bytes 40-99/100", "ETag: a", "")
        #expect(resource.continuation(rest, at: 40) == .bytes(skipped: 0))
        #expect(resource.continuation(rest, at: 39) == nil)
        let all = head("HTTP/1.1 200 OK", "Content-Length: 100", "")
        #expect(resource.continuation(all, at: 40) == .bytes(skipped: 40))
        let other = head("HTTP/1.1 206 x", "Content-Range: bytes 40-99/100", "ETag: b", "")
        #expect(resource.continuation(other, at: 40) == nil)
        #expect(resource.continuation(head("HTTP/1.1 200 OK", "Content-Length: 99", ""), at: 40) == nil)
        let endless = HTTPResource(head("HTTP/1.1 200 OK", ""))
        #expect(endless.continuation(head("HTTP/1.1 200 OK", ""), at: 40) == .gap)
    }

    @Test(arguments: [
        ("audio/x-scpls", "http://x/listen", true), ("application/vnd.apple.mpegurl", "http://x/", true),
        ("text/plain", "http://x/a.m3u?b=c.mp3", true), ("", "http://x/a.pls", true),
        ("audio/mpeg", "http://x/a.pls", false),
        ("text/plain", "http://x/a.mp3", false),
    ]) func listsAreKnownByTypeOrName(type: String, url: String, isList: Bool) {
        #expect((head("HTTP/1.1 200 OK", "Content-Type: \(type)", "").playlistKind(url: url) != nil) == isList)
    }

    @Test(arguments: [
        ("a.mp3", "http://x/y/a.mp3"), ("/a.mp3", "http://x/a.mp3"), ("//z/a", "http://z/a"),
        ("https://z", "https://z"),
    ]) func entriesAreMeantAgainstTheirList(entry: String, url: String) {
        #expect(HTTPAddress.resolved(entry, against: "http://x/y/list.m3u?q=/r") == url)
    }

    @Test func onlyURLsCountInAListFromAServer() {
        let list = Array("#EXTM3U\nfile:///etc/passwd\na b.mp3\nhttp://z/s\n".utf8)
        let failure = HTTPPlaylist.finding(in: list, .m3u, url: "http://x/l.m3u", name: "'l'")
        #expect(failure.kind == .list(["http://x/a b.mp3", "http://z/s"]))
        #expect(
            HTTPPlaylist.finding(in: Array("file:///a\n".utf8), .m3u, url: "http://x/", name: "'l'").kind == .unusable)
        let pieces = Array("#EXTM3U\n#EXT-X-TARGETDURATION:10\na.ts\n".utf8)
        #expect(
            HTTPPlaylist.finding(in: pieces, .m3u, url: "http://x/", name: "'l'")
                == SongFailure(.unusable, "'l' is HTTP Live Streaming, which cannot be played"))
    }

    @Test func addressesAreMadeFitToBeSent() {
        #expect(HTTPAddress.encoded("http://x/ä b%20") == "http://x/%C3%A4%20b%20")
    }
}
