import NIOCore
import Testing

@testable import WebServer

/// Clients that are slow, endless or too many.
@Suite(.timeLimit(.minutes(5))) struct SlownessTests {
    private static let get = "GET / HTTP/1.1\r\nHost: kitchen\r\n\r\n"

    private func client(_ refusal: WebRefusal? = nil) throws -> EmbeddedClient {
        try EmbeddedClient(refusal: refusal) { loop in
            StubSite(on: loop) { request in
                request.method == "POST"
                    ? .collect(byteLimit: 1_000) { _ in loop.makeSucceededFuture(.text("x")) } : nil
            }
        }
    }

    @Test func whoSaysNothingIsClosed() throws {
        let client = try client()
        client.wait(seconds: 9)
        #expect(!client.isClosed)
        client.wait(seconds: 1)
        #expect(client.isClosed && client.hear().isEmpty)
    }

    @Test func aHeadThatDripsIsRefused() throws {
        let client = try client()
        for byte in "GET / HTT".utf8 {
            client.say([byte])
            client.wait(seconds: 1)
        }
        client.say("P")
        #expect(!client.isClosed)
        client.wait(seconds: 1)
        #expect(HeardResponse.all(in: client.hearText()).map(\.status) == [408])
        #expect(client.isClosed)
    }

    @Test func aConnectionMayBeIdleBetweenRequests() throws {
        let client = try client()
        for _ in 0..<3 {
            #expect(client.ask(Self.get).map(\.status) == [200])
            client.wait(seconds: 29)
            #expect(!client.isClosed)
        }
        client.wait(seconds: 1)
        #expect(client.isClosed && client.hear().isEmpty)
    }

    @Test func aLaterHeadHasAsLongAsTheFirst() throws {
        let client = try client()
        #expect(client.ask(Self.get).map(\.status) == [200])
        client.wait(seconds: 29)
        client.say("G")
        client.wait(seconds: 9)
        #expect(!client.isClosed)
        client.wait(seconds: 1)
        #expect(HeardResponse.all(in: client.hearText()).map(\.status) == [408])
    }

    @Test func aBodyMustGoOn() throws {
        let (client, upload) = try sender()
        let piece = [UInt8](repeating: 1, count: 9 * WebLimits().bodyBytesPerSecond)
        for _ in 0..<5 {
            client.say(piece)
            client.wait(seconds: 9)
        }
        #expect(!client.isClosed && upload.taken.count == 5 * piece.count)
        client.wait(seconds: 1)
        #expect(HeardResponse.all(in: client.hearText()).map(\.status) == [408])
        #expect(client.isClosed && upload.isAborted)
    }

    /// Something always comes, and a slot is held.
    @Test func aBodyThatDripsIsRefused() throws {
        let (client, upload) = try sender()
        for _ in 0..<10 {
            client.say("x")
            client.wait(seconds: 1)
        }
        client.say("x")
        #expect(!client.isClosed)
        client.wait(seconds: 1)
        #expect(HeardResponse.all(in: client.hearText()).map(\.status) == [408])
        #expect(client.isClosed && upload.isAborted)
    }

    /// What came fast at first does not let a client be silent for longer.
    @Test func fastBodiesHaveNoMoreInHand() throws {
        let (client, _) = try sender()
        client.say([UInt8](repeating: 1, count: 1_000_000))
        client.wait(seconds: 9)
        #expect(!client.isClosed)
        client.wait(seconds: 1)
        #expect(HeardResponse.all(in: client.hearText()).map(\.status) == [408])
    }

    @Test func aSlowSiteIsNotTheClientsFault() throws {
        let (client, upload) = try sender(takesAtOnce: false)
        for _ in 0..<5 {
            client.say("x")
            client.wait(seconds: 3_600)
            upload.release()
            client.wait(seconds: 1)
        }
        #expect(!client.isClosed && upload.pieceCount == 5)
    }

    /// A client in the middle of sending a body.
    private func sender(takesAtOnce: Bool = true) throws -> (EmbeddedClient, StubUpload) {
        var upload: StubUpload?
        let client = try EmbeddedClient { loop in
            let its = StubUpload(on: loop, takesAtOnce: takesAtOnce)
            upload = its
            return StubSite(on: loop) { _ in .upload(its) }
        }
        client.say("POST / HTTP/1.1\r\nHost: kitchen\r\nContent-Length: 1000000000\r\n\r\n")
        return (client, try #require(upload))
    }

    @Test(arguments: [
        "GET /" + String(repeating: "a", count: 17_000),
        "GET / HTTP/1.1\r\nHost: kitchen\r\nX: " + .init(repeating: "a", count: 17_000),
        "GET / HTTP/1.1\r\nHost: kitchen\r\n" + (0..<101).map { "X\($0): a\r\n" }.joined(),
        "GET / HTTP/1.1\r\nHost: kitchen\r\n"
            + (0..<90).map { "X\($0): \(String(repeating: "a", count: 200))\r\n" }.joined(),
    ])
    func endlessHeadsAreRefused(text: String) throws {
        let client = try client()
        #expect(client.ask(text).map(\.status) == [431])
        #expect(client.isClosed)
    }

    /// The parser keeps the name before them.
    @Test func endlessSpacesAreRefused() throws {
        let client = try client()
        client.say("GET / HTTP/1.1\r\nHost: kitchen\r\nX:")
        for _ in 0..<20 { client.say(String(repeating: " ", count: 1_000)) }
        #expect(HeardResponse.all(in: client.hearText()).map(\.status) == [431])
        #expect(client.isClosed)
    }

    @Test func endlessChunkExtensionsAreRefused() throws {
        let client = try client()
        client.say("POST / HTTP/1.1\r\nHost: kitchen\r\nTransfer-Encoding: chunked\r\n\r\n1;")
        for _ in 0..<10 {
            client.say(String(repeating: "a", count: 1_000))
            client.wait(seconds: 1)
        }
        #expect(HeardResponse.all(in: client.hearText()).map(\.status) == [408])
        #expect(client.isClosed)
    }

    @Test func oneTooManyIsToldSo() throws {
        let client = try client(WebRefusal(.unavailable, "There are enough."))
        let responses = client.ask(Self.get)
        #expect(responses.map(\.status) == [503])
        #expect(responses[0].body.contains("There are enough."))
        #expect(client.isClosed)
        let silent = try self.client(WebRefusal(.unavailable, "There are enough."))
        silent.wait(seconds: 3)
        #expect(silent.isClosed)
    }

    @Test func oneAddressCannotHaveAllConnections() {
        var limits = WebLimits()
        (limits.connections, limits.connectionsPerAddress, limits.refusedConnections) = (5, 3, 2)
        var counts = ConnectionCounts(limits)
        for _ in 0..<3 { #expect(counts.admit("a") == .served) }
        guard case .refused(let reason) = counts.admit("a") else {
            Issue.record("a fourth connection of one address")
            return
        }
        #expect(reason.contains("3 connections from a"))
        #expect(counts.admit("b") == .served)
        #expect(counts.admit("b") == .served)
        #expect(counts.admit("c") == .refused(reason: "There are 5 connections already: try again later."))
        #expect(counts.admit("c") == .dropped)
        counts.release("a", .served)
        counts.release("c", .refused(reason: ""))
        #expect(counts.admit("c") == .served)
        #expect(counts.admit("c") != .dropped)
    }
}
