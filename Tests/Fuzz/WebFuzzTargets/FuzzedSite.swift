import NIOCore
import WebServer

/// Checks that what reaches it is what a server lets through.
final class FuzzedSite: WebSite {
    enum Message: Equatable {
        case text(String)
        case binary(ByteBuffer)
    }

    private let loop: any EventLoop
    private let messageByteLimit: Int
    private(set) var messages: [Message] = []
    private var broken: String?
    private var openCount = 0

    private static let bodyByteLimit = 100

    init(on loop: any EventLoop, messageByteLimit: Int) {
        self.loop = loop
        self.messageByteLimit = messageByteLimit
    }

    /// Once its connection has ended.
    var violation: String? { broken ?? (openCount == 0 ? nil : "\(openCount) uploads or sockets did not end") }

    private func expect(_ isTrue: Bool, _ rule: @autoclosure () -> String) {
        if !isTrue, broken == nil { broken = rule() }
    }

    func route(_ request: WebRequest) -> WebRoute {
        let isName = ["kitchen", "kitchen.local", "localhost"].contains(request.host)
        expect(isName || (try? SocketAddress(ipAddress: request.host, port: 0)) != nil, "host \(request.host)")
        let segments = request.path.split(separator: "/", omittingEmptySubsequences: false)
        expect(
            segments.first?.isEmpty == true && segments.count > 1
                && segments.dropFirst().dropLast().allSatisfy { !$0.isEmpty }
                && !segments.contains("..") && !segments.contains(".")
                && !request.path.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "path \(request.path)")
        expect(request.header("origin").map { $0.lowercased().hasPrefix("http://") } ?? true, "a foreign origin")
        expect(request.header("sec-fetch-site")?.lowercased() != "cross-site", "a foreign site")
        switch request.path {
        case "/socket": return .socket(Handler(self))
        case "/collect":
            return .collect(byteLimit: Self.bodyByteLimit) { [self] body in
                expect(body.readableBytes <= Self.bodyByteLimit, "a body of \(body.readableBytes) bytes")
                return loop.makeSucceededFuture(response("\(body.readableBytes)"))
            }
        case "/upload":
            openCount += 1
            return .upload(Upload(self))
        case "/refuse": return .respond(loop.makeFailedFuture(WebRefusal(.conflict, request.query("x") ?? "")))
        default: return .respond(response(request.path), on: loop)
        }
    }

    private func response(_ text: String) -> WebResponse {
        WebResponse(mediaType: "text/plain", body: ByteBuffer(string: text), headers: [("ETag", "\"1\"")])
    }

    /// Takes at once, and refuses what is large.
    private final class Upload: WebUpload {
        private let site: FuzzedSite
        private var byteCount = 0
        private var isOver = false

        init(_ site: FuzzedSite) { self.site = site }

        func take(_ part: ByteBuffer) -> EventLoopFuture<Void> {
            site.expect(!isOver, "a piece after the end")
            byteCount += part.readableBytes
            if byteCount < 1_000 { return site.loop.makeSucceededVoidFuture() }
            return site.loop.makeFailedFuture(WebRefusal(.contentTooLarge, "too large"))
        }

        func finish() -> EventLoopFuture<WebResponse> {
            end()
            return site.loop.makeSucceededFuture(site.response("\(byteCount)"))
        }

        func abort() { end() }

        private func end() {
            site.expect(!isOver, "an upload ends twice")
            isOver = true
            site.openCount -= 1
        }
    }

    /// Echoes texts.
    private final class Handler: WebSocketHandler {
        private let site: FuzzedSite
        private var socket: WebSocketConnection?

        init(_ site: FuzzedSite) { self.site = site }

        var messageByteLimit: Int { site.messageByteLimit }

        func opened(_ socket: WebSocketConnection) {
            site.openCount += 1
            self.socket = socket
        }

        func received(text: String) {
            take(.text(text), byteCount: text.utf8.count)
            socket?.send(text: text)
        }

        func received(binary: ByteBuffer) { take(.binary(binary), byteCount: binary.readableBytes) }

        private func take(_ message: Message, byteCount: Int) {
            site.expect(socket != nil, "a message of a socket that is not open")
            site.expect(byteCount <= messageByteLimit, "a message of \(byteCount) bytes")
            site.messages.append(message)
        }

        func closed() {
            site.expect(socket != nil, "a socket ends twice")
            socket = nil
            site.openCount -= 1
        }
    }
}

// Used by one run.
extension FuzzedSite: @unchecked Sendable {}
