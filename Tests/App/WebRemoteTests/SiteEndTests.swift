import AudioCore
import NIOCore
import NIOEmbedded
import StreamTestKit
import Synchronization
import Testing
import WireProtocol

@testable import WebRemote
@testable import WebServer

/// Keeps songs, and who waits for them, until the test says what became of them.
private final class HeldSender: SongSender {
    private let waiting = Mutex<[@Sendable (SongSendingResult) -> Void]>([])

    var count: Int { waiting.withLock { $0.count } }

    func send(_ file: SpooledFile, position: Int?, then: @escaping @Sendable (SongSendingResult) -> Void) {
        waiting.withLock { $0.append(then) }
    }

    func answer() {
        for then in waiting.withLock({ $0 }) { then(SongSendingResult(isDone: true, text: "")) }
    }
}

/// A page that is asked before it has the broadcast's state, and one that ends while something is under way.
@Suite(.timeLimit(.minutes(5)))
struct SiteEndTests {
    @Test func programsAreAnsweredOnceTheStateIsThere() throws {
        let scene = SiteScene(isFollowing: false)
        guard case .respond(let status) = try scene.route("GET", "/api/v1/status"),
            case .respond(let queue) = try scene.route("GET", "/api/v1/queue"),
            case .collect(_, let take) = try scene.route("POST", "/api/v1/commands")
        else {
            Issue.record("is refused at once")
            return
        }
        let command = take(ByteBuffer(string: #"{"pause":{}}"#))
        for future in [status, queue, command] { #expect(scene.answer(.respond(future)) == nil) }
        scene.broadcast.take(.connected("Den"))
        #expect(scene.answer(.respond(status)) == nil)
        scene.broadcast.take(.state(DeskScene.state, nil))
        #expect(scene.answer(.respond(status))?.code == 200)
        scene.broadcast.take(.page(DeskScene.page(0)))
        #expect(scene.answer(.respond(queue))?.code == 200)
        let id = try #require(scene.broadcast.command?.id)
        scene.broadcast.take(.outcome(CommandOutcome(id: id, .refused(.nothingPlays))))
        #expect(scene.answer(.respond(command))?.code == 409)
    }

    @Test func whoMayNothingDoesNotWait() throws {
        let scene = SiteScene(isInHousehold: true, isFollowing: false)
        #expect(try scene.get("/api/v1/status") == 401)
        #expect(scene.answer(try scene.route("POST", "/api/v1/commands"), body: #"{"pause":{}}"#)?.code == 401)
    }

    @Test func aStateIsNotAwaitedForLongNorByMany() {
        let scene = DeskScene()
        var told: [Bool] = []
        for _ in 0..<StateWaiters.limit { scene.desk.whenFollowing(now: scene.now) { told.append($0) } }
        #expect(told.isEmpty)
        scene.desk.whenFollowing(now: scene.now) { told.append($0) }
        #expect(told == [false])
        scene.now += .milliseconds(1_900)
        scene.desk.tick(now: scene.now)
        #expect(told.count == 1)
        scene.now += .milliseconds(100)
        scene.desk.tick(now: scene.now)
        #expect(told.count == StateWaiters.limit + 1 && !told.contains(true))
        // Others may wait now.
        scene.desk.whenFollowing(now: scene.now) { told.append($0) }
        scene.take(.connected("Den"))
        scene.take(.state(DeskScene.state, nil))
        #expect(told.last == true)
    }

    @Test func whatIsUnderWayEndsWithThePage() throws {
        let scene = SiteScene()
        guard case .respond(let picture) = try scene.route("GET", "/api/v1/items/1/artwork"),
            case .collect(_, let take) = try scene.route("POST", "/api/v1/commands")
        else { return }
        let command = take(ByteBuffer(string: #"{"pause":{}}"#))
        let waiting = SiteScene(isFollowing: false)
        guard case .respond(let status) = try waiting.route("GET", "/api/v1/status") else { return }
        for its in [scene, waiting] {
            var isOver = false
            its.site.shutDown().assumeIsolated().whenSuccess { isOver = true }
            its.loop.run()
            #expect(isOver)
        }
        #expect(scene.answer(.respond(picture))?.code == 503 && scene.answer(.respond(command))?.code == 503)
        #expect(waiting.answer(.respond(status))?.code == 503)
        // Nobody hears of what comes yet.
        scene.broadcast.take(.foundNothing(.artwork(of: ItemID(1)), reason: ""))
    }

    /// On a loop that takes what disks' threads bring.
    @Test func aSongThatIsHandedOverIsNotWaitedFor() async throws {
        let sender = HeldSender()
        let loop = NIOAsyncTestingEventLoop()
        let code = Mutex<Int?>(nil)
        let site = try await loop.executeInContext {
            let desk = BroadcastDesk { _ in }
            desk.take(.connected("Den"), now: .now())
            desk.take(.state(DeskScene.state, nil), now: .now())
            let site = Site(
                running: RunningLoop(loop), desk: desk, isInHousehold: false,
                parts: Site.Parts(
                    connector: ClosedConnector(), sender: sender, acceptsSongs: true, name: "Den", emit: { _ in }))
            let request = WebRequest(
                method: "POST", isHead: false, target: try RequestTarget("/api/v1/songs?name=a.mp3"), host: "kitchen",
                address: "192.0.2.1", headers: [:])
            guard case .upload(let upload) = site.route(request), let song = upload as? SongUpload else { return site }
            song.take(ByteBuffer(string: "song")).flatMap { song.finish() }.whenComplete { result in
                guard case .failure(let error as WebRefusal) = result else { return }
                code.withLock { $0 = error.status.code }
            }
            return site
        }
        _ = try await waitUntil(within: .seconds(10)) {
            await loop.run()
            return sender.count > 0
        }
        #expect(sender.count == 1 && code.withLock { $0 } == nil)
        try await loop.executeInContext { _ = site.shutDown() }
        await loop.run()
        #expect(code.withLock { $0 } == 503)
        // Its thread comes back when the loop may be gone.
        sender.answer()
        await loop.run()
        #expect(code.withLock { $0 } == 503)
    }

    @Test func streamsEndWithThePage() throws {
        let connector = ScriptedConnector()
        let scene = SiteScene(connector: connector)
        guard case .stream(let stream) = try scene.route("GET", "/stream") else {
            Issue.record("is not streamed")
            return
        }
        let head = stream.begin()
        scene.loop.run()
        #expect(scene.answer(.respond(head)) == nil && !connector.passage.isClosed)
        _ = scene.site.shutDown()
        #expect(scene.answer(.respond(head))?.code == 503 && connector.passage.isClosed && scene.site.streams.isEmpty)
        // The broadcast's own thread does not know it yet.
        connector.send(ByteBuffer(string: "more"))
        connector.close()
        scene.loop.run()
    }

    @Test func aLoopThatEndedIsBroughtNothing() {
        let loop = EmbeddedEventLoop()
        let running = RunningLoop(loop)
        let count = Mutex(0)
        running.execute { count.withLock { $0 += 1 } }
        running.end()
        running.execute { count.withLock { $0 += 1 } }
        loop.run()
        #expect(count.withLock { $0 } == 1)
    }
}
