import AudioCore
import Playout
import Testing

@testable import AudioQueueServices

/// How long the queue's thread sleeps.
@Suite(.timeLimit(.minutes(5)))
struct FeederPaceTests {
    private let now = HostTime(nanoseconds: 60_000_000_000)

    /// A queue that plays, whose device has frames for as long as the buffer says.
    private func playing(decoded seconds: Double, buffer: TimeSpan = .milliseconds(50)) -> FeederPace {
        var playout = PlayoutSnapshot()
        playout.state = .playing
        playout.epoch = Epoch(1)
        playout.newestHost = now + buffer
        return FeederPace(step: .ringFull, playout: playout, decoded: TimeSpan(seconds: seconds), isJointAhead: false)
    }

    @Test(arguments: [(3.6, 1_000), (3, 1_000), (1.5, 500), (0.3, 100), (0.01, 20)])
    func theMoreIsDecodedTheLongerItSleeps(decoded: Double, milliseconds: Int64) {
        #expect(playing(decoded: decoded).pause(now) == .milliseconds(milliseconds))
    }

    @Test func theStartOfTheNextEpochIsToldSoon() {
        var pace = playing(decoded: 3)
        pace.isJointAhead = true
        #expect(pace.pause(now) == .milliseconds(250))
    }

    /// As when the process was stopped: nothing may be left of what is decoded.
    @Test(arguments: [(-90, 1_000), (-110, 20), (-5_000, 20)] as [(Int64, Int64)])
    func aDeviceThatStoodStillSoonWantsMore(buffer: Int64, milliseconds: Int64) {
        #expect(playing(decoded: 3, buffer: .milliseconds(buffer)).pause(now) == .milliseconds(milliseconds))
    }

    @Test func whatDoesNotPlayIsLookedAfterOften() {
        var pace = playing(decoded: 2)
        for state in [PlayoutState.waiting, .starved, .finished] {
            pace.playout.state = state
            #expect(pace.pause(now) == .milliseconds(20))
        }
        pace.playout = PlayoutSnapshot()
        #expect(pace.pause(now) == .milliseconds(20))
        pace.step = .idle
        #expect(pace.pause(now) == .milliseconds(100))
    }
}
