import AudioCore
import HostSystem
import Peering
import Testing
import WireProtocol

@testable import TuttiRuntime

/// What is told of a start.
@Suite(.timeLimit(.minutes(5))) struct StartTimelineTests {
    private func time(_ milliseconds: Int64) -> HostTime { HostTime(nanoseconds: milliseconds * 1_000_000) }

    private func shown(_ timeline: StartTimeline) -> [String] {
        timeline.sorted.marks.map { "\($0.stage) \(Int($0.span.milliseconds))" }
    }

    @Test func theFirstTimeCountsAndTheSoundIsDueLater() {
        var timeline = StartTimeline(begin: time(1_000))
        timeline.note(.ports, at: time(1_020))
        timeline.note(.sound, at: time(1_300))
        timeline.note(.decided, at: time(1_100))
        timeline.note(.ports, at: time(1_200))
        #expect(shown(timeline) == ["ports 20", "decided 100", "sound 300"])
    }

    @Test func whoHasWaitedCountsFromWhenSomethingHappened() {
        var timeline = StartTimeline(begin: time(1_000))
        timeline.note(.ports, at: time(1_020))
        timeline.note(.connected, at: time(61_000))
        timeline.note(.sound, at: time(61_280))
        #expect(shown(timeline) == ["connected 0", "sound 280"])
    }

    /// A listener hears of other listeners, too, long before there is a broadcast.
    @Test(
        arguments: [([], false), (.broadcaster, true), ([.broadcaster, .listener], true), (.listener, false)]
            as [(PeerRoles, Bool)])
    func onlyWhoIsSoughtIsFound(roles: PeerRoles, isFound: Bool) {
        var timeline = StartTimeline()
        let contact = PeerContact(key: .instance(1), name: "other", roles: roles, addresses: [])
        timeline.note(contact, sought: .broadcaster)
        #expect(timeline.has(.found) == isFound)
    }

    /// What it is, nobody knows yet.
    @Test func whomTheUserNamedIsFound() {
        var timeline = StartTimeline()
        let address = NetworkAddress(host: "10.0.0.1", port: 28_884)
        timeline.note(PeerContact(key: .address(address), name: "", roles: [], addresses: []), sought: .broadcaster)
        #expect(timeline.has(.found))
    }

    /// By the kernel's word, to a hundredth of a second; the test's own process is older than it.
    @Test func theProgramBeganBeforeNow() {
        let age = HostTime.now() - .processStart()
        #expect(age > .zero && age < .seconds(3_600))
    }
}
