import AudioCore
import Testing
import WireProtocol

@testable import Listening

/// When broadcaster and user are told how it goes.
@Suite(.timeLimit(.minutes(5))) struct TellingTests {
    private let start = HostTime(nanoseconds: 5_000_000_000)

    private func report(_ state: ListenerState, received: Int64) -> ListenerReport {
        ListenerReport(
            state: state, epoch: Epoch(1), received: FramePosition(received), buffered: .zero,
            counters: ListenerCounters(), timing: nil, lowWater: nil)
    }

    private func isDue(_ schedule: inout ReportSchedule, _ report: ListenerReport, after span: TimeSpan) -> Bool {
        schedule.isDue(report, rate: 8_000, now: start + span)
    }

    @Test func aReportIsDueTwiceASecond() {
        var schedule = ReportSchedule()
        #expect(isDue(&schedule, report(.playing, received: 0), after: .zero))
        #expect(!isDue(&schedule, report(.playing, received: 0), after: .milliseconds(480)))
        #expect(isDue(&schedule, report(.playing, received: 0), after: .milliseconds(500)))
        #expect(!isDue(&schedule, report(.playing, received: 0), after: .milliseconds(980)))
    }

    @Test func aReportIsDueAsRarelyAsTheBroadcasterAsks() {
        var schedule = ReportSchedule()
        schedule.interval = .seconds(1)
        #expect(isDue(&schedule, report(.playing, received: 0), after: .zero))
        #expect(!isDue(&schedule, report(.playing, received: 0), after: .milliseconds(980)))
        #expect(isDue(&schedule, report(.playing, received: 0), after: .seconds(1)))
        #expect(isDue(&schedule, report(.starving, received: 0), after: .milliseconds(1_010)))
        #expect(isDue(&schedule, report(.starving, received: 4_000), after: .milliseconds(1_015)))
    }

    /// What trickles in is of interest to a broadcaster that waits for it: one that holds nothing more back does not.
    @Test func whoHasEnoughDoesNotReportWhatTricklesInAmongMany() {
        for (interval, buffered, isTold) in [
            (TimeSpan.milliseconds(500), TimeSpan.seconds(9), true), (.seconds(1), .seconds(7), true),
            (.seconds(1), .seconds(9), false),
        ] {
            var schedule = ReportSchedule()
            schedule.interval = interval
            var report = report(.playing, received: 0)
            report.buffered = buffered
            #expect(isDue(&schedule, report, after: .zero))
            report.received = FramePosition(3_000)
            #expect(isDue(&schedule, report, after: .milliseconds(100)) == isTold)
            report.received = FramePosition(7_000)
            #expect(isDue(&schedule, report, after: .milliseconds(200)))
        }
    }

    @Test func aReportIsDueWhenTheStateChanges() {
        var schedule = ReportSchedule()
        #expect(isDue(&schedule, report(.ready, received: 0), after: .zero))
        #expect(isDue(&schedule, report(.playing, received: 0), after: .milliseconds(20)))
    }

    @Test func aReportIsDueWhenMuchCame() {
        var schedule = ReportSchedule()
        #expect(isDue(&schedule, report(.playing, received: 0), after: .zero))
        #expect(!isDue(&schedule, report(.playing, received: 3_900), after: .milliseconds(10)))
        #expect(isDue(&schedule, report(.playing, received: 4_000), after: .milliseconds(15)))
    }

    /// Over a slow link a tenth of a second of song at a time comes, and no more before it was reported.
    @Test func aReportIsDueWhenSongTricklesIn() {
        var schedule = ReportSchedule()
        #expect(isDue(&schedule, report(.playing, received: 0), after: .zero))
        #expect(!isDue(&schedule, report(.playing, received: 700), after: .milliseconds(80)))
        #expect(isDue(&schedule, report(.playing, received: 800), after: .milliseconds(90)))
        #expect(!isDue(&schedule, report(.playing, received: 1_600), after: .milliseconds(100)))
        #expect(isDue(&schedule, report(.playing, received: 1_600), after: .milliseconds(110)))
    }

    /// What comes right after a report is reported a moment later, though nothing else happens then.
    @Test func whatCameTooSoonIsAwaited() {
        for (buffered, received, isAwaited) in [
            (TimeSpan.seconds(1), Int64(800), true), (.seconds(1), 700, false), (.seconds(9), 800, false),
        ] {
            var schedule = ReportSchedule()
            var report = report(.playing, received: 0)
            report.buffered = buffered
            #expect(isDue(&schedule, report, after: .zero) && schedule.awaited == nil)
            report.received = FramePosition(received)
            #expect(!isDue(&schedule, report, after: .milliseconds(1)))
            #expect(schedule.awaited == (isAwaited ? start + .milliseconds(20) : nil))
            #expect(isDue(&schedule, report, after: .milliseconds(500)) && schedule.awaited == nil)
        }
    }

    @Test func lossesAreToldAtOnceAndThenTogether() {
        var tally = LossTally()
        #expect(tally.takeUntold(now: start) == nil)
        tally.note(3)
        #expect(tally.takeUntold(now: start) == 3)
        tally.note(4)
        tally.note(5)
        #expect(tally.takeUntold(now: start + .seconds(9)) == nil)
        #expect(tally.takeUntold(now: start + .seconds(10)) == 9)
        #expect(tally.takeUntold(now: start + .seconds(30)) == nil)
        #expect(tally.total == 12)
    }
}
