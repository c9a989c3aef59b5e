import NIOCore
import Testing

@testable import WebServer

/// Gives pieces as the test says.
private final class StubStream: WebStream {
    private let loop: any EventLoop
    private let head: EventLoopFuture<WebResponse>
    private var waiting: EventLoopPromise<ByteBuffer?>?
    private(set) var askedCount = 0
    private(set) var isAborted = false

    init(on loop: any EventLoop, head: EventLoopFuture<WebResponse>? = nil) {
        self.loop = loop
        self.head =
            head
            ?? loop.makeSucceededFuture(
                WebResponse(mediaType: "audio/mpeg", body: ByteBuffer(), headers: [("icy-name", "Den")]))
    }

    func begin() -> EventLoopFuture<WebResponse> { head }

    func next() -> EventLoopFuture<ByteBuffer?> {
        askedCount += 1
        let promise = loop.makePromise(of: ByteBuffer?.self)
        waiting = promise
        return promise.futureResult
    }

    func abort() { isAborted = true }

    func give(_ text: String?) {
        let promise = waiting
        waiting = nil
        promise?.succeed(text.map { ByteBuffer(string: $0) })
    }

    func fail() {
        waiting?.fail(WebRefusal(.requestTimeout, "read"))
        waiting = nil
    }
}

// Used on one event loop, by one test.
extension StubStream: @unchecked Sendable {}

/// Responses without a length.
@Suite(.timeLimit(.minutes(5))) struct StreamTests {
    private static let get = "GET /s HTTP/1.1\r\nHost: kitchen\r\n\r\n"

    private final class Scene {
        private(set) var stream: StubStream?
        let client: EmbeddedClient

        init(head: (@Sendable (any EventLoop) -> EventLoopFuture<WebResponse>)? = nil) throws {
            final class Box { var make: (any EventLoop) -> StubStream? = { _ in nil } }
            let box = Box()
            client = try EmbeddedClient { loop in
                StubSite(on: loop) { _ in box.make(loop).map { .stream($0) } }
            }
            box.make = { [unowned self] loop in
                let stream = StubStream(on: loop, head: head?(loop))
                self.stream = stream
                return stream
            }
        }
    }

    @Test func aStreamGoesOnUntilItsEnd() throws {
        let scene = try Scene()
        scene.client.say(StreamTests.get)
        let head = scene.client.hearText()
        #expect(head.hasPrefix("HTTP/1.0 200 OK\r\n") && head.hasSuffix("\r\n\r\n"))
        let lines = head.lowercased().split(separator: "\r\n")
        #expect(lines.contains("content-type: audio/mpeg") && lines.contains("icy-name: den"))
        #expect(lines.contains("connection: close") && lines.contains("cache-control: no-store"))
        #expect(!lines.contains { $0.hasPrefix("content-length") || $0.hasPrefix("transfer-encoding") })
        let stream = try #require(scene.stream)
        for text in ["one", "two"] {
            stream.give(text)
            #expect(scene.client.hearText() == text)
        }
        // It may be silent for as long as it likes.
        scene.client.wait(seconds: 3_600)
        #expect(!scene.client.isClosed)
        stream.give(nil)
        #expect(scene.client.hearText().isEmpty && scene.client.isClosed && !stream.isAborted)
    }

    @Test func aStreamMayRefuse() throws {
        let scene = try Scene { $0.makeFailedFuture(WebRefusal(.unavailable, "install it")) }
        let responses = scene.client.ask(StreamTests.get)
        #expect(responses.map(\.status) == [503] && responses.first?.body.contains("install it") == true)
        #expect(scene.stream?.askedCount == 0 && scene.client.isClosed)
    }

    @Test func headsAreAnsweredWithoutABody() throws {
        let scene = try Scene()
        scene.client.say("HEAD /s HTTP/1.1\r\nHost: kitchen\r\n\r\n")
        let head = scene.client.hearText()
        #expect(head.hasPrefix("HTTP/1.0 200 OK\r\n") && head.hasSuffix("\r\n\r\n"))
        #expect(scene.stream?.isAborted == true && scene.stream?.askedCount == 0 && scene.client.isClosed)
    }

    @Test func aBodyIsRefused() throws {
        let scene = try Scene()
        let responses = scene.client.ask("POST /s HTTP/1.1\r\nHost: kitchen\r\nContent-Length: 1\r\n\r\nx")
        #expect(responses.map(\.status) == [413] && scene.stream?.isAborted == true)
    }

    @Test func whoeverHangsUpEndsTheStream() throws {
        let scene = try Scene()
        scene.client.say(StreamTests.get)
        scene.client.hangUp()
        #expect(scene.stream?.isAborted == true)
        scene.stream?.give("late")
    }

    @Test func aStreamThatFailsIsCutOff() throws {
        let scene = try Scene()
        scene.client.say(StreamTests.get)
        scene.stream?.fail()
        #expect(scene.client.isClosed)
    }

    /// The head was taken by the kernel, or the stream would not be asked.
    @Test func theNextPieceIsAskedForWhenTheLastOneWasTaken() throws {
        let scene = try Scene()
        scene.client.say(StreamTests.get)
        let stream = try #require(scene.stream)
        #expect(stream.askedCount == 1)
        stream.give("one")
        _ = scene.client.hear()
        #expect(stream.askedCount == 2)
    }
}
