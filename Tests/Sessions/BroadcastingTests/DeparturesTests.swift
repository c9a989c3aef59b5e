import AudioCore
import Testing
import WireProtocol

@testable import Broadcasting

/// Listeners that took leave.
@Suite(.timeLimit(.minutes(5)))
struct DeparturesTests {
    private let report = ListenerReport(state: .playing, epoch: Epoch(1), received: .zero, buffered: .zero)

    private func entry(_ instance: UInt64) -> Roster.Entry {
        Roster.Entry(instance: instance, name: "Listener \(instance)", report: report)
    }

    private func time(_ seconds: Double) -> HostTime { HostTime(nanoseconds: Int64(seconds * 1e9)) }

    @Test func whoWentIsShownAsFinishedForAWhile() {
        var departures = Departures()
        departures.note(entry(1), now: time(1))
        departures.note(entry(2), now: time(3))
        let shown = departures.recent(besides: [], now: time(5.9))
        #expect(shown.map(\.name) == ["Listener 1", "Listener 2"])
        #expect(shown.allSatisfy { $0.report?.state == .finished })
        #expect(departures.recent(besides: [2], now: time(5.9)).map(\.instance) == [1])
        #expect(departures.recent(besides: [], now: time(6)).map(\.instance) == [2])
    }

    @Test func whoWentTwiceIsShownOnce() {
        var departures = Departures()
        for second in [1.0, 2] { departures.note(entry(1), now: time(second)) }
        #expect(departures.recent(besides: [], now: time(6.5)).map(\.instance) == [1])
    }

    @Test func theirNumberIsBounded() {
        var departures = Departures()
        for instance in 0..<1_000 { departures.note(entry(UInt64(instance)), now: time(1)) }
        let shown = departures.recent(besides: [], now: time(1)).map(\.instance)
        #expect(shown == (UInt64(1_000 - BroadcastLimits.departureCount)..<1_000).map { $0 })
    }
}
