import AudioCore
import Testing

@testable import Broadcasting

// What was heard, for a shell that gives away what was played.
extension ProgrammeBroadcastTests {
    @Test func aSongIsHeardOnceItsFirstFrameWasDue() throws {
        var broadcast = playing()
        broadcast.wait(.seconds(1), draining: 1)
        let anchor = try #require(broadcast.heard[1]?.anchor)
        let start = HostTime(nanoseconds: anchor.session.nanoseconds)
        #expect(broadcast.session.heardEpoch(start - .milliseconds(1)) == nil)
        #expect(broadcast.session.heardEpoch(start + .milliseconds(1)) == Epoch(1))
    }

    @Test func aSongThatIsOpenedAheadIsNotHeard() {
        var broadcast = playing(["a", "b"])
        broadcast.source(.ended(.nothing))
        broadcast.wait(.seconds(1), draining: 1)
        giveSong(&broadcast)
        broadcast.wait(.seconds(1), draining: 1)
        perform(.pause, &broadcast)
        #expect(broadcast.closedSources == [Epoch(2)])
        broadcast.wait(.seconds(20), draining: 1)
        #expect(broadcast.session.heardEpoch(broadcast.now) == Epoch(1))
        perform(.resume, &broadcast)
        broadcast.wait(.seconds(1), draining: 1)
        giveSong(&broadcast)
        broadcast.wait(.seconds(10), draining: 1)
        #expect(broadcast.session.heardEpoch(broadcast.now) == Epoch(3))
    }

    @Test func aStopBeforeTheFirstFrameLeavesNothingHeard() {
        var broadcast = playing(["a"]) { $0.startDelay = .milliseconds(500) }
        #expect(broadcast.heard[1]?.anchor != nil)
        perform(.stop, &broadcast)
        broadcast.wait(.seconds(5), draining: 1)
        #expect(broadcast.session.heardEpoch(broadcast.now) == nil)
    }
}
