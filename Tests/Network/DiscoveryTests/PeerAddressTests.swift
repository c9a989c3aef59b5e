import AudioCore
import Testing

@testable import Discovery

@Suite(.timeLimit(.minutes(5))) struct PeerAddressTests {
    @Test(arguments: [
        (PeerAddress.v4(0x7F00_0001), "127.0.0.1", 4),
        (.v4(0xC0A8_0102), "192.168.1.2", 4),
        (.v6(high: 0, low: 1, scope: 0), "::1", 16),
        (.v6(high: 0xFE80_0000_0000_0000, low: 0x0123, scope: 3), "fe80::123%3", 16),
        (.v6(high: 0x2001_0DB8_0000_0000, low: 0xA, scope: 0), "2001:db8::a", 16),
    ])
    func isShownAsGetaddrinfoTakesIt(address: PeerAddress, text: String, byteCount: Int) {
        #expect(address.description == text)
        #expect(address.bytes.count == byteCount)
    }

    @Test func bytesAreInNetworkOrder() {
        #expect(PeerAddress.v4(0x0102_0304).bytes == [1, 2, 3, 4])
        #expect(
            PeerAddress.v6(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F, scope: 9).bytes == Array(0..<16))
    }

    @Test func routableComesFirstAndLoopbackLast() {
        let addresses: [PeerAddress] = [
            .v6(high: 0, low: 1, scope: 0), .v4(0x7F00_0001), .v6(high: 0xFE80 << 48, low: 1, scope: 2),
            .v4(0xA9FE_0101), .v6(high: 0xFD00 << 48, low: 1, scope: 0), .v4(0x0A00_0001),
        ]
        #expect(addresses.sorted { $0.rank < $1.rank } == addresses.reversed())
    }

    @Test func waitsDoubleUpToTheLimit() {
        var backoff = Backoff(first: .milliseconds(100), limit: .milliseconds(350))
        #expect((0..<4).map { _ in backoff.next().milliseconds } == [100, 200, 350, 350])
        backoff.reset()
        #expect(backoff.next() == .milliseconds(100))
    }

    @Test func alternativeNamesStayWithin63Bytes() {
        #expect(alternativeServiceName(to: "Küche") == "Küche #2")
        #expect(alternativeServiceName(to: "Küche #2") == "Küche #3")
        let long = alternativeServiceName(to: String(repeating: "ä", count: 31))
        #expect(long.utf8.count <= 63 && long.hasSuffix(" #2") && !long.contains("\u{FFFD}"))
    }
}
