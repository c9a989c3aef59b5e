import AudioCore
import Observing
import Testing
import WireProtocol

/// What listeners' reports say about how they keep in step.
@Suite(.timeLimit(.minutes(5))) struct SyncJudgeTests {
    private let start = HostTime(nanoseconds: 7_000_000_000)

    private func timing(
        _ error: Double, _ bound: Double, roundTrip: TimeSpan = .microseconds(100), correction: Double = 0
    ) -> ListenerTiming {
        ListenerTiming(
            error: TimeSpan(seconds: error * 1e-6), errorBound: TimeSpan(seconds: bound * 1e-6), asymmetryLimit: .zero,
            roundTrip: roundTrip, clockSkew: .zero, deviceSkew: .zero, correction: PartsPerMillion(correction))
    }

    private func entry(
        _ name: String, _ timing: ListenerTiming?, _ state: ListenerState = .playing,
        counters: ListenerCounters = ListenerCounters(), isBrowser: Bool = false
    ) -> Roster.Entry {
        Roster.Entry(
            instance: UInt64(name.utf8.reduce(0) { $0 * 31 + Int($1) }), name: name,
            report: ListenerReport(
                state: state, epoch: Epoch(1), received: .zero, buffered: .seconds(1), counters: counters,
                timing: timing), isBrowser: isBrowser)
    }

    private func judge(_ rosters: [[Roster.Entry]], state: Roster.State = .playing) -> SyncJudge {
        var judge = SyncJudge(limit: .microseconds(100), browserLimit: .milliseconds(10))
        for (second, entries) in rosters.enumerated() {
            judge.note(Roster(state: state, title: "Song", entries: entries), now: start + .seconds(Int64(second)))
        }
        return judge
    }

    @Test func listenersWithinTheLimitAreInStep() {
        let judge = judge([
            [entry("A", timing(10, 20)), entry("B", timing(-30, 5))],
            [entry("A", timing(10, 20)), entry("B", timing(-40, 25)), entry("C", timing(0, 1))],
        ])
        #expect(judge.objection == nil)
        #expect(judge.watched == .seconds(1))
        #expect(judge.listenerCount == 3)
        #expect(judge.worst?.distance == .microseconds(95))
        #expect(judge.worst?.culprit == "B" && judge.worst?.other == "A")
        #expect(judge.worst?.after == .seconds(1))
    }

    @Test func theWorstMomentIsKept() {
        let judge = judge([
            [entry("A", timing(0, 1)), entry("B", timing(0, 1))],
            [entry("A", timing(0, 1)), entry("B", timing(180, 40, correction: -9.8))],
            [entry("A", timing(0, 1)), entry("B", timing(0, 1))],
        ])
        #expect(judge.objection?.culprit == "B")
        #expect(judge.objection?.distance == .microseconds(221))
        #expect(judge.objection?.reason == .correcting(PartsPerMillion(-9.8)))
    }

    @Test func whyItWasOut() {
        var troubled = ListenerCounters()
        troubled.xruns = 2
        troubled.replacements = 2
        let fine = entry("A", timing(0, 1))
        #expect(
            judge([[fine, entry("B", timing(0, 1))], [fine, entry("B", timing(300, 1), counters: troubled)]])
                .objection?.reason == .xruns(2))
        troubled.xruns = 0
        #expect(
            judge([[fine, entry("B", timing(0, 1))], [fine, entry("B", timing(300, 1), counters: troubled)]])
                .objection?.reason == .replacements(2))
        // What happened before the check says nothing of it.
        #expect(
            judge([[fine, entry("B", timing(300, 1), counters: troubled)]]).objection?.reason == .unknown)
        #expect(
            judge([[fine, entry("B", timing(3, 300, roundTrip: .milliseconds(4)))]]).objection?.reason
                == .slowLink(.milliseconds(4)))
        #expect(judge([[fine, entry("B", timing(3, 300))]]).objection?.reason == .unsure)
    }

    @Test func oneAloneIsComparedWithTheTimeline() {
        #expect(judge([[entry("A", timing(-60, 30))]]).objection == nil)
        let finding = judge([[entry("A", timing(-60, 50))]]).objection
        #expect(finding?.distance == .microseconds(110) && finding?.other == nil)
    }

    @Test func oneThatFallsSilentIsOutOfStep() {
        let fine = entry("A", timing(0, 1))
        let finding = judge([[fine, entry("B", timing(0, 1))], [fine, entry("B", timing(0, 1), .starving)]]).objection
        #expect(finding?.culprit == "B" && finding?.reason == .starved)
    }

    @Test func oneThatDoesNotBeginIsOutOfStep() {
        let rosters = (0...6).map { _ in [entry("A", timing(0, 1)), entry("B", nil, .preparing)] }
        #expect(judge(Array(rosters.prefix(6))).objection == nil)
        #expect(judge(rosters).objection?.reason == .notBegun(.preparing))
        // Before the song begins, nobody plays.
        #expect(judge(rosters, state: .waiting).objection == nil)
    }

    @Test func oneThatVanishesIsOutOfStep() {
        let (a, b) = (entry("A", timing(0, 1)), entry("B", timing(3, 4)))
        let judge = judge([[a, b], [a]])
        #expect(judge.objection?.culprit == "B" && judge.objection?.reason == .vanished)
        #expect(judge.objection?.after == .seconds(1) && judge.objection?.timing == timing(3, 4))
        // It stays so, and the time goes on, when nobody is left.
        let alone = self.judge([[b], [], [], []])
        #expect(alone.objection?.reason == .vanished && alone.watched == .seconds(3))
        // A distance beyond the limit says more.
        #expect(self.judge([[a, entry("B", timing(300, 1))], [a]]).objection?.reason == .unknown)
        // One that had not played yet is missed by nobody.
        #expect(self.judge([[a, entry("B", nil, .preparing)], [a]]).objection == nil)
    }

    @Test func oneThatComesBackIsJudgedAsIfItHadNotBeenAway() {
        let (a, b) = (entry("A", timing(0, 1)), entry("B", timing(0, 1)))
        #expect(judge([[a, b], [a], [a, b]]).objection == nil)
        var troubled = ListenerCounters()
        troubled.replacements = 1
        let late = entry("B", timing(300, 1), counters: troubled)
        #expect(judge([[a, b], [a], [a, late]]).objection?.reason == .replacements(1))
        #expect(judge([[a, b], [a], [a, entry("B", timing(0, 1), .starving)]]).objection?.reason == .starved)
    }

    @Test func oneThatHasFinishedOrLeftIsNot() {
        let both = [entry("A", timing(0, 1)), entry("B", timing(0, 1))]
        let gone = entry("B", timing(0, 1), .finished)
        #expect(judge([both, [both[0], gone], [both[0]], [both[0]]]).objection == nil)
        #expect(judge([both] + (0..<9).map { _ in both.map { entry($0.name, nil, .finished) } }).objection == nil)
    }

    @Test func nothingIsJudgedWhereNobodyPlays() {
        #expect(!judge([[], [entry("A", nil, .ready)]]).hasJudged)
    }

    @Test func numbersWithoutSenseAreNoWayIn() {
        let wild = ListenerTiming(
            error: TimeSpan(nanoseconds: .min), errorBound: TimeSpan(nanoseconds: .min), asymmetryLimit: .zero,
            roundTrip: .zero, clockSkew: .zero, deviceSkew: .zero, correction: .zero)
        #expect(judge([[entry("A", wild), entry("B", timing(0, 1))]]).objection?.culprit == "A")
        #expect(judge([[entry("A", wild)]]).objection != nil)
    }

    // MARK: Browsers

    @Test func aBrowserIsJudgedByALimitOfItsOwn() {
        let others = [entry("A", timing(10, 20)), entry("B", timing(-30, 5))]
        let judge = judge([others + [entry("Phone", timing(4_000, 2_000), isBrowser: true)]])
        #expect(judge.objection == nil && judge.listenerCount == 3)
        #expect(judge.worst?.distance == .microseconds(65), "browsers are left out")
        #expect(judge.worstOfBrowsers?.distance == .microseconds(6_035))
        #expect(judge.worstOfBrowsers?.culprit == "Phone" && judge.worstOfBrowsers?.other == "B")
    }

    @Test func aBrowserThatIsFarOffIsOutOfStep() {
        let judge = judge([[entry("A", timing(0, 1)), entry("Phone", timing(9_000, 2_000), isBrowser: true)]])
        #expect(judge.objection?.culprit == "Phone" && judge.objection?.distance == .microseconds(11_001))
        #expect(judge.worst?.other == nil, "the only listener that is none is compared with the timeline")
    }

    @Test func twoBrowsersAreComparedAndOneAloneIsToo() {
        let phones = [
            entry("Phone", timing(9_000, 10), isBrowser: true), entry("Tablet", timing(-2_000, 10), isBrowser: true),
        ]
        #expect(judge([phones]).objection?.distance == .microseconds(11_020))
        #expect(judge([[phones[0]]]).objection == nil && judge([[phones[0]]]).worst == nil)
        #expect(judge([[entry("Phone", timing(12_000, 0), isBrowser: true)]]).objection?.other == nil)
    }
}
