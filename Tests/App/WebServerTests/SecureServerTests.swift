import NIOCore
import NIOPosix
import NIOSSL
import StreamTestKit
import Testing

@testable import WebServer

/// A whole server with a certificate, over real sockets.
@Suite(.timeLimit(.minutes(5)), .serialized) struct SecureServerTests {
    private static let name = "music.example.org"
    private static let names = ["DNS:\(name)", "DNS:*.example.net", "IP:127.0.0.1"]

    /// A server, and what its clients must trust.
    private struct Scene {
        let port: UInt16
        let server: WebServer
        let loop: any EventLoop
        let certificate: [UInt8]

        func client(_ name: String = SecureServerTests.name) async throws -> TLSClient {
            try await TLSClient(port: port, name: name, trusting: certificate)
        }
    }

    /// Runs a server while the closure does.
    private func serve(
        _ limits: WebLimits = .init(),
        routes: @escaping @Sendable (WebRequest, any EventLoop) -> WebRoute? = { _, _ in nil },
        _ body: (Scene) async throws -> Void
    ) async throws {
        let directory = TemporaryDirectory()
        let made = try MadeCertificate(Self.names, in: directory)
        let certificate = try WebCertificate(chain: made.certificate(), key: made.key())
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop: any EventLoop = group.next()
        let site = StubSite(on: loop) { routes($0, loop) }
        let server = WebServer(loop: loop, site: site, names: ["kitchen"], certificate: certificate, limits: limits)
        let port = try await server.listen(port: 0).get()
        try await body(Scene(port: port, server: server, loop: loop, certificate: made.certificate()))
        try await server.shutDown().get()
        try await group.shutdownGracefully()
    }

    @Test func oneConnectionServesManyRequests() async throws {
        try await serve { scene in
            let client = try await scene.client()
            #expect(client.applicationProtocol == "http/1.1")
            for path in ["/a", "/b", "/c"] {
                let response = try await client.get(path, host: "\(Self.name):\(scene.port)")
                #expect(response?.status == 200 && response?.body == path)
                #expect(response?.headers["cross-origin-opener-policy"] == "same-origin")
                #expect(response?.headers["content-security-policy"]?.contains("connect-src 'self' wss:;") == true)
                // A house's page may go back to plain HTTP.
                #expect(response?.headers["strict-transport-security"] == nil)
            }
        }
    }

    @Test func theCertificatesNamesAreTheMachines() async throws {
        try await serve { scene in
            let client = try await scene.client()
            for host in [
                Self.name, "\(Self.name.uppercased()):5", "a.example.net", "kitchen", "kitchen.local", "[::1]",
            ] {
                #expect(try await client.get("/", host: host)?.status == 200, "\(host)")
            }
            for host in ["example.net", "a.b.example.net", "x.\(Self.name)", "evil.example", "*.example.net"] {
                let status = try await scene.client().get("/", host: host)?.status
                #expect(status == (host.hasPrefix("*") ? 400 : 421), "\(host)")
            }
        }
    }

    @Test func onlyItsOwnPageByHTTPSMayAsk() async throws {
        try await serve { scene in
            let host = "\(Self.name):\(scene.port)"
            let origins = [
                ("https://\(host)", 200), ("http://\(host)", 403), ("https://\(Self.name)", 403),
                ("https://a.example.net:\(scene.port)", 403),
            ]
            for (origin, status) in origins {
                let response = try await scene.client().get("/", host: host, headers: "Origin: \(origin)\r\n")
                #expect(response?.status == status, "\(origin)")
            }
            let standard = try await scene.client()
            let response = try await standard.get(
                "/", host: Self.name, headers: "Origin: https://\(Self.name):443\r\n")
            #expect(response?.status == 200)
        }
    }

    @Test func plainHTTPIsLedToHTTPS() async throws {
        try await serve { scene in
            for host in ["\(Self.name):\(scene.port)", "127.0.0.1:\(scene.port)", "[::1]:5", "kitchen.local"] {
                let client = try #require(SocketClient(port: scene.port))
                client.say("GET /a%20b?x=1 HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                let response = client.hearResponse()
                #expect(response?.status == 301 && response?.headers["location"] == "https://\(host)/a%20b?x=1")
                // Else browsers would keep it in mind.
                #expect(response?.headers["cache-control"] == "no-store")
                #expect(response?.headers["cross-origin-opener-policy"] == nil)
            }
            let client = try #require(SocketClient(port: scene.port))
            client.say("POST /a HTTP/1.1\r\nHost: kitchen\r\nContent-Length: 1000000\r\n\r\n")
            #expect(client.hearResponse()?.status == 301)
        }
    }

    /// As a foreign page whose name was made to lead here would.
    @Test func plainHTTPOfAStrangeNameIsRefused() async throws {
        try await serve { scene in
            for (host, status) in [("evil.example", 421), ("b.a.example.net", 421), ("a\u{8}b", 400)] {
                let client = try #require(SocketClient(port: scene.port))
                client.say("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                let response = client.hearResponse()
                #expect(response?.status == status && response?.headers["location"] == nil)
            }
        }
    }

    @Test func oldTLSIsNotSpoken() async throws {
        try await serve { scene in
            for (newest, isSpoken) in [(TLSVersion.tlsv11, false), (.tlsv12, true), (.tlsv13, true)] {
                let client = try? await TLSClient(
                    port: scene.port, name: Self.name, trusting: scene.certificate, newest: newest)
                #expect((client != nil) == isSpoken, "\(newest)")
                client?.end()
            }
        }
    }

    /// A browser that knows no ALPN, or another one's alone, is served all the same.
    @Test(arguments: [[], ["h2"]]) func withoutALPNItIsHTTP1(protocols: [String]) async throws {
        try await serve { scene in
            let client = try await TLSClient(
                port: scene.port, name: Self.name, trusting: scene.certificate, protocols: protocols)
            #expect(client.applicationProtocol == nil)
            #expect(try await client.get("/", host: Self.name)?.status == 200)
        }
    }

    @Test func largeBodiesArriveWhole() async throws {
        try await serve(
            routes: { request, loop in
                request.method == "POST"
                    ? .upload(StubUpload(on: loop))
                    : .respond(.text(String(repeating: "x", count: 3_000_000)), on: loop)
            },
            { scene in
                let client = try await scene.client()
                for _ in 0..<3 { #expect(try await client.get("/", host: Self.name)?.body.utf8.count == 3_000_000) }
                try await client.say(
                    "POST /a HTTP/1.1\r\nHost: \(Self.name)\r\nConnection: close\r\nContent-Length: 2000000\r\n\r\n")
                try await client.say([UInt8](repeating: 7, count: 2_000_000))
                #expect(await client.hearResponse()?.body == "took 2000000")
                #expect(await client.hearToEnd().isEmpty)
            })
    }

    @Test func webSocketsLiveUntilTheServerEnds() async throws {
        let handler = StubSocketHandler { $0.send(text: "<\($1)>") }
        var ended: TLSClient?
        try await serve(
            routes: { _, _ in .socket(handler) },
            { scene in
                let client = try await scene.client()
                let response = try await client.get(
                    "/socket", host: "\(Self.name):\(scene.port)",
                    headers: "Origin: https://\(Self.name):\(scene.port)\r\nConnection: Upgrade\r\n"
                        + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
                #expect(response?.status == 101)
                try await client.say(ClientFrame(.text, "a").masked + ClientFrame(.text, "b").masked)
                let answers = [ClientFrame(.text, "<a>"), ClientFrame(.text, "<b>")]
                #expect(ClientFrame.all(in: await client.hear(10)) == answers)
                ended = client
            })
        let ending = try await #require(ended).hearToEnd()
        #expect(ClientFrame.all(in: ending) == [ClientFrame(close: 1001, "The server ends.")])
        #expect(handler.closedCount == 1)
    }

    /// What says no TLS but for its first byte, and what goes away in between.
    @Test func whatIsNoHandshakeIsCutOff() async throws {
        try await serve { scene in
            for bytes in [[22, 3, 3, 0, 5, 1, 2, 3, 4, 5], [22] + [UInt8](repeating: 0, count: 1_000)] {
                let client = try #require(SocketClient(port: scene.port))
                client.say(bytes)
                #expect(client.hearToEnd() != nil)
            }
            for bytes in [[], [22], [22, 3, 1, 2, 0]] as [[UInt8]] {
                let client = try #require(SocketClient(port: scene.port))
                client.say(bytes)
                client.resetAtEnd()
            }
            #expect(try await scene.client().get("/", host: Self.name)?.status == 200)
        }
    }

    /// Without a farewell, for which such a client would have to be waited for.
    @Test func whoTakesNothingIsCutOff() async throws {
        var limits = WebLimits()
        limits.backlogBytes = 1 << 20
        let handler = StubSocketHandler { socket, _ in
            for _ in 0..<100 { socket.send(binary: ByteBuffer(repeating: 0, count: 10_000)) }
        }
        try await serve(
            limits, routes: { _, _ in .socket(handler) },
            { scene in
                let client = try await scene.client()
                let response = try await client.get(
                    "/socket", host: Self.name,
                    headers: "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
                #expect(response?.status == 101)
                try await client.stopListening()
                // The server may have cut it off before all is said.
                for _ in 0..<50 { try? await client.say(ClientFrame(.text, "more").masked) }
                var closings = handler.closings.makeAsyncIterator()
                #expect(await closings.next() != nil)
                client.end()
            })
    }

    @Test func newConnectionsGetARenewedCertificate() async throws {
        let directory = TemporaryDirectory()
        let renewed = try MadeCertificate(["DNS:\(Self.name)", "DNS:other.example.org"], in: directory)
        try await serve { scene in
            let old = try await scene.client()
            #expect(try await old.get("/", host: "other.example.org")?.status == 421)
            let kept = try await scene.client()
            scene.server.renew(try WebCertificate(chain: renewed.certificate(), key: renewed.key()))
            // The loop takes it when its turn comes.
            try await scene.loop.submit {}.get()
            await #expect(throws: (any Error).self) { _ = try await scene.client() }
            let new = try await TLSClient(
                port: scene.port, name: "other.example.org", trusting: renewed.certificate())
            #expect(try await new.get("/", host: "other.example.org")?.status == 200)
            #expect(try await kept.get("/", host: Self.name)?.status == 200)
        }
    }
}
