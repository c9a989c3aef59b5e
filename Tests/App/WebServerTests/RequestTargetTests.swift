import Testing

@testable import WebServer

/// Addresses within a site.
@Suite(.timeLimit(.minutes(5))) struct RequestTargetTests {
    @Test(arguments: [
        ("/", "/"), ("/api/v1/items/5/artwork", "/api/v1/items/5/artwork"), ("/a%20b/%C3%BC", "/a b/\u{FC}"),
        ("/a+b", "/a+b"), ("/folder/", "/folder/"), ("/a%3Fb?x", "/a?b"), ("/...", "/..."),
    ])
    func pathsAreDecoded(text: String, path: String) throws {
        #expect(try RequestTarget(text).path == path)
    }

    @Test(arguments: [
        "", "*", "x", "http://kitchen/", "/%", "/%2", "/%2g", "/%00", "/a%00b", "/%0A", "/%7f", "/..", "/../x", "/a/..",
        "/a/./b", "/%2e%2E/x", "//x", "/a//b", "/a%2Fb", "/%2F", "/%FF", "/%C3", "/?a=%", "/?%0d=1", "/?a=%FF", "/a#b",
    ])
    func whatNamesNothingIsRefused(text: String) {
        #expect { try RequestTarget(text) } throws: { ($0 as? WebRefusal)?.status == .badRequest }
    }

    @Test func queriesAreDecoded() throws {
        let target = try RequestTarget("/songs?query=a+b%2Bc&limit=5&empty=&bare&query=second&x=1=2&&q%C3%BC=%26")
        #expect(target.path == "/songs")
        #expect(target.text.hasPrefix("/songs?query="))
        let items = target.items.map { "\($0.name)>\($0.value)" }
        #expect(
            items == ["query>a b+c", "limit>5", "empty>", "bare>", "query>second", "x>1=2", "q\u{FC}>&"])
    }
}
