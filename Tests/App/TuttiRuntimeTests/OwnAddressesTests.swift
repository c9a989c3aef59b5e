import Testing

@testable import TuttiRuntime

/// Which hosts are this machine.
@Suite(.timeLimit(.minutes(5))) struct OwnAddressesTests {
    @Test(arguments: [
        "localhost", "LOCALHOST", "127.0.0.1", "127.3.4.5", "::1", "0:0:0:0:0:0:0:1", "0.0.0.0", Identity.hostName,
        Identity.hostName + ".local",
    ])
    func thisMachine(host: String) { #expect(OwnAddresses.contains(host)) }

    /// Of networks for documentation (RFC 5737, RFC 3849), and names that nobody has.
    @Test(arguments: ["192.0.2.1", "2001:db8::1", "attic.invalid", "localhost.invalid", "", "127"])
    func anotherMachine(host: String) { #expect(!OwnAddresses.contains(host)) }

    @Test func itsOwnAddressesAreThisMachine() {
        for host in OwnAddresses.typed() { #expect(OwnAddresses.contains(host)) }
    }
}
