import AudioCore
import Testing

@testable import Broadcasting

/// When a song starts, by who is there.
@Suite(.timeLimit(.minutes(5)))
final class StartDecisionTests {
    private var decision = StartDecision()

    private func judge(
        _ present: Int, _ ready: Int, of wanted: Int, at milliseconds: Int64, isNamed: Bool = false
    ) -> StartDecision.Verdict {
        decision.judge(
            StartDecision.Audience(present: present, ready: ready, wanted: wanted),
            since: HostTime(nanoseconds: 0), isNamed: isNamed, now: HostTime(nanoseconds: milliseconds * 1_000_000))
    }

    @Test func whoWaitsForNobodyStarts() {
        #expect(judge(0, 0, of: 0, at: 0) == .start)
    }

    @Test func thoseWhoAreThereGather() {
        #expect(judge(1, 1, of: 1, at: 0) == .wait)
        #expect(judge(2, 2, of: 1, at: 299) == .wait)
        #expect(judge(2, 2, of: 1, at: 300) == .start)
    }

    @Test func whoIsNotReadyIsWaitedForAWhile() {
        #expect(judge(2, 1, of: 1, at: 0) == .wait)
        #expect(judge(2, 1, of: 1, at: 999) == .wait)
        #expect(judge(2, 1, of: 1, at: 1_000) == .start)
        #expect(judge(2, 0, of: 1, at: 5_000) == .wait)
    }

    @Test func whoeverLeavesMakesTheTimeBeginAnew() {
        #expect(judge(2, 2, of: 2, at: 0) == .wait)
        #expect(judge(1, 1, of: 2, at: 200) == .wait)
        #expect(judge(2, 2, of: 2, at: 400) == .wait)
        #expect(judge(2, 2, of: 2, at: 699) == .wait)
        #expect(judge(2, 2, of: 2, at: 700) == .start)
    }

    @Test func whoIsNamedIsWaitedForTenSeconds() {
        #expect(judge(1, 1, of: 2, at: 10_000, isNamed: true) == .wait)
        #expect(judge(1, 1, of: 2, at: 10_001, isNamed: true) == .startWithoutTheMissing)
        #expect(judge(1, 1, of: 2, at: 60_000) == .wait)
    }
}
