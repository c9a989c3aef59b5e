import AudioCore
import Testing

@testable import Broadcasting

/// When a song starts, by who is there.
@Suite(.timeLimit(.minutes(5)))
final class StartDecisionTests {
    private var decision = StartDecision()

    /// - Parameters:
    ///   - newest: when the newest listener came.
    ///   - searched: since when others are looked for.
    private func judge(
        _ present: Int, _ ready: Int, of wanted: Int, at milliseconds: Int64, newest: Int64 = 0,
        searched: Int64? = 0, isNamed: Bool = false
    ) -> StartDecision.Verdict {
        decision.judge(
            StartDecision.Audience(
                present: present, ready: ready, wanted: wanted, newest: present > 0 ? Self.time(newest) : nil),
            since: Self.time(0), searched: searched.map(Self.time), isNamed: isNamed, now: Self.time(milliseconds))
    }

    private static func time(_ milliseconds: Int64) -> HostTime { HostTime(nanoseconds: milliseconds * 1_000_000) }

    @Test func whoWaitsForNobodyStarts() {
        #expect(judge(0, 0, of: 0, at: 0) == .start)
    }

    @Test func whoeverIsOnTheNetworkHasTimeToBeFound() {
        #expect(judge(1, 1, of: 1, at: 30) == .wait)
        #expect(judge(1, 1, of: 1, at: 159) == .wait)
        #expect(judge(1, 1, of: 1, at: 160) == .start)
    }

    @Test func whoComesAMomentLaterStartsWithTheOthers() {
        #expect(judge(1, 1, of: 1, at: 180, newest: 180) == .wait)
        #expect(judge(2, 2, of: 1, at: 239, newest: 180) == .wait)
        #expect(judge(2, 2, of: 1, at: 240, newest: 180) == .start)
    }

    @Test func thoseWhoComeOneByOneDoNotHoldTheOthersUp() {
        for count in 1...6 {
            let now = Int64(count - 1) * 50
            #expect(judge(count, count, of: 1, at: now, newest: now) == .wait)
        }
        #expect(judge(7, 7, of: 1, at: 300, newest: 300) == .start)
    }

    @Test func whereNobodyIsLookedForAndAllHaveLongBeenThereNobodyIsWaitedFor() {
        #expect(judge(3, 3, of: 1, at: 60, searched: nil) == .start)
        #expect(judge(3, 3, of: 1, at: 10_000) == .start)
    }

    @Test func whoIsNotReadyIsWaitedForAWhile() {
        #expect(judge(2, 1, of: 1, at: 0) == .wait)
        #expect(judge(2, 1, of: 1, at: 859) == .wait)
        #expect(judge(2, 1, of: 1, at: 860) == .start)
        #expect(judge(2, 0, of: 1, at: 5_000) == .wait)
    }

    @Test func whoeverLeavesMakesTheTimeBeginAnew() {
        #expect(judge(2, 2, of: 2, at: 0) == .wait)
        #expect(judge(1, 1, of: 2, at: 200) == .wait)
        #expect(judge(2, 2, of: 2, at: 400, newest: 400) == .wait)
        #expect(judge(2, 2, of: 2, at: 459, newest: 400) == .wait)
        #expect(judge(2, 2, of: 2, at: 460, newest: 400) == .start)
    }

    @Test func whoIsNamedIsWaitedForTenSeconds() {
        #expect(judge(1, 1, of: 2, at: 10_000, isNamed: true) == .wait)
        #expect(judge(1, 1, of: 2, at: 10_001, isNamed: true) == .startWithoutTheMissing)
        #expect(judge(1, 1, of: 2, at: 60_000) == .wait)
    }
}
