import Peering
import Testing

/// Addresses as users write them.
@Suite(.timeLimit(.minutes(5))) struct NetworkAddressTests {
    @Test(arguments: [
        ("den", "den", 28_884), ("den.local:99", "den.local", 99), ("10.0.0.1:65535", "10.0.0.1", 65_535),
        ("::1", "::1", 28_884), ("fe80::1%eth0", "fe80::1%eth0", 28_884), ("[::1]", "::1", 28_884),
        ("[fe80::1%2]:7", "fe80::1%2", 7),
    ])
    func takes(text: String, host: String, port: UInt16) {
        #expect(NetworkAddress(parsing: text) == NetworkAddress(host: host, port: port))
    }

    @Test(arguments: [
        "", ":1", "den:", "den:0", "den:65536", "den:+80", "den:-1", "den:eighty", "den: 80", "d en", "[]", "[]:1",
        "[::1",
        "[::1]80", "[::1]:", "\t",
    ])
    func refuses(text: String) {
        #expect(NetworkAddress(parsing: text) == nil)
    }

    @Test(arguments: ["den:28884", "[fe80::1%2]:7"])
    func describesItselfAsItIsParsed(text: String) {
        #expect(NetworkAddress(parsing: text)?.description == text)
    }
}
