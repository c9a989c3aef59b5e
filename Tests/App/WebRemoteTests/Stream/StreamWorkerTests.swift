import AudioCore
import NIOCore
import NIOEmbedded
import Testing
import WebServer
import WireProtocol

@testable import WebRemote

/// A broadcast whose part the test plays.
final class ScriptedConnector: BrowserConnector {
    final class Passage: BrowserPassage {
        var heard: [UInt8] = []
        var writtenCount = 0
        var isClosed = false

        func receive(_ bytes: ByteBuffer) { heard += bytes.readableBytesView }
        func noteWritten(byteCount: Int) { writtenCount += byteCount }
        func close() { isClosed = true }
    }

    let isOpen: Bool
    let passage = Passage()
    var send: (ByteBuffer) -> Void = { _ in }
    var close: () -> Void = {}

    init(isOpen: Bool = true) { self.isOpen = isOpen }

    func connect(
        instance: UInt64, address: String, send: @escaping @Sendable (ByteBuffer) -> Void,
        close: @escaping @Sendable () -> Void
    ) -> (any BrowserPassage)? {
        (self.send, self.close) = (send, close)
        return isOpen ? passage : nil
    }
}

// Used by one test, on its thread.
extension ScriptedConnector: @unchecked Sendable {}
extension ScriptedConnector.Passage: @unchecked Sendable {}

/// A stream's work on a clock of the test's.
private final class WorkerScene {
    private final class Clock { var now = HostTime(nanoseconds: 0) }

    let loop = EmbeddedEventLoop()
    let connector: ScriptedConnector
    let worker: StreamWorker
    private let clock: Clock
    private(set) var head: Result<WebResponse, any Error>?

    init(isOpen: Bool = true, _ makeEncoder: StreamEncoderMaker? = nil) {
        connector = ScriptedConnector(isOpen: isOpen)
        let clock = Clock()
        nonisolated(unsafe) let its = clock
        self.clock = clock
        worker = StreamWorker(
            running: RunningLoop(loop), connector: connector, address: "192.0.2.1",
            head: WebResponse(mediaType: "audio/mpeg", body: ByteBuffer()), makeEncoder: makeEncoder,
            now: { its.now })
        worker.begin().assumeIsolated().whenComplete { [unowned self] in head = $0 }
        loop.run()
    }

    var seconds: Double { (clock.now - HostTime(nanoseconds: 0)).seconds }

    /// The reason of a refusal.
    var refusal: WebRefusal? {
        guard case .failure(let error) = head else { return nil }
        return error as? WebRefusal
    }

    func say(_ bytes: ByteBuffer...) {
        for bytes in bytes { connector.send(bytes) }
        loop.run()
    }

    func wait(_ seconds: Double) {
        for _ in 0..<Int((seconds / 0.05).rounded()) {
            clock.now += .milliseconds(50)
            loop.advanceTime(by: .milliseconds(50))
        }
    }

    enum Piece: Equatable {
        case pending, bytes(Int), end, failed
    }

    /// Asks for a piece.
    func take() -> Piece {
        var piece = Piece.pending
        worker.next().assumeIsolated().whenComplete { result in
            switch result {
            case .success(let bytes?): piece = .bytes(bytes.readableBytes)
            case .success(nil): piece = .end
            case .failure: piece = .failed
            }
        }
        loop.run()
        return piece
    }

    func playMP3(seconds: Int = 10) {
        let song = BroadcastScript.Song(seconds: seconds)
        say(
            BroadcastScript.opening(), BroadcastScript.begin(Epoch(1), song.format),
            BroadcastScript.packets(Epoch(1), song.frames[...]),
            BroadcastScript.anchor(Epoch(1), .zero, at: self.seconds + 0.1))
    }
}

/// Notes what a listener says.
private struct SpokenMessages: WireSink {
    var messages: [ControlMessage] = []

    mutating func wireDidParse(_ message: ControlMessage) { messages.append(message) }
    mutating func streamDidParse(property: AudioStreamProperty) {}
    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {}

    static func all(in bytes: [UInt8]) throws -> [ControlMessage] {
        var (bytes, parser, sink) = (ByteBuffer(bytes: bytes), WireParser(), SpokenMessages())
        _ = try Preamble.read(from: &bytes, expecting: .plain)
        try parser.parse(bytes, into: &sink)
        return sink.messages
    }
}

