import AudioCore
import Testing

@testable import PeerDiscovery

@Suite struct PeerDirectoryTests {
    static let v4 = PeerAddress.v4(0x0A00_0001)
    static let v6 = PeerAddress.v6(high: 0xFE80_0000_0000_0000, low: 1, scope: 2)

    static func key(_ name: String = "Kitchen", interface: Int32 = 2, v6: Bool = false) -> ServiceKey {
        ServiceKey(interface: interface, protocolNumber: v6 ? 1 : 0, name: name, domain: "local")
    }

    static func sighting(
        _ instance: UInt64 = 1, playing: String = "", address: PeerAddress = v4, port: UInt16 = 7
    ) -> ServiceSighting {
        var record = PeerRecordTests.record
        record.instance = instance
        record.playing = playing
        return ServiceSighting(record: record, hostName: "kitchen.local", address: address, port: port)
    }

    @Test func sightingsOfOneInstanceMakeOneEventWithAllAddresses() {
        var directory = PeerDirectory()
        directory.resolved(Self.key(v6: true), Self.sighting(address: Self.v6))
        directory.resolved(Self.key(), Self.sighting())
        let peer = DiscoveredPeer(
            record: Self.sighting().record, serviceName: "Kitchen", hostName: "kitchen.local",
            addresses: [Self.v4, Self.v6], port: 7, interface: 2)
        #expect(directory.takeEvents() == [.found(peer)])
        #expect(directory.takeEvents().isEmpty)
    }

    @Test func theSameAddressSeenTwiceIsOne() {
        var directory = PeerDirectory()
        directory.resolved(Self.key(interface: 2), Self.sighting())
        directory.resolved(Self.key(interface: 3), Self.sighting())
        _ = directory.takeEvents()
        #expect(directory.peers[1]?.addresses == [Self.v4])
    }

    @Test func peersStayApart() {
        var directory = PeerDirectory()
        directory.resolved(Self.key("A"), Self.sighting(1))
        directory.resolved(Self.key("B"), Self.sighting(2))
        #expect(directory.takeEvents().count == 2)
        #expect(Set(directory.peers.keys) == [1, 2])
    }

    @Test func theNewestRecordCounts() {
        var directory = PeerDirectory()
        directory.resolved(Self.key(), Self.sighting())
        directory.resolved(Self.key(v6: true), Self.sighting(address: Self.v6))
        _ = directory.takeEvents()
        directory.resolved(Self.key(), Self.sighting(playing: "Boléro"))
        guard case .changed(let peer) = directory.takeEvents().first else {
            Issue.record("no change was told")
            return
        }
        #expect(peer.record.playing == "Boléro")
        #expect(peer.addresses == [Self.v4, Self.v6])
    }

    @Test func whatIsResolvedAgainUnchangedIsNoNews() {
        var directory = PeerDirectory()
        directory.resolved(Self.key(), Self.sighting())
        _ = directory.takeEvents()
        directory.resolved(Self.key(), Self.sighting())
        #expect(directory.takeEvents().isEmpty)
    }

    @Test func aPeerIsLostWithItsLastSighting() {
        var directory = PeerDirectory()
        directory.resolved(Self.key(), Self.sighting())
        directory.resolved(Self.key(v6: true), Self.sighting(address: Self.v6))
        _ = directory.takeEvents()
        directory.removed(Self.key())
        #expect(directory.takeEvents().count == 1)
        #expect(directory.peers[1]?.addresses == [Self.v6])
        directory.removed(Self.key(v6: true))
        #expect(directory.takeEvents() == [.lost(instance: 1)])
    }

    @Test func renamingIsAChange() {
        var directory = PeerDirectory()
        directory.resolved(Self.key("Kitchen"), Self.sighting())
        _ = directory.takeEvents()
        directory.removed(Self.key("Kitchen"))
        directory.resolved(Self.key("Kitchen #2"), Self.sighting())
        guard case .changed(let peer) = directory.takeEvents().first else {
            Issue.record("no change was told")
            return
        }
        #expect(peer.serviceName == "Kitchen #2")
    }

    @Test func aServiceThatComesBackAsAnotherInstanceIsAnotherPeer() {
        var directory = PeerDirectory()
        directory.resolved(Self.key(), Self.sighting(1))
        _ = directory.takeEvents()
        directory.resolved(Self.key(), Self.sighting(2))
        #expect(directory.takeEvents().first == .lost(instance: 1))
        #expect(Set(directory.peers.keys) == [2])
    }

    @Test func aRecordThatIsNoPeersIsIgnored() {
        var directory = PeerDirectory()
        directory.resolved(Self.key(), nil)
        #expect(!directory.hasNews)
        directory.resolved(Self.key(), Self.sighting())
        directory.resolved(Self.key(), nil)
        #expect(directory.takeEvents().isEmpty)
    }

    @Test func anOutageLosesOnlyWhatIsNotSeenAgain() {
        var directory = PeerDirectory()
        for instance in UInt64(1)...3 { directory.resolved(Self.key("\(instance)"), Self.sighting(instance)) }
        _ = directory.takeEvents()
        directory.beginGeneration()
        directory.resolved(Self.key("1"), Self.sighting(1))
        directory.sawAgain(Self.key("2"))
        #expect(directory.takeEvents().isEmpty)
        directory.dropHearsay()
        #expect(directory.takeEvents() == [.lost(instance: 3)])
    }

    @Test func addressesAreLimited() {
        var directory = PeerDirectory()
        for index in 0..<100 {
            directory.resolved(Self.key(interface: Int32(index)), Self.sighting(address: .v4(UInt32(index))))
        }
        _ = directory.takeEvents()
        #expect(directory.peers[1]?.addresses.count == DiscoveryLimits.addressCount)
    }
}
