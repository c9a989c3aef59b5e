import AudioCore
import Testing
import WireProtocol

@testable import Broadcasting

/// What one listener is sent, without a session.
@Suite(.timeLimit(.minutes(5)))
struct ListenerFeedTests {
    private struct Scene {
        var track = SongFixture.track(seconds: 20)
        var feed = ListenerFeed(codecs: [.linearPCM])
        var inbox = Inbox()
        private var placementCount = 0
        var held: FramePosition?
        /// What follows the track.
        var following: BroadcastTrack?
        var inFlight = 0
        var dropped: [Int] = []
        var isCrowded = false

        init() { inbox.take(WireEncoder.greeting(ScriptedBroadcast.greeting)) }

        /// What it was told besides packets, behind the greeting.
        var told: [ControlMessage] { Array(inbox.messages.dropFirst()) }

        /// What is due at so many seconds of play time goes out, and is taken by the socket unless it is told
        /// otherwise.
        mutating func feed(at seconds: Double, isLearningClock: Bool = false, isRead: Bool = true) {
            let now = HostTime(nanoseconds: Int64(seconds * 1e9))
            let portion = feed.next(plan(now), bytesInFlight: inFlight, isLearningClock: isLearningClock, now: now)
            for message in portion.messages { inbox.take(message) }
            inFlight = isRead ? 0 : portion.bytesInFlight
            dropped += portion.droppedPacketCount.map { [$0] } ?? []
        }

        func plan(_ now: HostTime) -> FeedingPlan {
            let track = FeedingPlan.Track(track, now)
            track.heldFrame = held
            let following = following.map { FeedingPlan.Track($0, now) }
            return FeedingPlan(
                tracks: [track] + (following.map { [$0] } ?? []), horizon: .seconds(10), isCrowded: isCrowded)
        }

        /// It has all that it was sent.
        mutating func acknowledge(at seconds: Double, roundTrip: TimeSpan? = nil) {
            let now = HostTime(nanoseconds: Int64(seconds * 1e9))
            feed.acknowledge(inbox.end ?? .zero, of: Epoch(1), roundTrip: roundTrip, now: now)
        }

        mutating func start(at seconds: Double = 0) {
            let session = SessionTime(nanoseconds: Int64(seconds * 1e9))
            placementCount += 1
            track.place(
                by: Anchor(epoch: Epoch(1), frame: .zero, session: session, framesPerSecond: 8_000),
                number: placementCount)
        }
    }

    @Test func itGoesFromPropertiesToTheEnd() throws {
        var scene = Scene()
        scene.track.song = BroadcastSong(epoch: Epoch(1), fallbackTitle: "")
        scene.feed(at: 0)
        #expect(!scene.feed.isAnnounced && scene.told.isEmpty)
        scene.track.song = SongFixture.song(seconds: 0)
        scene.feed(at: 0)
        #expect(scene.feed.isAnnounced && scene.told == [.streamBegins(Epoch(1))])
        scene.track.song.give(seconds: 2)
        scene.feed(at: 0)
        // Before the start is decided a second is enough.
        #expect(scene.inbox.packets.count == 20)
        scene.start()
        scene.feed(at: 0)
        scene.acknowledge(at: 0)
        scene.track.song.finish()
        scene.feed(at: 0.1)
        scene.feed(at: 0.2)
        let anchor = try #require(scene.track.anchor)
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
        #expect(scene.inbox.anchors.last == scene.track.anchor)
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

    /// Who has all of a short song, or of a song that is over, says so twice a second. That tells nothing of its link.
    @Test func whoLacksNothingIsNotTakenForSlow() {
        var scene = Scene()
        scene.track = SongFixture.track(seconds: 1)
        scene.track.song.finish()
        scene.start()
        for halfSecond in 0...12 {
            scene.feed(at: Double(halfSecond) * 0.5)
            scene.acknowledge(at: Double(halfSecond) * 0.5, roundTrip: .milliseconds(1))
        }
        #expect(scene.inbox.packets.count == 20)
        scene.track = SongFixture.track(seconds: 20, epoch: Epoch(2))
        scene.feed(at: 6.5)
        #expect(scene.inbox.packets.count == 20 + 20)
    }

    /// A little arrived of what is on the way to it: among few it is sent as much again at once.
    @Test(arguments: [false, true]) func amongManyNothingIsSentLittleByLittle(isCrowded: Bool) {
        var scene = Scene()
        scene.isCrowded = isCrowded
        scene.start()
        scene.feed(at: 0)
        #expect(scene.inbox.end == FramePosition(8_000))
        for (received, end) in [(1_600, isCrowded ? 8_000 : 9_600), (4_000, 12_000)] as [(Int64, Int64)] {
            scene.feed.acknowledge(
                FramePosition(received), of: Epoch(1), roundTrip: nil, now: HostTime(nanoseconds: 0))
            scene.feed(at: 0)
            #expect(scene.inbox.end == FramePosition(end))
        }
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
        let now = HostTime(nanoseconds: 0)
        scene.feed.passOver(before: FramePosition(5 * 8_000), of: Epoch(1), scene.plan(now))
        scene.feed.acknowledge(FramePosition(5 * 8_000), of: Epoch(1), roundTrip: nil, now: now)
        scene.feed(at: 0)
        #expect(scene.inbox.packets.dropFirst(count).first == FramePosition(5 * 8_000))
    }

    @Test func whoIsBackWithTheNextSongIsSentThat() {
        var scene = Scene()
        scene.track.song.finish()
        scene.following = SongFixture.track(seconds: 5, epoch: Epoch(2))
        scene.start()
        scene.feed(at: 0)
        let count = scene.told.count
        scene.feed.passOver(before: FramePosition(800), of: Epoch(2), scene.plan(HostTime(nanoseconds: 0)))
        scene.feed(at: 0)
        #expect(scene.told.dropFirst(count).contains(.streamBegins(Epoch(2))))
    }

    /// It comes in the gap before a song whose server is slow.
    @Test func whoComesWhenAllIsOverWaitsForTheNextSong() {
        var scene = Scene()
        scene.track = SongFixture.track(seconds: 2)
        scene.track.song.finish()
        scene.start()
        scene.feed(at: 3)
        #expect(scene.inbox.packets.isEmpty)
        scene.following = SongFixture.track(seconds: 5, epoch: Epoch(2))
        scene.feed(at: 3)
        #expect(scene.inbox.packets.count == 20)
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
