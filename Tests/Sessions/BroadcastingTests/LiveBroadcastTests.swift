import AudioCore
import Testing
import WireProtocol

@testable import Broadcasting

extension Inbox {
    fileprivate var allAnchors: [Anchor] {
        messages.compactMap { if case .anchor(let anchor) = $0 { anchor } else { nil } }
    }
}

/// A live source: it reports when its frames were captured.
@Suite(.timeLimit(.minutes(5))) struct LiveBroadcastTests {
    private static let latency = TimeSpan.milliseconds(500)

    private func live() -> ScriptedBroadcast { ScriptedBroadcast { $0.liveLatency = Self.latency } }

    private func clock(
        _ broadcast: ScriptedBroadcast, frame: Int64, ago: TimeSpan = .zero, rate: Double = ScriptedBroadcast.rate
    ) -> SourceClock {
        SourceClock(
            frame: FramePosition(frame), session: SessionTime(nanoseconds: (broadcast.now - ago).nanoseconds),
            framesPerSecond: rate)
    }

    @Test func aFrameIsDueOneLatencyAfterItsCapture() throws {
        var broadcast = live()
        broadcast.give(seconds: 1)
        broadcast.wait(.milliseconds(100))
        // Without the source's clock no frame has a due time.
        #expect(!broadcast.session.isPlaying)
        let captured = clock(broadcast, frame: 800, ago: .milliseconds(20), rate: 8_000.4)
        broadcast.source(.clock(captured))
        // A live broadcast does not wait for listeners.
        let anchor = try #require(broadcast.session.anchor)
        #expect(anchor.frame == captured.frame)
        #expect(anchor.session == captured.session + Self.latency)
        #expect(anchor.framesPerSecond == 8_000.4)
    }

    @Test func theAnchorFollowsTheSourcesClock() throws {
        var broadcast = live()
        broadcast.give(seconds: 1)
        broadcast.source(.clock(clock(broadcast, frame: 0)))
        broadcast.join(1)
        broadcast.wait(.milliseconds(100))
        #expect(broadcast.heard[1]?.allAnchors.count == 1)
        for second in 1...3 {
            broadcast.wait(.seconds(1), hearingFrom: [1])
            broadcast.drain(1)
            broadcast.give(seconds: 1, properties: false)
            let captured = clock(broadcast, frame: Int64(second) * 8_001, rate: 8_001)
            broadcast.source(.clock(captured))
            let last = try #require(broadcast.heard[1]?.allAnchors.last)
            #expect(last.frame == captured.frame && last.session == captured.session + Self.latency)
            #expect(last.framesPerSecond == 8_001)
        }
        #expect(broadcast.heard[1]?.allAnchors.count == 4)
        // An unchanged clock needs no new anchor.
        let last = try #require(broadcast.session.anchor)
        let same = SourceClock(
            frame: last.frame, session: last.session - Self.latency, framesPerSecond: last.framesPerSecond)
        broadcast.source(.clock(same))
        #expect(broadcast.heard[1]?.allAnchors.count == 4)
    }

    /// The anchor names a frame that is in the air now and due half a second later.
    @Test func aPauseDoesNotWaitForTheLatency() throws {
        var broadcast = live()
        broadcast.give(seconds: 1)
        broadcast.source(.clock(clock(broadcast, frame: 0)))
        broadcast.join(1)
        for second in 1...3 {
            broadcast.wait(.seconds(1), hearingFrom: [1])
            broadcast.drain(1)
            broadcast.give(seconds: 1, properties: false)
            broadcast.source(.clock(clock(broadcast, frame: Int64(second) * 8_000)))
        }
        let anchor = try #require(broadcast.session.anchor)
        let asked = SessionTime(nanoseconds: broadcast.now.nanoseconds)
        broadcast.handle(.command(Command(.programme(.pause)), Asker(number: 0, name: "Studio")))
        broadcast.drain(1)
        let cut = try #require(broadcast.heard[1]?.cuts.last)
        #expect(anchor.session(of: cut.frame) - asked <= BroadcastLimits.longestCommandLead)
        // Its clock does not take the cut back.
        broadcast.source(.clock(clock(broadcast, frame: 24_100)))
        #expect(broadcast.session.anchor == nil)
    }

    @Test func aLateJoinerBeginsAtTheFrameThatIsDue() throws {
        var broadcast = live()
        broadcast.give(seconds: 1)
        broadcast.source(.clock(clock(broadcast, frame: 0)))
        for second in 1...3 {
            broadcast.wait(.seconds(1))
            broadcast.give(seconds: 1, properties: false)
            broadcast.source(.clock(clock(broadcast, frame: Int64(second) * 8_000)))
        }
        broadcast.join(1)
        broadcast.wait(.milliseconds(100))
        let entry = try #require(broadcast.heard[1]?.entries.first)
        let due = try #require(broadcast.session.anchor).position(
            at: SessionTime(nanoseconds: broadcast.now.nanoseconds))
        #expect(abs(Double(entry.frame.index) - due.frames) < 2_000)
    }

    @Test(arguments: [0, -8_000, .infinity, .nan, 1e9]) func anImpossibleRateIsIgnored(rate: Double) {
        var broadcast = live()
        broadcast.give(seconds: 1)
        broadcast.source(.clock(clock(broadcast, frame: 0, rate: rate)))
        #expect(!broadcast.session.isPlaying)
        broadcast.source(.clock(clock(broadcast, frame: 0)))
        let anchor = broadcast.session.anchor
        broadcast.source(.clock(clock(broadcast, frame: 100, rate: rate)))
        #expect(anchor != nil && broadcast.session.anchor == anchor)
    }

    /// It starts as songs do, and is followed as they are.
    @Test func aSongBesideALiveSourceIsASong() throws {
        var broadcast = ScriptedBroadcast {
            $0.liveLatency = Self.latency
            $0.programme = ScriptedBroadcast.programme(["live", "song"])
        }
        broadcast.source(.clock(clock(broadcast, frame: 0)))
        broadcast.give(seconds: 1)
        broadcast.join(1)
        broadcast.wait(.milliseconds(100))
        #expect(broadcast.session.anchor?.epoch == Epoch(1))
        broadcast.handle(.command(Command(.programme(.next)), Asker(number: 0, name: "Attic")))
        broadcast.give(seconds: 2, of: Epoch(2))
        broadcast.wait(.milliseconds(700))
        let anchor = try #require(broadcast.session.anchor)
        #expect(anchor.epoch == Epoch(2) && anchor.frame == .zero && !broadcast.session.timeline.heard.follower.isLive)
        // A pause and a resume lose no frame.
        broadcast.handle(.command(Command(.programme(.pause)), Asker(number: 0, name: "Attic")))
        broadcast.wait(.seconds(1))
        let place = broadcast.session.playPosition(broadcast.now)
        broadcast.handle(.command(Command(.programme(.resume)), Asker(number: 0, name: "Attic")))
        #expect(broadcast.session.anchor?.frame == place)
    }

    @Test func whatAFailedSourceGaveIsPlayed() {
        var broadcast = live()
        broadcast.give(seconds: 1)
        broadcast.source(.clock(clock(broadcast, frame: 0)))
        broadcast.wait(.milliseconds(600))
        broadcast.source(.failed("it is gone", .nothing))
        #expect(broadcast.outcome == nil)
        broadcast.wait(.seconds(3))
        #expect(broadcast.outcome == .brokenOff("it is gone"))
    }
}