@Suite(.timeLimit(.minutes(5)))
struct StreamWorkerTests {
    @Test func itIsAListenerThatReports() throws {
        let scene = WorkerScene()
        scene.playMP3(seconds: 5)
        scene.wait(3)
        guard case .greeting(let greeting) = try #require(SpokenMessages.all(in: scene.connector.passage.heard).first)
        else {
            Issue.record("greets first")
            return
        }
        #expect(greeting.roles == .listener && greeting.name == "radio at 192.0.2.1")
        #expect(greeting.codecs == [.mpegLayer3, .linearPCM])
        let reports = try SpokenMessages.all(in: scene.connector.passage.heard).compactMap { message in
            if case .report(let report) = message { report } else { nil }
        }
        #expect((6...10).contains(reports.count))
        let last = try #require(reports.last)
        #expect(last.state == .playing && last.epoch == Epoch(1) && last.timing == nil)
        #expect(last.received == FramePosition(Int64(5 * 44_100 / 1_152 * 1_152)))
        #expect(scene.connector.passage.writtenCount > 5 * 16_000)
    }

    @Test func aStreamBeginsWithTheSong() throws {
        let scene = WorkerScene()
        #expect(scene.head == nil)
        scene.playMP3()
        guard case .success(let head) = scene.head else {
            Issue.record("the song is MP3")
            return
        }
        #expect(head.mediaType == "audio/mpeg")
        guard case .bytes(let count) = scene.take() else {
            Issue.record("two seconds are there at once")
            return
        }
        #expect(count > 0 && count <= StreamWorker.pieceByteCount)
    }

    @Test func aStreamBeginsAlsoWhereNothingPlays() {
        let scene = WorkerScene()
        scene.say(BroadcastScript.opening())
        scene.wait(2.1)
        guard case .success = scene.head, case .bytes = scene.take() else {
            Issue.record("silence is streamed")
            return
        }
    }

    @Test func withoutAnEncoderOtherSongsAreRefused() {
        let scene = WorkerScene()
        scene.say(BroadcastScript.opening(), BroadcastScript.begin(Epoch(1), BroadcastScript.pcmFormat))
        #expect(scene.refusal?.status == .unavailable)
        #expect(scene.refusal?.reason.contains("install libmp3lame0 on the machine that broadcasts") == true)
        #expect(scene.connector.passage.isClosed)
    }

    @Test func withoutABroadcastThereIsNone() {
        let away = WorkerScene(isOpen: false)
        #expect(away.refusal?.status == .unavailable && away.take() == .end)
        let refused = WorkerScene()
        refused.say(BroadcastScript.opening(isWelcome: false), WireEncoder.refusal(Refusal(.leaving, "over")))
        #expect(refused.refusal?.status == .unavailable && refused.connector.passage.isClosed)
    }

    @Test func aClientThatDoesNotReadIsCutOff() {
        let scene = WorkerScene()
        scene.say(BroadcastScript.opening())
        // 128 kbit/s of silence.
        scene.wait(60)
        #expect(!scene.connector.passage.isClosed)
        scene.wait(10)
        #expect(scene.connector.passage.isClosed && scene.take() == .failed)
    }

    @Test func whatIsLeftIsStreamedAtTheEnd() {
        let scene = WorkerScene()
        scene.playMP3()
        scene.say(WireEncoder.broadcastEnd(BroadcastEnd(.completed)))
        #expect(scene.connector.passage.isClosed)
        guard case .bytes = scene.take() else {
            Issue.record("two seconds were there")
            return
        }
        while case .bytes = scene.take() {}
        #expect(scene.take() == .end)
    }

    @Test func whoeverWaitsHearsOfTheEnd() {
        let scene = WorkerScene()
        scene.playMP3(seconds: 1)
        while case .bytes = scene.take() {}
        scene.connector.close()
        scene.loop.run()
        #expect(scene.connector.passage.isClosed && scene.take() == .end)
        let aborted = WorkerScene()
        aborted.playMP3()
        aborted.worker.abort()
        #expect(aborted.connector.passage.isClosed && aborted.take() == .end)
    }

    @Test func noiseEndsIt() {
        let scene = WorkerScene()
        scene.say(ByteBuffer(string: "GET / HTTP/1.1\r\n"))
        #expect(scene.connector.passage.isClosed && scene.refusal != nil)
    }
}
