import AudioCore
import Testing
import WireProtocol

@testable import Broadcasting

/// What one listener is sent, without a session.
@Suite(.timeLimit(.minutes(5)))
struct ListenerFeedTests {
    private struct Scene {
        var song = SongFixture.song(seconds: 20)
        var feed = ListenerFeed(.original)
        var inbox = Inbox()
        var anchor: NumberedAnchor?
        var held: FramePosition?
        var inFlight = 0
        var dropped: [Int] = []

        init() { inbox.take(WireEncoder.opening(ScriptedBroadcast.greeting)) }

        /// What it was told besides packets, behind the greeting.
        var told: [ControlMessage] { Array(inbox.messages.dropFirst()) }

        /// What is due at so many seconds of play time goes out, and is taken by the socket unless it is told
        /// otherwise.
        mutating func feed(at seconds: Double, isLearningClock: Bool = false, isRead: Bool = true) {
            let position = FramePosition(Int64(seconds * 8_000))
            let plan = FeedingPlan(
                song, pcm: nil, position: position, anchor: anchor, heldFrame: held, horizon: .seconds(10))
            let now = HostTime(nanoseconds: Int64(seconds * 1e9) + 1_000_000_000)
            let portion = feed.next(plan, bytesInFlight: inFlight, isLearningClock: isLearningClock, now: now)
            for message in portion.messages { inbox.take(message) }
            inFlight = isRead ? 0 : portion.bytesInFlight
            dropped += portion.droppedPacketCount.map { [$0] } ?? []
        }

        /// It has all that it was sent.
        mutating func acknowledge(at seconds: Double) {
            let now = HostTime(nanoseconds: Int64(seconds * 1e9) + 1_000_000_000)
            feed.acknowledge(inbox.end ?? .zero, now: now)
        }

        mutating func start(at seconds: Double = 0) {
            let session = SessionTime(nanoseconds: Int64(seconds * 1e9))
            anchor = NumberedAnchor(
                Anchor(epoch: Epoch(1), frame: .zero, session: session, framesPerSecond: 8_000), after: anchor)
        }
    }

    @Test func itGoesFromPropertiesToTheEnd() throws {
        var scene = Scene()
        scene.song = BroadcastSong(epoch: Epoch(1), fallbackTitle: "")
        scene.feed(at: 0)
        #expect(!scene.feed.isAnnounced && scene.told.isEmpty)
        scene.song = SongFixture.song(seconds: 0)
        scene.feed(at: 0)
        #expect(scene.feed.isAnnounced && scene.told == [.streamBegins(Epoch(1))])
        scene.song.give(seconds: 2)
        scene.feed(at: 0)
        // Before the start is decided a second is enough.
        #expect(scene.inbox.packets.count == 20)
        scene.start()
        scene.feed(at: 0)
        scene.acknowledge(at: 0)
        scene.song.finish()
        scene.feed(at: 0.1)
        scene.feed(at: 0.2)
        let anchor = try #require(scene.anchor?.anchor)
        #expect(
            scene.told == [
                .streamBegins(Epoch(1)), .entry(EntryMark(epoch: Epoch(1), frame: .zero, lostPacketCount: 0)),
                .anchor(anchor), .streamEnds(Epoch(1), FramePosition(16_000)),
            ])
        #expect(scene.inbox.packets.count == 40)
    }

    @Test func eachAnchorIsToldOnce() {
        var scene = Scene()
        scene.start()
        for _ in 0..<3 { scene.feed(at: 0) }
        #expect(scene.inbox.anchors.count == 1)
        scene.start(at: 0.001)
        scene.start(at: 0.002)
        for _ in 0..<3 { scene.feed(at: 0) }
        #expect(scene.inbox.anchors.count == 2)
        #expect(scene.inbox.anchors.last == scene.anchor?.anchor)
    }

    @Test func aSocketThatIsFullIsGivenNothing() {
        var scene = Scene()
        scene.start()
        for second in 0..<8 {
            scene.feed(at: Double(second) * 0.5, isRead: false)
            scene.acknowledge(at: Double(second) * 0.5)
        }
        #expect((BroadcastLimits.bytesInFlight...BroadcastLimits.bytesInFlight + 2_000).contains(scene.inFlight))
    }

    @Test func whoLearnsTheClockHereIsGivenASecond() {
        var scene = Scene()
        scene.start()
        for _ in 0..<5 {
            scene.feed(at: 0, isLearningClock: true)
            scene.acknowledge(at: 0)
        }
        #expect(scene.inbox.packets.count == 20)
        for _ in 0..<15 {
            scene.feed(at: 0)
            scene.acknowledge(at: 0)
        }
        // The whole horizon.
        #expect(scene.inbox.packets.count == 200)
    }

    @Test func whatIsHeldBackIsNotSent() {
        var scene = Scene()
        scene.start()
        scene.held = FramePosition(4_000)
        scene.feed(at: 0)
        #expect(scene.inbox.packets.count == 10)
    }

    @Test func whoIsBackIsNotSentWhatItHolds() {
        var scene = Scene()
        scene.start()
        scene.feed(at: 0)
        let count = scene.inbox.packets.count
        let plan = FeedingPlan(
            scene.song, pcm: nil, position: .zero, anchor: scene.anchor, heldFrame: nil, horizon: .seconds(10))
        scene.feed.passOver(before: FramePosition(5 * 8_000), plan)
        scene.feed.acknowledge(FramePosition(5 * 8_000), now: HostTime(nanoseconds: 1_000_000_000))
        scene.feed(at: 0)
        #expect(scene.inbox.packets.dropFirst(count).first == FramePosition(5 * 8_000))
    }

    /// Nothing overtakes what is on the way. What was lost is counted, and told now and then.
    @Test func whoFellBehindGoesOnWhenThatHasCome() throws {
        var scene = Scene()
        scene.start()
        scene.feed(at: 0)
        let count = scene.inbox.packets.count
        scene.feed(at: 3)
        scene.feed(at: 4)
        #expect(scene.inbox.packets.count == count && scene.inbox.entries.count == 1)
        scene.acknowledge(at: 5)
        scene.feed(at: 5)
        let mark = try #require(scene.inbox.entries.last)
        #expect(scene.inbox.entries.count == 2 && mark.frame == FramePosition(8 * 8_000))
        #expect(scene.dropped == [Int(mark.lostPacketCount)] && mark.lostPacketCount == 140)
        #expect(scene.inbox.packets.dropFirst(count).first == mark.frame)
    }
}
