import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import WebServer

/// A whole server, over real sockets; one test after another, for the sake of descriptors.
@Suite(.timeLimit(.minutes(5)), .serialized) struct WebServerTests {
    private static let get = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private static let socket =
        "GET /socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

    /// However long it takes to open hundreds of connections.
    private static let patient: WebLimits = {
        var limits = WebLimits()
        (limits.headTime, limits.refusedHeadTime) = (.minutes(2), .minutes(2))
        return limits
    }()

    /// Runs a server while the closure does.
    private func serve(
        _ limits: WebLimits = .init(),
        routes: @escaping @Sendable (WebRequest, any EventLoop) -> WebRoute? = { _, _ in nil },
        _ body: (UInt16, WebServer, any EventLoop) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop: any EventLoop = group.next()
        let site = StubSite(on: loop) { routes($0, loop) }
        let server = WebServer(loop: loop, site: site, names: [], limits: limits)
        let port = try await server.listen(port: 0).get()
        try await body(port, server, loop)
        try await server.shutDown().get()
        try await group.shutdownGracefully()
    }

    @Test func oneConnectionServesManyRequests() async throws {
        try await serve { port, _, _ in
            let client = try #require(SocketClient(port: port))
            for _ in 0..<3 {
                client.say(Self.get)
                #expect(client.hearResponse()?.body == "/a")
            }
            client.say(Self.get + Self.get + "GET /b HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n")
            let rest = try #require(client.hearToEnd())
            #expect(HeardResponse.all(in: rest).map(\.body) == ["/a", "/a", "/b"])
        }
    }

    @Test func thePortIsKnownAndTaken() async throws {
        try await serve { port, server, loop in
            let other = WebServer(loop: loop, site: StubSite(on: loop), names: [])
            await #expect(throws: WebServerError.portInUse(port)) { try await other.listen(port: port).get() }
            try await server.stopListening().get()
            #expect(SocketClient(port: port) == nil)
            #expect(try await other.listen(port: port).get() == port)
            try await other.shutDown().get()
        }
    }

    /// What is refused in the middle of what a client sends is told, not lost.
    @Test func whoSendsTooMuchHearsIt() async throws {
        try await serve { port, _, _ in
            let client = try #require(SocketClient(port: port))
            client.say("POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3000000\r\n\r\n")
            client.say([UInt8](repeating: 1, count: 3_000_000))
            let heard = try #require(client.hearToEnd())
            #expect(HeardResponse.all(in: heard).map(\.status) == [413])
        }
    }

    /// What is behind the refused head waits already, with the request before it.
    @Test func aRequestThatIsRefusedBehindASlowOneHearsIt() async throws {
        try await serve(
            routes: { request, loop in
                guard request.path == "/slow" else { return nil }
                return .respond(loop.scheduleTask(in: .milliseconds(200)) { .text("slow") }.futureResult)
            },
            { port, _, _ in
                let client = try #require(SocketClient(port: port))
                client.say(
                    "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\nPOST /a HTTP/1.1\r\nHost: localhost\r\n"
                        + "Content-Length: 30000\r\n\r\n" + String(repeating: "x", count: 30_000) + Self.get)
                let heard = try #require(client.hearToEnd())
                #expect(HeardResponse.all(in: heard).map(\.status) == [200, 413])
            })
    }

    /// A server that reads on while the site takes nothing would hold it all.
    @Test func anUploadWaitsForTheSite() async throws {
        let uploads = LockedBox<StubUpload>()
        try await serve(
            routes: { _, loop in
                let upload = StubUpload(on: loop, takesAtOnce: false)
                uploads.value = upload
                return .upload(upload)
            },
            { port, _, loop in
                let client = try #require(SocketClient(port: port))
                let count = 64 << 20
                client.say("POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(count)\r\n\r\n")
                let sent = client.say([UInt8](repeating: 1, count: count), within: 500)
                // What the kernels hold on both sides.
                #expect(sent < count / 2)
                let taken = try await loop.submit { uploads.value?.taken.count ?? 0 }.get()
                #expect(taken <= 65_536)
                client.resetAtEnd()
            })
        #expect(uploads.value?.isAborted == true)
    }

    @Test func aLargeUploadArrivesWhole() async throws {
        let uploads = LockedBox<StubUpload>()
        try await serve(
            routes: { _, loop in
                let upload = StubUpload(on: loop)
                uploads.value = upload
                return .upload(upload)
            },
            { port, _, _ in
                let client = try #require(SocketClient(port: port))
                let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
                client.say("POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bytes.count)\r\n\r\n")
                #expect(client.say(bytes) == bytes.count)
                #expect(client.hearResponse()?.body == "took 5000000")
                #expect(uploads.value?.taken == bytes)
            })
    }

    /// An answer that the client takes slowly is whole; requests behind it wait.
    @Test func aLargeAnswerArrivesWhole() async throws {
        try await serve(
            routes: { _, loop in .respond(.text(String(repeating: "x", count: 3_000_000)), on: loop) },
            { port, _, _ in
                let client = try #require(SocketClient(port: port))
                for _ in 0..<5 { client.say(Self.get) }
                for _ in 0..<5 { #expect(client.hearResponse()?.body.utf8.count == 3_000_000) }
            })
    }

    @Test func webSocketsLiveUntilTheServerEnds() async throws {
        let handler = StubSocketHandler { $0.send(text: "<\($1)>") }
        var client: SocketClient?
        try await serve(
            routes: { _, _ in .socket(handler) },
            { port, _, _ in
                let caller = try #require(SocketClient(port: port))
                caller.say(Self.socket)
                #expect(caller.hearResponse()?.status == 101)
                caller.say(ClientFrame(.text, "a").masked + ClientFrame(.text, "b").masked)
                let answers = [ClientFrame(.text, "<a>"), ClientFrame(.text, "<b>")]
                #expect(ClientFrame.all(in: caller.hear(10)) == answers)
                client = caller
            })
        let ending = try #require(client).hear(1_000)
        #expect(ClientFrame.all(in: ending) == [ClientFrame(close: 1001, "The server ends.")])
        #expect(handler.closedCount == 1 && handler.writtenByteCount == 6)
    }

    /// The kernel's share is small; what it does not take stays here, and is counted.
    @Test func whoTakesNothingIsCutOff() async throws {
        var limits = WebLimits()
        limits.backlogBytes = 1 << 20
        let handler = StubSocketHandler { socket, _ in
            for _ in 0..<100 { socket.send(binary: ByteBuffer(repeating: 0, count: 10_000)) }
        }
        try await serve(
            limits, routes: { _, _ in .socket(handler) },
            { port, _, _ in
                let client = try #require(SocketClient(port: port))
                client.say(Self.socket)
                #expect(client.hearResponse()?.status == 101)
                for _ in 0..<50 { client.say(ClientFrame(.text, "more").masked) }
                var closings = handler.closings.makeAsyncIterator()
                #expect(await closings.next() != nil)
            })
    }

    /// Who reads is served, whatever waits for those who do not.
    @Test func thoseWhoTakeNothingCannotHoldMuchTogether() async throws {
        // The kernel takes some megabytes of them.
        let bodies = ["/large": 32, "/less": 20].mapValues { ByteBuffer(repeating: 1, count: $0 << 20) }
        var limits = WebLimits()
        limits.waitingBytes = 40 << 20
        try await serve(
            limits,
            routes: { request, loop in
                bodies[request.path].map { .respond(WebResponse(mediaType: "text/plain", body: $0), on: loop) }
            },
            { port, _, _ in
                func ask(_ path: String) throws -> SocketClient {
                    let client = try #require(SocketClient(port: port))
                    client.say("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    return client
                }
                let lazy = try ask("/large")
                // It is answered, and reads no more than this.
                #expect(lazy.hear(4) == Array("HTTP".utf8))
                let second = try ask("/large").hearResponse()
                #expect(second?.status == 503 && second?.body.contains("read too slowly") == true)
                let reader = try ask("/less")
                #expect(reader.hearToEnd()?.utf8.count ?? 0 > 20 << 20)
                #expect(lazy.hearToEnd().map { $0.utf8.count < 32 << 20 } == true)
            })
    }

    /// 300 tabs of one phone leave others their share, and hear why they do not work.
    @Test func hundredsOfTabsAreToldSo() async throws {
        try await serve(Self.patient) { port, _, _ in
            let tabs = try (0..<300).map { _ in try #require(SocketClient(port: port)) }
            var (served, refused, dropped) = (0, 0, 0)
            for tab in tabs { tab.say(Self.get) }
            for tab in tabs {
                switch tab.hearResponse() {
                case let response? where response.status == 200: served += 1
                case let response?:
                    #expect(response.status == 503 && response.body.contains("64 connections from 127.0.0.1"))
                    refused += 1
                case nil: dropped += 1
                }
            }
            #expect(served == 64)
            #expect(refused >= 64 && served + refused + dropped == 300)
        }
    }

    @Test func otherLimitsAllowALoadTest() async throws {
        var limits = Self.patient
        limits.connectionsPerAddress = 200
        let opened = LockedBox<Int>()
        opened.value = 0
        try await serve(
            limits,
            routes: { _, _ in
                opened.value = (opened.value ?? 0) + 1
                return .socket(StubSocketHandler())
            },
            { port, _, _ in
                let clients = try (0..<200).map { _ in try #require(SocketClient(port: port)) }
                for client in clients { client.say(Self.socket) }
                for client in clients { #expect(client.hearResponse()?.status == 101) }
                #expect(opened.value == 200)
            })
    }
}

/// What a test's site leaves for the test.
final class LockedBox<Value: Sendable>: Sendable {
    private let held = Mutex<Value?>(nil)

    var value: Value? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}
