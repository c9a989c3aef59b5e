import Discovery
import Testing

@testable import Diagnosis

/// What is said of mDNS, by what was seen of it.
@Suite(.timeLimit(.minutes(5))) struct DiscoveryFactsTests {
    /// A host whose daemon announces, finds, and answers.
    private var healthy: DiscoveryFacts {
        var facts = DiscoveryFacts(hostName: "Kitchen", ownAddresses: ["192.168.1.5", "fe80::5", "127.0.0.1"])
        facts.ownService = .announced
        facts.sightings = [.init(hostName: "Kitchen.local", addresses: ["192.168.1.5", "fe80::5"])]
        facts.responders = [.init(name: "avahi-daemon", process: 40)]
        facts.hasAsked = true
        facts.answers = [
            HostAnswer(host: "kitchen.local", sender: "192.168.1.5", addresses: ["192.168.1.5"], interface: 2),
            HostAnswer(host: "attic.local", sender: "192.168.1.6", addresses: ["192.168.1.6"], interface: 2),
        ]
        return facts
    }

    @Test func aHealthyHostHasNoTrouble() {
        #expect(healthy.findings.map(\.id) == ["avahi.works"])
        #expect(healthy.findings.allSatisfy { $0.severity == .ok })
    }

    @Test func aHostWithoutIPv4IsNotBlamedForSilence() {
        var facts = healthy
        (facts.hasAsked, facts.answers) = (false, [])
        #expect(facts.findings.map(\.id) == ["avahi.works"])
    }

    @Test func whatIsMissingIsNamed() {
        for (failure, id) in [
            (.noSystemBus, "avahi.no-bus"), (.noDaemon, "avahi.not-running"), (.accessDenied, "avahi.access-denied"),
            (.other("Timeout reached"), "avahi.broken"),
        ] as [(DiscoveryFailure, String)] {
            var facts = DiscoveryFacts(hostName: "Kitchen", ownAddresses: [])
            facts.failure = failure
            let found = facts.findings
            #expect(found.map(\.id) == [id] && found[0].severity == .problem && found[0].remedy != nil)
        }
    }

    @Test func aDaemonThatDoesNotAnnounceIsNamed() {
        var facts = healthy
        facts.ownService = .rejected(reason: "advertise: Not permitted")
        #expect(facts.findings.first?.id == "avahi.rejects")
        facts.ownService = .notAnnounced
        #expect(facts.findings.first?.id == "avahi.slow")
        facts.ownService = .announced
        facts.sightings = []
        #expect(facts.findings.first?.id == "avahi.not-seen")
    }

    @Test func aFirewallBeforeTheDaemonIsNamed() {
        var facts = healthy
        facts.answers.removeFirst()
        #expect(facts.findings.map(\.id) == ["avahi.unheard"])
    }

    @Test(arguments: [("Kitchen-2.local", true), ("Kitchen.local", false), ("Kitchen-sink.local", false)])
    func aTakenNameIsNamed(host: String, isRenamed: Bool) {
        var facts = healthy
        facts.sightings[0].hostName = host
        facts.answers[0].host = host
        #expect(facts.findings.contains { $0.id == "avahi.renamed" } == isRenamed)
        #expect(!facts.findings.contains { $0.severity == .problem })
    }

    @Test func anotherStackIsNamedAndAProgramThatOnlyAsksIsNot() {
        var facts = healthy
        facts.responders += [.init(name: "systemd-resolve", process: 7), .init(name: "chrome", process: 8)]
        let found = facts.findings
        #expect(found.first { $0.id == "mdns.another-stack" }?.severity == .warning)
        #expect(found.first { $0.id == "mdns.another-stack" }?.what.contains("systemd-resolve (7)") == true)
        #expect(found.first { $0.id == "mdns.another-program" }?.severity == .note)
    }

    /// The daemon of another user can be seen by that user's name only.
    @Test func theDaemonsUserIsTheDaemon() {
        var facts = healthy
        facts.responders = [.init(name: "avahi", process: nil)]
        #expect(facts.findings.map(\.id) == ["avahi.works"])
    }

    @Test func whoAnswersForThisMachineIsALiar() {
        var facts = healthy
        facts.answers.append(
            HostAnswer(host: "Kitchen.local", sender: "192.168.1.66", addresses: ["192.168.1.66"], interface: 2))
        let liars = facts.findings.filter { $0.id == "mdns.liar" }
        #expect(liars.count == 1 && liars[0].severity == .problem && liars[0].what.contains("192.168.1.66"))
    }

    @Test func whoAnswersForAnotherMachineIsALiar() {
        var facts = healthy
        facts.answers.append(
            HostAnswer(host: "attic.local", sender: "192.168.1.66", addresses: ["192.168.1.99"], interface: 2))
        let liars = facts.findings.filter { $0.id == "mdns.liar" }
        #expect(liars.count == 1 && liars[0].severity == .warning && liars[0].what.contains("192.168.1.99"))
    }

    @Test func theOwnServiceAtAForeignAddressIsALie() {
        var facts = healthy
        facts.sightings[0].addresses = ["192.168.1.99"]
        #expect(facts.findings.contains { $0.id == "mdns.liar" && $0.severity == .problem })
    }

    @Test func whatOthersSayIsBounded() {
        var facts = healthy
        let long = String(repeating: "x\u{1B}", count: 5_000)
        facts.failure = .other(long)
        facts.responders.append(.init(name: String(heard: long), process: 1))
        for finding in facts.findings {
            #expect(finding.what.utf8.count < 400 && !finding.what.unicodeScalars.contains("\u{1B}"))
        }
    }
}
