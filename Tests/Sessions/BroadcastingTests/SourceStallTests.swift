import AudioCore
import Broadcasting
import Testing
import WireProtocol

/// Sources that bring less than is heard.
@Suite(.timeLimit(.minutes(5)))
struct SourceStallTests {
    /// Three seconds that one listener hears, and nothing more for now.
    private func stalled() -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 3)
        broadcast.join(1)
        broadcast.report(.ready, 1)
        broadcast.drain(1)
        broadcast.wait(.milliseconds(320))
        broadcast.drain(1)
        return broadcast
    }

    /// Lets time pass for a listener that lives and takes what it is sent.
    private func wait(_ broadcast: inout ScriptedBroadcast, _ span: TimeSpan) {
        let end = broadcast.now + span
        while broadcast.now < end {
            broadcast.say(WireEncoder.keepAlive(), 1)
            broadcast.wait(.milliseconds(20))
            broadcast.drain(1)
        }
    }

    @Test func aBroadcastWaitsUntilEnoughIsThere() {
        var broadcast = ScriptedBroadcast { $0.sourceLead = .seconds(3) }
        broadcast.give(seconds: 2)
        broadcast.join(1)
        broadcast.report(.ready, 1)
        wait(&broadcast, .seconds(3))
        #expect(broadcast.heard[1]?.anchor == nil)
        broadcast.give(seconds: 1, properties: false)
        #expect(broadcast.heard[1]?.anchor != nil)
    }

    @Test func aSongShorterThanThatIsPlayedAllTheSame() {
        var broadcast = ScriptedBroadcast { $0.sourceLead = .seconds(3) }
        broadcast.give(seconds: 2)
        broadcast.source(.ended(.nothing))
        broadcast.join(1)
        broadcast.report(.ready, 1)
        wait(&broadcast, .seconds(1))
        #expect(broadcast.heard[1]?.anchor != nil)
    }

    @Test func theTimelineIsMovedWhenEnoughIsThereAgain() throws {
        var broadcast = stalled()
        wait(&broadcast, .seconds(5))
        #expect(broadcast.notices.contains(.songFellSilent))
        let first = try #require(broadcast.heard[1]?.anchors.first)
        // What is there again is kept back.
        broadcast.give(seconds: 1, properties: false)
        let anchors = try #require(broadcast.heard[1]?.anchors)
        try #require(anchors.count == 2)
        #expect(anchors[1].epoch == first.epoch && anchors[1].frame == FramePosition(24_000))
        #expect(anchors[1].session.nanoseconds == broadcast.now.nanoseconds + 250_000_000)
        #expect(broadcast.heard[1]?.packets == (0..<80).map { FramePosition($0 * 400) })
        #expect(broadcast.session.playPosition(broadcast.now) == FramePosition(24_000))
        // Nobody lost a packet.
        #expect(broadcast.heard[1]?.entries.count == 1)
        broadcast.give(seconds: 2, properties: false)
        broadcast.source(.ended(.nothing))
        wait(&broadcast, .milliseconds(2_000))
        #expect(broadcast.outcome == nil)
        wait(&broadcast, .seconds(4))
        #expect(broadcast.outcome == .completed)
        #expect(broadcast.heard[1]?.packets.last == FramePosition(6 * 8_000 - 400))
    }

    /// Half a second is not what a start wants; nor is anything of it sent.
    @Test func aLittleIsKeptBack() throws {
        var broadcast = ScriptedBroadcast { $0.sourceLead = .milliseconds(1_500) }
        broadcast.give(seconds: 3)
        broadcast.join(1)
        broadcast.report(.ready, 1)
        wait(&broadcast, .seconds(6))
        broadcast.give(seconds: 1, properties: false)
        wait(&broadcast, .seconds(3))
        #expect(broadcast.heard[1]?.anchors.count == 1)
        #expect(broadcast.heard[1]?.packets.count == 60)
        // Its last word lets it go on with what there is.
        broadcast.source(.ended(.nothing))
        #expect(broadcast.heard[1]?.anchors.count == 2)
        #expect(broadcast.heard[1]?.packets.count == 80)
    }

    @Test func whatComesInTimeMovesNothing() throws {
        var broadcast = stalled()
        let start = try #require(broadcast.heard[1]?.anchor?.session)
        // 150 ms before the end is due.
        let target = start.nanoseconds + 2_850_000_000
        wait(&broadcast, .nanoseconds(target - broadcast.now.nanoseconds))
        broadcast.give(seconds: 1, properties: false)
        #expect(broadcast.heard[1]?.packets.count == 80)
        wait(&broadcast, .milliseconds(500))
        #expect(broadcast.heard[1]?.anchors.count == 1)
        #expect(!broadcast.notices.contains(.songFellSilent), "\(broadcast.notices)")
    }

    /// Too late by a little: the timeline waits until nothing that was heard can be heard again.
    @Test func aShortStallTakesAWhile() throws {
        var broadcast = stalled()
        let due = try #require(broadcast.heard[1]?.anchor?.session) + .seconds(3)
        while broadcast.now.nanoseconds < due.nanoseconds + 100_000_000 { wait(&broadcast, .milliseconds(20)) }
        broadcast.give(seconds: 2, properties: false)
        #expect(broadcast.heard[1]?.anchors.count == 1)
        wait(&broadcast, .milliseconds(1_500))
        let moved = try #require(broadcast.heard[1]?.anchors.last)
        #expect(broadcast.heard[1]?.anchors.count == 2)
        #expect(moved.session - due >= .milliseconds(850))
    }

    /// The broadcaster itself did not run: what its source brings then is where the song would be by now.
    @Test func whoStoodStillDoesNotBlameTheSource() throws {
        var broadcast = stalled()
        broadcast.now += .seconds(5)
        wait(&broadcast, .milliseconds(20))
        broadcast.give(seconds: 4, properties: false)
        wait(&broadcast, .seconds(1))
        #expect(broadcast.heard[1]?.anchors.count == 1)
        // It does not catch up: then it is behind after all.
        broadcast.now += .seconds(5)
        wait(&broadcast, .milliseconds(1_500))
        broadcast.give(seconds: 1, properties: false)
        wait(&broadcast, .seconds(1))
        #expect(broadcast.heard[1]?.anchors.count == 2)
        #expect(broadcast.heard[1]?.anchors.last?.frame == FramePosition(7 * 8_000))
    }

    @Test func whoJoinsMeanwhileBeginsWhereAllGoOn() throws {
        var broadcast = stalled()
        wait(&broadcast, .seconds(5))
        broadcast.join(2)
        broadcast.give(seconds: 1, properties: false)
        #expect(broadcast.heard[2]?.entries.map(\.frame) == [FramePosition(24_000)])
        #expect(broadcast.heard[2]?.anchors.last == broadcast.heard[1]?.anchors.last)
        #expect(broadcast.heard[2]?.packets.first == FramePosition(24_000))
    }
}
