import NIOCore

@testable import WebServer

/// A site that does what a test says, and notes what it was asked.
final class StubSite: WebSite {
    private let loop: any EventLoop
    private var requests: [WebRequest] = []
    private let routes: (WebRequest) -> WebRoute?

    /// - Parameter routes: nil for the path of the request as text.
    init(on loop: any EventLoop, routes: @escaping (WebRequest) -> WebRoute? = { _ in nil }) {
        self.loop = loop
        self.routes = routes
    }

    /// The paths that were asked for.
    var paths: [String] { requests.map(\.path) }

    var lastRequest: WebRequest? { requests.last }

    func route(_ request: WebRequest) -> WebRoute {
        requests.append(request)
        return routes(request) ?? .respond(.text(request.path), on: loop)
    }
}

// Used on one event loop, or by one test.
extension StubSite: @unchecked Sendable {}

extension WebResponse {
    static func text(_ text: String, headers: [(String, String)] = []) -> WebResponse {
        WebResponse(mediaType: "text/plain", body: ByteBuffer(string: text), headers: headers)
    }
}

/// Takes pieces as the test lets it.
final class StubUpload: WebUpload {
    private let loop: any EventLoop
    private let takesAtOnce: Bool
    private var pending: EventLoopPromise<Void>?
    private(set) var taken: [UInt8] = []
    private(set) var pieceCount = 0
    private(set) var isFinished = false
    private(set) var isAborted = false

    init(on loop: any EventLoop, takesAtOnce: Bool = true) {
        self.loop = loop
        self.takesAtOnce = takesAtOnce
    }

    func take(_ part: ByteBuffer) -> EventLoopFuture<Void> {
        taken += part.readableBytesView
        pieceCount += 1
        if takesAtOnce { return loop.makeSucceededVoidFuture() }
        let promise = loop.makePromise(of: Void.self)
        pending = promise
        return promise.futureResult
    }

    /// Lets the last piece be taken, or refused.
    func release(_ error: (any Error)? = nil) {
        let promise = pending
        pending = nil
        if let error { promise?.fail(error) } else { promise?.succeed() }
    }

    func finish() -> EventLoopFuture<WebResponse> {
        isFinished = true
        return loop.makeSucceededFuture(.text("took \(taken.count)"))
    }

    func abort() {
        isAborted = true
        release(WebRefusal(.internalError, "aborted"))
    }
}

// Used on one event loop, or by one test.
extension StubUpload: @unchecked Sendable {}

/// Notes what happens on a WebSocket.
final class StubSocketHandler: WebSocketHandler {
    private(set) var socket: WebSocketConnection?
    private(set) var texts: [String] = []
    private(set) var binaries: [[UInt8]] = []
    private(set) var writtenByteCount = 0
    private(set) var closedCount = 0
    /// One for each time that it closed.
    let (closings, closing) = AsyncStream<Void>.makeStream()
    private let onText: (WebSocketConnection, String) -> Void

    init(onText: @escaping (WebSocketConnection, String) -> Void = { _, _ in }) { self.onText = onText }

    func opened(_ socket: WebSocketConnection) { self.socket = socket }

    func received(text: String) {
        texts.append(text)
        if let socket { onText(socket, text) }
    }

    func received(binary: ByteBuffer) { binaries.append(Array(binary.readableBytesView)) }

    func wrote(byteCount: Int) { writtenByteCount += byteCount }

    func closed() {
        closedCount += 1
        closing.yield()
    }
}

// Used on one event loop, or by one test.
extension StubSocketHandler: @unchecked Sendable {}
