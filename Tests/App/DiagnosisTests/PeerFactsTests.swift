import AudioCore
import Peering
import Testing
import TuttiRuntime
import WireProtocol

@testable import Diagnosis

/// What is said of the ways to a peer and its clock.
@Suite(.timeLimit(.minutes(5))) struct PeerFactsTests {
    private static let attic = PeerProcess(peer: UUIDBytes(high: 1, low: 1), instance: 7)
    private static let address = NetworkAddress(host: "10.0.0.2")

    private func facts(
        _ outcome: ExaminedPath.Outcome, port: UInt16? = 28_884, clock: ClockExchangeReport? = nil
    ) -> PeerFacts {
        var path = ExaminedPath(target: 0, address: Self.address)
        path.outcome = outcome
        path.clockPort = port
        var peer = ExaminedPeer(paths: [path])
        peer.clocks = clock.map { [ExaminedClock(address: Self.address, exchange: .success($0))] } ?? []
        return PeerFacts(name: "Attic", isBroadcaster: true, announced: Self.attic, examined: peer)
    }

    private func broadcaster(_ clock: ClockExchangeReport?) -> PeerFacts {
        facts(.greeted(Self.attic, name: "Attic", roles: .broadcaster), clock: clock)
    }

    private func clock(
        _ completed: Int = 60, lost: Int = 0, roundTrip: TimeSpan? = .microseconds(200)
    ) -> ClockExchangeReport {
        var clock = ClockExchangeReport(sent: completed + lost, completed: completed, lost: lost)
        clock.roundTrip = roundTrip
        clock.asymmetryLimit = roundTrip.map { TimeSpan(nanoseconds: $0.nanoseconds / 2) }
        clock.bound = roundTrip == nil ? nil : .microseconds(20)
        return clock
    }

    @Test func aPeerThatAnswersIsNoTrouble() {
        let found = broadcaster(clock()).findings
        #expect(found.map(\.id) == ["peer.reached", "clock.exact"] && found.allSatisfy { $0.severity == .ok })
        // A lost request now and then is nothing.
        #expect(broadcaster(clock(60, lost: 2)).findings.allSatisfy { $0.severity == .ok })
    }

    @Test func aListenerHasNoClock() {
        var facts = facts(.greeted(Self.attic, name: "Attic", roles: .listener), port: nil)
        facts.isBroadcaster = false
        #expect(facts.findings.map(\.id) == ["peer.reached"])
    }

    @Test func refusalIsToldFromSilence() {
        for (outcome, id) in [
            (.refused, "peer.tcp-refused"), (.unanswered, "peer.tcp-silent"),
            (.unreachable, "peer.tcp-unreachable"), (.saysNothing, "peer.mute"),
            (.speaksOtherwise("SSH-2.0"), "peer.no-tutti"),
        ] as [(ExaminedPath.Outcome, String)] {
            let found = facts(outcome).findings
            #expect(found.map(\.id) == [id] && found[0].severity == .problem && found[0].remedy != nil)
        }
    }

    /// One address that works is enough for today.
    @Test func aFurtherAddressThatIsShutIsAWarning() {
        var facts = broadcaster(clock())
        facts.examined.paths.append(ExaminedPath(target: 0, address: NetworkAddress(host: "fe80::2%3")))
        let found = facts.findings.filter { $0.severity != .ok }
        #expect(found.map(\.id) == ["peer.tcp-silent"] && found.allSatisfy { $0.severity == .warning })
    }

    @Test func theMostTellingAddressCounts() {
        var facts = facts(.refused)
        facts.examined.paths.insert(ExaminedPath(target: 0, address: NetworkAddress(host: "fe80::2%3")), at: 0)
        #expect(facts.findings.map(\.id) == ["peer.tcp-refused"])
    }

    @Test func anotherMachineAtTheAddressIsNamed() {
        let cellar = PeerProcess(peer: UUIDBytes(high: 2, low: 2), instance: 8)
        var facts = facts(.greeted(cellar, name: "Cellar", roles: .broadcaster))
        #expect(facts.findings.first?.id == "peer.another-answers")
        #expect(facts.findings.first?.what.contains("Cellar") == true)
        facts.ownAddresses = [Self.address.host]
        #expect(facts.findings.first?.id == "peer.address-is-ours")
    }

    @Test(arguments: [
        (ClockFacts.Datagram.refused, "clock.udp-refused"), (.unreachable, "clock.udp-refused"),
        (.silence, "clock.udp-silent"), (.notSent(1), "clock.udp-not-sent"),
    ]) func aClockThatDoesNotAnswerIsNamed(datagram: ClockFacts.Datagram, id: String) {
        var facts = broadcaster(clock(0, lost: 40, roundTrip: nil))
        facts.datagrams[Self.address] = datagram
        #expect(facts.findings.map(\.id) == ["peer.reached", id])
        #expect(facts.findings[1].severity == .problem)
    }

    /// Its firewall lets one family of addresses pass alone: which one a listener takes is not known.
    @Test func aClockThatAnswersByOneWayAloneIsAWarning() {
        var facts = broadcaster(clock())
        let other = NetworkAddress(host: "fe80::2%3")
        facts.examined.clocks.append(
            ExaminedClock(address: other, exchange: .success(clock(0, lost: 40, roundTrip: nil))))
        facts.datagrams[other] = .refused
        let found = facts.findings
        #expect(found.map(\.id) == ["peer.reached", "clock.udp-refused"] && found[1].severity == .warning)
        #expect(found[1].what.contains("\(other)"))
        facts.examined.clocks[1].exchange = .success(clock())
        #expect(facts.findings.map(\.id) == ["peer.reached", "clock.exact"])
    }

    @Test func anOlderReleaseIsWorthKnowing() {
        let facts = facts(.greeted(Self.attic, name: "Attic", roles: .broadcaster), port: nil)
        #expect(facts.findings.map(\.id) == ["peer.reached", "clock.not-told"])
        #expect(facts.findings.allSatisfy { $0.severity <= .note })
    }

    @Test func lossAndALongWayAreNamed() {
        #expect(broadcaster(clock(40, lost: 20)).findings.contains { $0.id == "clock.loss" })
        let long = broadcaster(clock(roundTrip: .microseconds(10_200))).findings
        #expect(long.first { $0.id == "clock.long-path" }?.severity == .warning)
        #expect(long.first { $0.id == "clock.long-path" }?.what.contains("asymmetry up to 5.10 ms") == true)
        let radio = broadcaster(clock(roundTrip: .milliseconds(2))).findings
        #expect(radio.first { $0.id == "clock.long-path" }?.severity == .note)
    }
}
