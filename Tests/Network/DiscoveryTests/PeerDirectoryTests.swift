import AudioCore
import Testing
import WireProtocol

@testable import Discovery

@Suite(.timeLimit(.minutes(5))) struct PeerDirectoryTests {
    static let v4 = PeerAddress.v4(0x0A00_0001)
    static let v6 = PeerAddress.v6(high: 0xFE80_0000_0000_0000, low: 1, scope: 2)

    static func key(_ name: String = "Kitchen", interface: Int32 = 2, v6: Bool = false) -> ServiceKey {
        ServiceKey(interface: interface, protocolNumber: v6 ? 1 : 0, name: name, domain: "local")
    }

    static func sighting(
        _ instance: UInt64 = 1, named: String = "Kitchen", address: PeerAddress = v4, port: UInt16 = 7,
        host: String = "kitchen.local"
    ) -> ServiceSighting {
        var record = PeerRecordTests.record
        record.instance = instance
        record.name = named
        return ServiceSighting(record: record, hostName: host, address: address, port: port)
    }

    static func service(
        _ instance: UInt64 = 1, _ name: String = "Kitchen", port: UInt16 = 7, host: String = "kitchen.local"
    ) -> PeerService {
        PeerService(
            instance: instance, peer: PeerRecordTests.record.id, name: name, domain: "local", hostName: host, port: port
        )
    }

    @Test func sightingsOfOneInstanceMakeOneEventWithAllAddresses() {
        var directory = PeerDirectory()
        directory.resolved(Self.key(v6: true), Self.sighting(address: Self.v6))
        directory.resolved(Self.key(), Self.sighting())
        let peer = DiscoveredPeer(
            record: Self.sighting().record, service: Self.service(), addresses: [Self.v4, Self.v6], interface: 2)
        #expect(directory.takeEvents() == [.found(peer)])
        #expect(directory.takeEvents().isEmpty)
    }

    @Test func theSameAddressSeenTwiceIsOne() {
        var directory = PeerDirectory()
        directory.resolved(Self.key(interface: 2), Self.sighting())
        directory.resolved(Self.key(interface: 3), Self.sighting())
        _ = directory.takeEvents()
        #expect(directory.peers[Self.service()]?.addresses == [Self.v4])
    }

    @Test func peersStayApart() {
        var directory = PeerDirectory()
        directory.resolved(Self.key("A"), Self.sighting(1))
        directory.resolved(Self.key("B"), Self.sighting(2))
        #expect(directory.takeEvents().count == 2)
        #expect(Set(directory.peers.keys) == [Self.service(1, "A"), Self.service(2, "B")])
    }

    @Test func theNewestRecordCounts() {
        var directory = PeerDirectory()
        directory.resolved(Self.key(), Self.sighting())
        directory.resolved(Self.key(v6: true), Self.sighting(address: Self.v6))
        _ = directory.takeEvents()
        directory.resolved(Self.key(), Self.sighting(named: "Galley"))
        guard case .changed(let peer) = directory.takeEvents().first else {
            Issue.record("no change was told")
            return
        }
        #expect(peer.record.name == "Galley")
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
        #expect(directory.peers[Self.service()]?.addresses == [Self.v6])
        directory.removed(Self.key(v6: true))
        #expect(directory.takeEvents() == [.lost(Self.service())])
    }

    /// Whichever of the two is seen first.
    @Test(arguments: [true, false]) func underAnotherNameIsLostAndThenFound(isRemovedFirst: Bool) {
        var directory = PeerDirectory()
        directory.resolved(Self.key("Kitchen"), Self.sighting())
        _ = directory.takeEvents()
        if isRemovedFirst { directory.removed(Self.key("Kitchen")) }
        directory.resolved(Self.key("Kitchen #2"), Self.sighting())
        if !isRemovedFirst { directory.removed(Self.key("Kitchen")) }
        let events = directory.takeEvents()
        #expect(events.count == 2 && events.first == .lost(Self.service()))
        guard case .found(let peer) = events.last else {
            Issue.record("it was not found")
            return
        }
        #expect(peer.serviceName == "Kitchen #2" && peer.addresses == [Self.v4])
        #expect(directory.peers.count == 1)
    }

    /// A peer at another address is the same.
    @Test func anotherAddressIsAChange() {
        var directory = PeerDirectory()
        directory.resolved(Self.key(), Self.sighting())
        _ = directory.takeEvents()
        directory.resolved(Self.key(), Self.sighting(address: .v4(0x0A00_004D)))
        guard case .changed(let peer) = directory.takeEvents().first else {
            Issue.record("no change was told")
            return
        }
        #expect(peer.addresses == [.v4(0x0A00_004D)])
    }

    /// A service that names the process of another stands beside that one's own, whatever else it takes from it.
    @Test(
        arguments: [
            ("Impostor", "kitchen.local", 7), ("Kitchen", "impostor.local", 7), ("Kitchen", "kitchen.local", 8),
        ] as [(String, String, UInt16)])
    func whatDisagreesIsNotMerged(name: String, host: String, port: UInt16) {
        for isForgedFirst in [true, false] {
            var directory = PeerDirectory()
            let forged = Self.sighting(named: "Forged", address: .v4(0x0A00_0042), port: port, host: host)
            if isForgedFirst { directory.resolved(Self.key(name, interface: 3), forged) }
            directory.resolved(Self.key(), Self.sighting())
            if !isForgedFirst { directory.resolved(Self.key(name, interface: 3), forged) }
            #expect(directory.takeEvents().count == 2)
            let own = directory.peers[Self.service()]
            #expect(own?.addresses == [Self.v4] && own?.record.name == "Kitchen")
            #expect(directory.peers[Self.service(1, name, port: port, host: host)]?.record.name == "Forged")
            directory.removed(Self.key(name, interface: 3))
            #expect(directory.takeEvents() == [.lost(Self.service(1, name, port: port, host: host))])
            #expect(directory.peers[Self.service()] == own)
        }
    }

    /// However much else agrees.
    @Test(arguments: [true, false]) func anotherPeerOrDomainIsNotMerged(isOtherPeer: Bool) {
        var directory = PeerDirectory()
        directory.resolved(Self.key(), Self.sighting())
        var forged = Self.sighting(named: "Forged", address: .v4(0x0A00_0042))
        if isOtherPeer { forged.record.id = UUIDBytes(high: 9, low: 9) }
        let domain = isOtherPeer ? "local" : "example"
        directory.resolved(ServiceKey(interface: 3, protocolNumber: 0, name: "Kitchen", domain: domain), forged)
        #expect(directory.takeEvents().count == 2 && directory.peers.count == 2)
        let own = directory.peers[Self.service()]
        #expect(own?.addresses == [Self.v4] && own?.record.name == "Kitchen")
    }

    @Test func aServiceThatComesBackAsAnotherInstanceIsAnotherPeer() {
        var directory = PeerDirectory()
        directory.resolved(Self.key(), Self.sighting(1))
        _ = directory.takeEvents()
        directory.resolved(Self.key(), Self.sighting(2))
        #expect(directory.takeEvents().first == .lost(Self.service(1)))
        #expect(Set(directory.peers.keys) == [Self.service(2)])
    }

    @Test func aRecordThatIsNoPeersIsIgnored() {
        var directory = PeerDirectory()
        directory.resolved(Self.key(), nil)
        #expect(!directory.hasChanges)
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
        directory.confirm(Self.key("2"))
        #expect(directory.takeEvents().isEmpty)
        directory.dropUnconfirmed()
        #expect(directory.takeEvents() == [.lost(Self.service(3, "3"))])
    }

    @Test func addressesAreLimited() {
        var directory = PeerDirectory()
        for index in 0..<100 {
            directory.resolved(Self.key(interface: Int32(index)), Self.sighting(address: .v4(UInt32(index))))
        }
        _ = directory.takeEvents()
        #expect(directory.peers[Self.service()]?.addresses.count == DiscoveryLimits.addressCount)
    }
}
