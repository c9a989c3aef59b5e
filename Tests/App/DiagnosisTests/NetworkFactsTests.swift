import Glibc
import Testing

@testable import Diagnosis

/// What is said of interfaces and multicast.
@Suite(.timeLimit(.minutes(5))) struct NetworkFactsTests {
    /// Up, running, and able to multicast, by netdevice(7).
    private static let working: UInt32 = 0x1 | 0x40 | 0x1000

    private func interface(
        _ name: String = "eth0", flags: UInt32 = working, _ multicast: NetworkFacts.Multicast? = .heard
    ) -> NetworkFacts.Interface {
        var interface = NetworkFacts.Interface(systemName: name, index: 2, flags: flags)
        interface.addresses = ["10.0.0.1", "fe80::1"]
        interface.multicast = multicast
        return interface
    }

    private func findings(_ interfaces: NetworkFacts.Interface..., route: Int32 = 0) -> [Finding] {
        NetworkFacts(interfaces: interfaces, anyRoute: route).findings
    }

    @Test func aWorkingInterfaceIsNoTrouble() {
        let found = findings(interface("lo", flags: 0x49), interface())
        #expect(found.map(\.id) == ["network.interface"] && found[0].severity == .ok)
        #expect(found[0].what.contains("eth0") && found[0].what.contains("10.0.0.1"))
    }

    @Test func withoutAnInterfaceNothingWorks() {
        #expect(findings(interface("lo", flags: 0x49)).map(\.id) == ["network.none"])
        // The cable is out.
        #expect(findings(interface(flags: 0x1 | 0x1000, nil)).map(\.id) == ["network.none"])
        // A bridge of containers leads nowhere.
        #expect(findings(interface("docker0")).first?.id == "network.none")
    }

    @Test func multicastThatIsNotHeardIsNamed() {
        for trouble in [NetworkFacts.Multicast.notHeard, .notSent(EPERM), .notSent(ENETUNREACH)] {
            let found = findings(interface("eth0", trouble))
            #expect(found.map(\.id) == ["network.multicast-blocked"] && found[0].severity == .problem)
        }
        #expect(findings(interface(flags: 0x41, nil)).map(\.id) == ["network.no-multicast"])
    }

    @Test func aMissingRouteIsNamed() {
        let found = findings(interface(), route: ENETUNREACH)
        #expect(found.map(\.id) == ["network.no-multicast-route", "network.interface"])
        #expect(found[0].severity == .warning && found[0].remedy?.contains("dev eth0") == true)
    }

    @Test func bridgesOfContainersAreWorthKnowing() {
        let found = findings(interface(), interface("docker0"), interface("br-0123456789ab"))
        let bridge = found.first { $0.id == "network.container-bridge" }
        #expect(bridge?.severity == .note)
        #expect(bridge?.remedy?.contains("deny-interfaces=docker0,br-0123456789ab") == true)
        // One that is down has no addresses that matter.
        #expect(!findings(interface(), interface("docker0", flags: 0)).contains { $0.id == "network.container-bridge" })
    }
}
