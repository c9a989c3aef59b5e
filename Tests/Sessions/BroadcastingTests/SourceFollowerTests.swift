import AudioCore
import Testing

@testable import Broadcasting

/// How a source is followed, whatever listens.
@Suite(.timeLimit(.minutes(5)))
struct SourceFollowerTests {
    /// Two seconds of song, of which frame 0 was due at the beginning.
    private struct Scene {
        var song = SongFixture.song(seconds: 2)
        var follower = SourceFollower(configuration)
        var anchor = Anchor(
            epoch: Epoch(1), frame: .zero, session: SessionTime(nanoseconds: 1_000_000_000), framesPerSecond: 8_000)
        var findings: [SourceFollower.Finding] = []

        static let configuration = BroadcastConfiguration(greeting: ScriptedBroadcast.greeting, clockPort: 1)

        /// Looks at so many seconds of play time, and goes by what was found.
        mutating func look(_ seconds: Double) {
            for finding in follower.watch(song, by: anchor, now: Self.time(seconds)) {
                if case .goesOn(let moved, _) = finding { anchor = moved }
                findings.append(finding)
            }
        }

        func position(_ seconds: Double) -> FramePosition {
            follower.position(by: anchor, at: SessionTime(nanoseconds: Self.time(seconds).nanoseconds))
        }

        static func time(_ seconds: Double) -> HostTime {
            HostTime(nanoseconds: 1_000_000_000 + Int64(seconds * 1e9))
        }
    }

    @Test func aSourceThatKeepsUpIsLetBe() {
        var scene = Scene()
        for step in 0..<18 { scene.look(Double(step) * 0.1) }
        #expect(scene.findings == [] && scene.follower.heldFrame == nil)
    }

    @Test func whatIsNotThereInTimeIsKeptBackAndTheTimelineMoved() {
        var scene = Scene()
        scene.look(1.85)
        // Nothing is due yet: nobody is told.
        #expect(scene.findings == [] && scene.follower.heldFrame == FramePosition(16_000))
        scene.look(2.05)
        #expect(scene.findings == [.fellSilent])
        #expect(scene.position(5) == FramePosition(16_000))
        scene.song.give(seconds: 1)
        // It may still be heard what was heard last.
        scene.look(2.5)
        #expect(scene.findings.count == 1)
        scene.look(2.75)
        var moved = scene.anchor
        moved.frame = FramePosition(16_000)
        moved.session = SessionTime(nanoseconds: Scene.time(3).nanoseconds)
        #expect(scene.findings == [.fellSilent, .goesOn(moved, silence: .seconds(1))])
        #expect(scene.follower.heldFrame == nil && scene.position(2.8) == FramePosition(16_000))
        #expect(scene.position(3.5) == FramePosition(20_000))
    }

    @Test func whatComesInTimeMovesNothing() {
        var scene = Scene()
        scene.look(1.85)
        scene.song.give(seconds: 1)
        scene.look(1.94)
        #expect(scene.findings == [] && scene.follower.heldFrame == nil)
        #expect(scene.position(2.5) == FramePosition(20_000))
    }

    @Test func whatComesAMomentBeforeItIsDueIsLate() {
        var scene = Scene()
        scene.look(1.85)
        scene.song.give(seconds: 1)
        scene.look(1.96)
        #expect(scene.follower.heldFrame == FramePosition(16_000))
    }

    @Test func aSourceThatEndsLacksNothing() {
        var scene = Scene()
        scene.look(1.85)
        scene.song.finish()
        scene.look(2.5)
        #expect(scene.findings == [] && scene.follower.heldFrame == nil)
    }

    /// This machine stood still: the source is given a second, in which the song goes on without what is missing.
    @Test func aLeadThatIsGoneAllOfASuddenMayComeBack() {
        var scene = Scene()
        scene.look(5)
        #expect(scene.follower.heldFrame == nil && scene.position(5) == FramePosition(40_000))
        scene.look(5.9)
        scene.song.give(seconds: 5)
        scene.look(5.95)
        #expect(scene.findings == [] && scene.follower.heldFrame == nil)
        scene.look(10)
        scene.look(11)
        #expect(scene.findings == [.fellSilent] && scene.follower.heldFrame == FramePosition(56_000))
    }

    @Test func aLiveSourceIsItsOwnTimeline() throws {
        var configuration = Scene.configuration
        configuration.liveLatency = .milliseconds(500)
        var follower = SourceFollower(configuration)
        // A song beside a live source never tells a clock.
        #expect(!follower.isLive && follower.liveAnchor == nil)
        var clock = SourceClock(frame: FramePosition(80), session: SessionTime(nanoseconds: 7), framesPerSecond: 8_001)
        let first = follower.note(clock, Epoch(1))
        let anchor = try #require(first)
        #expect(anchor.session == clock.session + .milliseconds(500) && anchor.framesPerSecond == 8_001)
        #expect(follower.isLive && follower.liveAnchor == anchor)
        // The same again is no news, and nonsense none at all.
        let second = follower.note(clock, Epoch(1))
        clock.framesPerSecond = .nan
        let third = follower.note(clock, Epoch(1))
        #expect(second == nil && third == nil && follower.liveAnchor == anchor)
        let findings = follower.watch(SongFixture.song(seconds: 1), by: anchor, now: Scene.time(60))
        #expect(findings == [] && follower.heldFrame == nil)
        var other = SourceFollower(Scene.configuration)
        clock.framesPerSecond = 8_001
        let none = other.note(clock, Epoch(1))
        #expect(none == nil)
    }
}
