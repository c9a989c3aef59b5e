import NIOCore
import Testing

@testable import WebServer

/// WebSockets of one connection, on a clock of its own.
@Suite(.timeLimit(.minutes(5))) struct WebSocketTests {
    private static let asking = """
        GET /socket HTTP/1.1\r
        Host: kitchen\r
        Connection: keep-alive, Upgrade\r
        Upgrade: WebSocket\r
        Origin: http://kitchen\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Extensions: permessage-deflate\r
        \r

        """

    private func client(_ handler: StubSocketHandler, limits: WebLimits = .init()) throws -> EmbeddedClient {
        try EmbeddedClient(limits: limits) { loop in StubSite(on: loop) { _ in .socket(handler) } }
    }

    private func opened(
        _ handler: StubSocketHandler, limits: WebLimits = .init()
    ) throws -> EmbeddedClient {
        let client = try client(handler, limits: limits)
        #expect(client.ask(Self.asking).map(\.status) == [101])
        #expect(handler.socket != nil)
        return client
    }

    private func frames(_ client: EmbeddedClient) throws -> [ClientFrame] {
        try #require(ClientFrame.all(in: client.hear()))
    }

    // MARK: The handshake

    /// With the key and answer of RFC 6455 section 1.3.
    @Test func aBrowserGetsASocket() throws {
        let handler = StubSocketHandler()
        let responses = try client(handler).ask(Self.asking)
        #expect(responses.map(\.status) == [101])
        #expect(responses[0].headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(responses[0].headers["upgrade"] == "websocket")
        #expect(responses[0].headers["connection"]?.lowercased() == "upgrade")
        #expect(responses[0].headers["sec-websocket-extensions"] == nil)
        #expect(responses[0].headers["content-length"] == nil)
        #expect(handler.socket?.address == "192.0.2.7")
    }

    @Test(arguments: [
        ("Upgrade: WebSocket\r\n", "", 426), ("Connection: keep-alive, Upgrade\r\n", "", 426),
        ("Version: 13", "Version: 8", 426), ("Sec-WebSocket-Version: 13\r\n", "", 426), ("GET", "POST", 426),
        ("Key: dGhlIHNhbXBsZSBub25jZQ==", "Key: dGhl", 400), ("HTTP/1.1", "HTTP/1.0", 426),
        ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "", 400), ("http://kitchen", "http://evil.example", 403),
    ])
    func otherRequestsGetNone(part: String, instead: String, status: Int) throws {
        let handler = StubSocketHandler()
        let client = try client(handler)
        let pieces = Self.asking.split(separator: part, maxSplits: 1, omittingEmptySubsequences: false)
        let responses = client.ask(pieces.joined(separator: instead))
        #expect(responses.map(\.status) == [status])
        #expect(responses[0].body.hasPrefix("{\"error\":"))
        if status == 426 { #expect(responses[0].headers["upgrade"] == "websocket") }
        client.hangUp()
        #expect(handler.socket == nil && handler.closedCount == 0)
    }

    @Test func aProgramNeedsNoOrigin() throws {
        let handler = StubSocketHandler()
        let pieces = Self.asking.split(separator: "Origin: http://kitchen\r\n")
        #expect(try client(handler).ask(pieces.joined()).map(\.status) == [101])
    }

    @Test func whatAClientSaysAtOnceIsNotLost() throws {
        let handler = StubSocketHandler()
        let client = try client(handler)
        client.say(Array(Self.asking.utf8) + ClientFrame(.text, "early").masked.dropLast(2))
        client.say(Array(ClientFrame(.text, "early").masked.suffix(2)))
        #expect(handler.texts == ["early"])
    }

    @Test func aSocketMayFollowOtherRequests() throws {
        let handler = StubSocketHandler()
        let client = try EmbeddedClient { loop in
            StubSite(on: loop) { $0.path == "/socket" ? .socket(handler) : nil }
        }
        let responses = client.ask("GET /a HTTP/1.1\r\nHost: kitchen\r\n\r\n" + Self.asking)
        #expect(responses.map(\.status) == [200, 101])
        client.say(ClientFrame(.text, "x").masked)
        #expect(handler.texts == ["x"])
    }

    // MARK: Messages

    @Test func messagesGoBothWays() throws {
        let handler = StubSocketHandler { $0.send(text: "<\($1)>") }
        let client = try opened(handler)
        let bytes = ClientFrame(.text, "caf\u{E9}").masked + ClientFrame(.binary, [1, 2, 0xFF]).masked
        for byte in bytes { client.say([byte]) }
        #expect(handler.texts == ["caf\u{E9}"] && handler.binaries == [[1, 2, 0xFF]])
        #expect(try frames(client) == [ClientFrame(.text, "<caf\u{E9}>")])
        #expect(handler.writtenByteCount == 7 && handler.socket?.backlog == 0)
    }

    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536, 300_000])
    func anyLengthIsSent(count: Int) throws {
        let handler = StubSocketHandler()
        let client = try opened(handler)
        let bytes = [UInt8](repeating: 7, count: count)
        handler.socket?.send(binary: ByteBuffer(bytes: bytes))
        #expect(handler.socket?.backlog == count)
        #expect(try frames(client) == [ClientFrame(.binary, bytes)])
        #expect(handler.writtenByteCount == count)
    }

    @Test func fragmentsAreOneMessage() throws {
        let handler = StubSocketHandler()
        let client = try opened(handler)
        // The letter is cut in two.
        client.say(ClientFrame(.text, [0x61, 0xC3], isLast: false).masked)
        client.say(ClientFrame(.ping, "between").masked)
        client.say(ClientFrame(.continuation, [], isLast: false).masked)
        client.say(ClientFrame(.continuation, [0xA9, 0x62]).masked)
        #expect(handler.texts == ["a\u{E9}b"])
        #expect(try frames(client) == [ClientFrame(.pong, "between")])
    }

    @Test func onlyTheLastOfManyPingsIsAnswered() throws {
        let handler = StubSocketHandler()
        let client = try opened(handler)
        client.say((1...100).flatMap { ClientFrame(.ping, "\($0)").masked })
        #expect(try frames(client) == [ClientFrame(.pong, "1"), ClientFrame(.pong, "100")])
        client.say(ClientFrame(.ping, "x").masked)
        #expect(try frames(client) == [ClientFrame(.pong, "x")])
    }

    // MARK: The end

    @Test(arguments: [1000, 1001, 3000, 4999] as [UInt16])
    func aClientMayClose(code: UInt16) throws {
        let handler = StubSocketHandler()
        let client = try opened(handler)
        client.say(ClientFrame(close: code, "bye").masked + ClientFrame(.text, "late").masked)
        #expect(try frames(client) == [ClientFrame(close: code)])
        #expect(client.isClosed && handler.closedCount == 1 && handler.texts.isEmpty)
    }

    @Test func aSiteMayClose() throws {
        let handler = StubSocketHandler()
        let client = try opened(handler)
        let socket = try #require(handler.socket)
        socket.send(text: "last")
        socket.close(code: 1008, reason: String(repeating: "\u{E9}", count: 100))
        socket.send(text: "too late")
        let close = ClientFrame(close: 1008, String(repeating: "\u{E9}", count: 61))
        #expect(try frames(client) == [ClientFrame(.text, "last"), close])
        client.say(ClientFrame(.text, "ignored").masked)
        #expect(!client.isClosed && handler.closedCount == 0)
        client.say(ClientFrame(close: 1008).masked)
        #expect(client.isClosed && handler.closedCount == 1 && handler.texts.isEmpty)
        socket.send(text: "no harm")
        socket.close(code: 1000)
    }

    @Test func aClientThatDoesNotCloseIsClosed() throws {
        let handler = StubSocketHandler()
        let client = try opened(handler)
        handler.socket?.close(code: 1000)
        client.wait(seconds: 1)
        #expect(client.isClosed && handler.closedCount == 1)
    }

    @Test func aClientThatIsGoneHasClosed() throws {
        let handler = StubSocketHandler()
        let client = try opened(handler)
        client.hangUp()
        #expect(handler.closedCount == 1)
    }

    private static let large = [UInt8](repeating: 0x61, count: 65_537)

    struct Breach: Sendable {
        let code: UInt16
        let bytes: [UInt8]

        init(_ code: UInt16, _ bytes: [UInt8]) {
            self.code = code
            self.bytes = bytes
        }

        init(_ code: UInt16, _ frames: ClientFrame...) { self.init(code, frames.flatMap(\.masked)) }
    }

    private static let breaches: [Breach] = [
        Breach(1002, ClientFrame(.text, "x").bytes(isMasked: false)), Breach(1009, ClientFrame(.binary, large)),
        // A frame of gigabytes, of which nothing comes; one that is larger than any number.
        Breach(1009, [0x82, 0xFF, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4]),
        Breach(1009, [0x82, 0xFF, 255, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4]),
        Breach(1007, ClientFrame(.text, [0xFF])), Breach(1007, ClientFrame(.text, [0xC3])),
        Breach(1007, ClientFrame(.text, [0xED, 0xA0, 0x80])), Breach(1002, ClientFrame(.continuation, "x")),
        Breach(1002, ClientFrame(.text, "a", isLast: false), ClientFrame(.text, "b")),
        Breach(
            1009, ClientFrame(.binary, Array(large.dropLast(5)), isLast: false), ClientFrame(.continuation, "12345")),
        Breach(1002, ClientFrame(.ping, "a", isLast: false)),
        Breach(1002, ClientFrame(.ping, Array(large.prefix(126)))), Breach(1002, ClientFrame(close: 999)),
        Breach(1002, ClientFrame(close: 1005)), Breach(1002, ClientFrame(.close, [3])),
        Breach(1007, ClientFrame(.close, [3, 0xE8, 0xFF])),
        // Reserved opcodes and bits.
        Breach(1002, [0x83, 0x80, 0, 0, 0, 0]), Breach(1002, [0x8B, 0x80, 0, 0, 0, 0]),
        Breach(1002, [0xC1, 0x80, 0, 0, 0, 0]),
    ]

    @Test(arguments: breaches)
    func whoBreaksTheProtocolIsTold(breach: Breach) throws {
        let handler = StubSocketHandler()
        let client = try opened(handler)
        client.say(breach.bytes)
        let heard = try frames(client)
        #expect(heard.map(\.closeCode) == [breach.code])
        #expect(handler.texts.isEmpty && handler.binaries.isEmpty)
        client.say([UInt8](repeating: 0xFF, count: 100_000))
        client.wait(seconds: 1)
        #expect(client.isClosed && handler.closedCount == 1)
        #expect(client.hear().isEmpty)
    }

    @Test func theLargestMessageIsTaken() throws {
        let handler = StubSocketHandler()
        let client = try opened(handler)
        client.say(ClientFrame(.text, Array(Self.large.dropLast())).masked)
        #expect(handler.texts.map(\.utf8.count) == [65_536])
    }

    @Test func whoDoesNotAnswerIsGone() throws {
        let handler = StubSocketHandler()
        let client = try opened(handler)
        client.wait(seconds: 15)
        #expect(try frames(client) == [ClientFrame(.ping, "")])
        client.say(ClientFrame(.pong, "").masked)
        client.wait(seconds: 15)
        #expect(try frames(client) == [ClientFrame(.ping, "")])
        client.wait(seconds: 14)
        #expect(!client.isClosed)
        client.wait(seconds: 1)
        #expect(client.isClosed && handler.closedCount == 1)
    }

    @Test func whoTakesNothingIsCutOff() throws {
        var limits = WebLimits()
        limits.backlogBytes = 1_000
        let handler = StubSocketHandler()
        let client = try opened(handler, limits: limits)
        let socket = try #require(handler.socket)
        socket.send(binary: ByteBuffer(repeating: 1, count: 1_000))
        #expect(try frames(client).count == 1)
        socket.send(binary: ByteBuffer(repeating: 1, count: 1_000))
        socket.send(binary: ByteBuffer(repeating: 1, count: 1))
        // The caller is still at it.
        #expect(handler.closedCount == 0)
        #expect(client.isClosed && handler.closedCount == 1)
        #expect(client.hear().isEmpty)
    }
}
