import Testing
import WireProtocol

@testable import WebRemote

@Suite(.timeLimit(.minutes(5)))
struct PageAddressTests {
    private func best(_ hosts: String..., down: Set<String> = []) -> String? {
        PageAddress.best(of: hosts.map { InterfaceAddress(host: $0, isUsable: !down.contains($0)) })
    }

    @Test func homesComeBeforeContainersAndOthers() {
        #expect(best("127.0.0.1", "172.17.0.1", "10.0.0.5", "192.168.1.5") == "192.168.1.5")
        #expect(best("172.17.0.1", "10.0.0.5") == "10.0.0.5")
        #expect(best("203.0.113.9", "172.20.0.2") == "172.20.0.2")
        #expect(best("192.168.1.5", "10.0.0.5", down: ["192.168.1.5"]) == "10.0.0.5")
        #expect(best("192.168.1.5", "192.168.2.5") == "192.168.1.5")
    }

    @Test func withoutIPv4AddressesOfTheNetworkServe() {
        #expect(best("fe80::1", "2001:db8::1", "fd00::1", "::1") == "fd00::1")
        #expect(best("fe80::1", "2001:db8::1") == "2001:db8::1")
        #expect(best("127.0.0.1", "169.254.3.4", "fe80::1", "::1") == nil)
        #expect(best() == nil)
    }

    @Test func theCodeStandsInTheFragmentAlone() {
        let address = PageAddress(host: "192.168.1.5", port: 28_885, code: "abc")
        #expect(address.text == "http://192.168.1.5:28885/#abc")
        #expect("\(address)" == "http://192.168.1.5:28885/")
        #expect(PageAddress(host: "fd00::1", port: 1).text == "http://[fd00::1]:1/")
    }

    @Test func aCertificatesNameComesFirst() {
        let named = PageLocation(port: 28_885, scheme: .https(name: "music.example.org"))
        #expect(PageAddress(named, host: "192.168.1.5", code: "abc").text == "https://music.example.org:28885/#abc")
        #expect("\(PageAddress.best(named, code: "abc"))" == "https://music.example.org:28885/")
        let nameless = PageLocation(port: 28_885, scheme: .https(name: nil))
        #expect(PageAddress(nameless, host: "192.168.1.5").text == "https://192.168.1.5:28885/")
        #expect(PageAddress(PageLocation(port: 5), host: "192.168.1.5").text == "http://192.168.1.5:5/")
    }

    @Test func thisMachineHasAnAddress() { #expect(PageAddress.best(PageLocation(port: 5)).text.hasSuffix(":5/")) }
}
