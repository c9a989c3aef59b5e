import NIOCore
import Testing

@testable import WebServer

/// Requests and responses of one connection.
@Suite(.timeLimit(.minutes(5))) struct ExchangeTests {
    private static func get(_ path: String, _ headers: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: kitchen\r\n\(headers)\r\n"
    }

    private static let post = "POST /a HTTP/1.1\r\nHost: kitchen\r\n"

    @Test func aConnectionServesOneRequestAfterAnother() throws {
        let client = try EmbeddedClient { StubSite(on: $0) }
        #expect(client.ask(Self.get("/a")).map(\.body) == ["/a"])
        #expect(client.ask(Self.get("/b")).map(\.body) == ["/b"])
        #expect(!client.isClosed)
    }

    /// As they come from the network.
    @Test func aRequestMayComeInPieces() throws {
        let client = try EmbeddedClient { StubSite(on: $0) }
        for byte in Self.get("/a", "X-A: b\r\n").utf8 { client.say([byte]) }
        #expect(HeardResponse.all(in: client.hearText()).map(\.body) == ["/a"])
    }

    @Test func everyResponseHasTheHeadersThatProtectAPage() throws {
        let client = try EmbeddedClient { StubSite(on: $0) }
        let responses =
            client.ask(Self.get("/a")) + client.ask(Self.get("/%")) + client.ask("GET / HTTP/1.1\r\nHost: x.y\r\n\r\n")
        #expect(responses.map(\.status) == [200, 400, 421])
        for response in responses {
            let policy = try #require(response.headers["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'self'; connect-src 'self' ws: wss:;"))
            #expect(policy.hasSuffix("frame-ancestors 'none'; base-uri 'none'; form-action 'none'"))
            #expect(response.headers["x-content-type-options"] == "nosniff")
            #expect(response.headers["referrer-policy"] == "no-referrer")
            #expect(response.headers["cross-origin-resource-policy"] == "same-origin")
            #expect(response.headers["cache-control"] == "no-store")
            #expect(!response.headers.keys.contains { $0.hasPrefix("access-control") })
        }
        #expect(responses[1].headers["content-type"] == "application/json")
        #expect(responses[1].body.hasPrefix(#"{"error":"A request's target "#))
    }

    @Test func reasonsAreJSON() {
        let body = WebResponse(refusing: .notFound, reason: "a \"b\" \\ \u{1} \n \u{E9}").body
        #expect(String(buffer: body) == "{\"error\":\"a \\\"b\\\" \\\\ \\u0001 \\n \u{E9}\"}\n")
    }

    @Test func aHeadIsAnsweredWithoutBody() throws {
        let client = try EmbeddedClient { StubSite(on: $0) }
        let responses = client.ask("HEAD /four HTTP/1.1\r\nHost: kitchen\r\n\r\n", toHead: true)
        #expect(responses.map(\.status) == [200])
        #expect(responses[0].headers["content-length"] == "5")
        #expect(client.ask(Self.get("/b")).map(\.body) == ["/b"])
    }

    @Test(arguments: [
        (#""1""#, 304), (#"W/"1""#, 304), (#""0", "1""#, 304), ("*", 304), (#""2""#, 200), ("1", 200), ("", 200),
    ])
    func whatTheClientHasIsNotSentAgain(tags: String, status: Int) throws {
        let client = try EmbeddedClient { loop in
            StubSite(on: loop) { _ in .respond(.text("page", headers: [("ETag", "\"1\"")]), on: loop) }
        }
        let responses = client.ask(Self.get("/", "If-None-Match: \(tags)\r\n"))
        #expect(responses.map(\.status) == [status])
        #expect(responses[0].headers["etag"] == "\"1\"")
        #expect(responses[0].headers["cache-control"] == "no-cache")
        #expect(responses[0].body == (status == 200 ? "page" : ""))
        #expect(client.ask(Self.get("/")).map(\.body) == ["page"])
    }

    @Test func requestsInARowAreAnsweredInOrder() throws {
        var promises: [String: EventLoopPromise<WebResponse>] = [:]
        var site: StubSite?
        let client = try EmbeddedClient { loop in
            let stub = StubSite(on: loop) { request in
                let promise = loop.makePromise(of: WebResponse.self)
                promises[request.path] = promise
                return .respond(promise.futureResult)
            }
            site = stub
            return stub
        }
        client.say(Self.get("/1") + Self.get("/2") + Self.get("/3"))
        #expect(site?.paths == ["/1"])
        #expect(client.hear().isEmpty)
        for number in 1...3 {
            promises["/\(number)"]?.succeed(.text("\(number)"))
            #expect(HeardResponse.all(in: client.hearText()).map(\.body) == ["\(number)"])
        }
        #expect(site?.paths == ["/1", "/2", "/3"])
    }

    /// Two thousand of them in one piece must not lie on the stack.
    @Test func manyRequestsInARowAreAnswered() throws {
        let client = try EmbeddedClient { StubSite(on: $0) }
        let responses = client.ask(String(repeating: Self.get("/a"), count: 2_000))
        #expect(responses.count == 2_000 && responses.allSatisfy { $0.body == "/a" })
    }

    @Test func whatFollowsABadRequestIsNotAnswered() throws {
        let client = try EmbeddedClient { StubSite(on: $0) }
        #expect(client.ask(Self.get("/a") + "nonsense\r\n\r\n" + Self.get("/b")).map(\.status) == [200, 400])
        #expect(client.isClosed)
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: kitchen\r\nConnection: close\r\n\r\n", 200),
        ("GET / HTTP/1.0\r\nHost: kitchen\r\nConnection: keep-alive\r\n\r\n", 200),
        ("GET / HTTP/1.1\r\nHost: kitchen\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 200),
        ("GET / HTTP/2.0\r\nHost: kitchen\r\n\r\n", 505), ("\u{16}\u{3}\u{1}hello", 400),
        ("GET / HTTP/1.1\r\nHost: kitchen\r\nBad Header: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: kitchen\r\nExpect: cake\r\nContent-Length: 1\r\n\r\n", 417),
        ("POST / HTTP/1.1\r\nHost: kitchen\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: kitchen\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
    ])
    func someRequestsAreTheLast(text: String, status: Int) throws {
        let client = try EmbeddedClient { StubSite(on: $0) }
        let responses = client.ask(text)
        #expect(responses.map(\.status) == [status])
        #expect(responses.first?.headers["connection"] == "close")
        #expect(client.isClosed)
    }

    @Test func aSiteThatFailsIsNotTheClientsFault() throws {
        struct Failure: Error {}
        let client = try EmbeddedClient { loop in
            StubSite(on: loop) { request in
                request.path == "/refused"
                    ? .respond(loop.makeFailedFuture(WebRefusal(.conflict, "no")))
                    : .respond(loop.makeFailedFuture(Failure()))
            }
        }
        #expect(client.ask(Self.get("/refused")).map(\.status) == [409])
        #expect(client.ask(Self.get("/x")).map(\.status) == [500])
        #expect(!client.isClosed)
    }

    // MARK: Bodies

    private func collector() throws -> EmbeddedClient {
        try EmbeddedClient { loop in
            StubSite(on: loop) { _ in
                .collect(byteLimit: 10) { loop.makeSucceededFuture(.text("got \(String(buffer: $0))")) }
            }
        }
    }

    @Test func aBodyIsGathered() throws {
        let client = try collector()
        client.say(Self.post + "Content-Length: 10\r\n\r\n01234")
        #expect(client.hear().isEmpty)
        #expect(client.ask("56789").map(\.body) == ["got 0123456789"])
        #expect(
            client.ask(Self.post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;x=y\r\nd\r\n0\r\nX-T: 1\r\n\r\n")
                .map(\.body) == ["got abcd"])
        #expect(client.ask(Self.post + "Content-Length: 0\r\n\r\n").map(\.body) == ["got "])
    }

    @Test(arguments: [
        "Content-Length: 11\r\n\r\n", "Content-Length: 11\r\n\r\n01234567890",
        "Content-Length: 999999999999999999\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n",
        "Content-Length: 11\r\nExpect: 100-continue\r\n\r\n",
    ])
    func aBodyThatIsTooLargeIsRefused(rest: String) throws {
        let client = try collector()
        let responses = client.ask(Self.post + rest)
        #expect(responses.map(\.status) == [413])
        #expect(responses[0].body.contains("10 bytes"))
        #expect(client.isClosed)
    }

    @Test func aBodyThatNobodyWantsIsRefused() throws {
        let client = try EmbeddedClient { StubSite(on: $0) }
        #expect(client.ask(Self.post + "Content-Length: 1\r\n\r\nx").map(\.status) == [413])
        #expect(client.isClosed)
    }

    /// Who may not send a song hears that, and not that songs are not sent here.
    @Test func aSiteThatRefusesABodySaysWhy() throws {
        let client = try EmbeddedClient { loop in
            StubSite(on: loop) { _ in .respond(WebResponse(refusing: .forbidden, reason: "no right"), on: loop) }
        }
        let responses = client.ask(Self.post + "Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n")
        #expect(responses.map(\.status) == [403])
        #expect(responses[0].body == "{\"error\":\"no right\"}\n")
        #expect(client.isClosed)
    }

    @Test func aClientThatWaitsForWordGetsIt() throws {
        let client = try collector()
        client.say(Self.post + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(client.hearText() == "HTTP/1.1 100 Continue\r\n\r\n")
        #expect(client.ask("ab").map(\.body) == ["got ab"])
    }

    @Test func chunksThatAreNoneEndAnUpload() throws {
        let (client, upload) = try uploader()
        client.say(Self.post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        #expect(client.ask("zz\r\n").map(\.status) == [400])
        #expect(upload.taken == Array("abc".utf8))
        #expect(upload.isAborted && !upload.isFinished && client.isClosed)
    }

    private func uploader(takesAtOnce: Bool = true) throws -> (EmbeddedClient, StubUpload) {
        var upload: StubUpload?
        let client = try EmbeddedClient { loop in
            let stub = StubUpload(on: loop, takesAtOnce: takesAtOnce)
            upload = stub
            return StubSite(on: loop) { $0.path == "/a" ? .upload(stub) : nil }
        }
        return (client, try #require(upload))
    }

    @Test func anUploadIsTakenPieceByPiece() throws {
        let (client, upload) = try uploader(takesAtOnce: false)
        client.say(Self.post + "Content-Length: 6\r\n\r\nab")
        client.say("cd")
        client.say("ef" + Self.get("/next"))
        #expect(upload.taken == Array("ab".utf8))
        // The site may take as long as it likes.
        client.wait(seconds: 100)
        upload.release()
        #expect(upload.taken == Array("abcd".utf8))
        upload.release()
        #expect(client.hear().isEmpty)
        upload.release()
        #expect(HeardResponse.all(in: client.hearText()).map(\.body) == ["took 6", "/next"])
        #expect(upload.isFinished && !upload.isAborted && upload.pieceCount == 3)
    }

    @Test func anUploadMayBeRefusedInTheMiddle() throws {
        let (client, upload) = try uploader(takesAtOnce: false)
        client.say(Self.post + "Content-Length: 600\r\n\r\nab")
        upload.release(WebRefusal(.contentTooLarge, "The disk is full."))
        let responses = HeardResponse.all(in: client.hearText())
        #expect(responses.map(\.status) == [413])
        #expect(responses[0].body == "{\"error\":\"The disk is full.\"}\n")
        #expect(upload.isAborted && client.isClosed)
    }

    @Test func anUploadWhoseClientIsGoneIsAborted() throws {
        let (client, upload) = try uploader()
        client.say(Self.post + "Content-Length: 600\r\n\r\nab")
        client.hangUp()
        #expect(upload.isAborted && !upload.isFinished)
    }
}
