import AudioCore
import NIOCore
import Peering
import Testing
import WireProtocol

@Suite(.timeLimit(.minutes(5))) struct ConnectionTableTests {
    private struct Link: PeerLink {
        var connection: PeerConnection
        var contact: PeerContact.Key?
        var mark = 0
    }

    /// A table of process 5, whose peers are played by the test.
    private final class Rig {
        var table: ConnectionTable<Link>
        var now = HostTime(nanoseconds: 1_000_000_000)

        init(
            capacity: Int = 8, allowed: [String] = [], peers: PeerRoles = .listener, candidates: CandidateLimits = .test
        ) {
            table = ConnectionTable(
                instance: 5, peers: peers, allowed: AllowList(allowed), capacity: capacity, candidates: candidates)
        }

        func add(_ id: Int, _ direction: PeerConnection.Direction, dial: Dialer.Dial? = nil) -> Bool {
            let connection = PeerConnection(direction: direction, address: "10.0.0.\(id)", now: now)
            return table.add(ConnectionID(id), Link(connection: connection), dial: dial, now: now) == .taken
        }

        /// Somebody calls from an address of its own choosing.
        func call(_ id: Int, from address: String) -> ConnectionTable<Link>.Admission {
            let connection = PeerConnection(direction: .accepted, address: address, now: now)
            return table.add(ConnectionID(id), Link(connection: connection), dial: nil, now: now)
        }

        /// A peer calls.
        func call(_ id: Int) { _ = add(id, .accepted) }

        func greet(_ id: Int, instance: UInt64) throws {
            let greeting = Greeting(
                roles: .listener, peer: UUIDBytes(high: 1, low: 1), instance: instance, started: 0, name: "Attic")
            #expect(try hear(id, WireEncoder.greeting(greeting)) == [.message(.greeting(greeting))])
        }

        func hear(_ id: Int, _ bytes: ByteBuffer) throws -> [PeerEvent] {
            try table.receive(ConnectionID(id), bytes, now: now)
        }

        @discardableResult
        func updateContact(
            _ instance: UInt64, _ hosts: String..., name: String = "Attic", roles: PeerRoles = .listener,
            service: String = ""
        ) -> [Int] {
            let contact = PeerContact(
                key: .instance(instance, service: service), name: name, roles: roles,
                addresses: hosts.map { NetworkAddress(host: $0) })
            return table.updateContact(contact, now: now).map(\.number)
        }

        func forgetContact(_ instance: UInt64, service: String = "") -> [Int] {
            table.forgetContact(.instance(instance, service: service)).map(\.number)
        }

        func claim(_ id: Int) -> IdentityClaim { table.claim(ConnectionID(id), now: now) }
        func discountPause() -> TimeSpan? { table.discountPause(now) }
        var losers: [Int] { table.losers(now).map(\.number) }
        func accept(_ id: Int) { table.accept(ConnectionID(id)) }
        func due() -> [Dialer.Dial] { table.dialer.dueDials(now) }
        func keepAlives() -> [Int] { table.keepAlivesDue(now).map(\.number) }
        func remove(_ id: Int, pause: TimeSpan = .zero) -> Bool {
            table.remove(ConnectionID(id), pause: pause, now: now) != nil
        }

        var ids: [Int] { table.ids.map(\.number) }
        var silent: [Int] { table.silent(now).map(\.number) }
    }

    @Test func oneAddressCannotTakeAllConnections() {
        let rig = Rig(capacity: 100, candidates: CandidateLimits(count: 100, patience: .seconds(1), byteCount: 0))
        let limit = PeeringLimits.connectionsPerAddress
        for id in 0..<limit { #expect(rig.call(id, from: "10.0.0.66") == .taken) }
        #expect(rig.call(200, from: "10.0.0.66") == .addressFull)
        #expect(rig.call(201, from: "10.0.0.67") == .taken)
        #expect(rig.remove(5))
        #expect(rig.call(202, from: "10.0.0.66") == .taken)
        #expect(rig.call(203, from: "10.0.0.66") == .addressFull)
        for id in 300..<(400 - limit - 1) { #expect(rig.call(id, from: "10.0.1.\(id)") == .taken) }
        #expect(rig.call(400, from: "10.0.0.68") == .takenInstead(of: ConnectionID(202)))
        #expect(rig.remove(202))
        for id in rig.ids { rig.table.admit(ConnectionID(id)) }
        #expect(rig.call(401, from: "10.0.0.69") == .full)
    }

    /// A record names another peer's process at this one's address. That is found out by a call, and forgotten with the
    /// record.
    @Test func aRecordOfAnotherProcessIsNotTakenForAConnectedOne() throws {
        let rig = Rig()
        rig.call(1)
        try rig.greet(1, instance: 7)
        rig.accept(1)
        let forged = PeerContact(
            key: .instance(7, service: "forged"), peer: UUIDBytes(high: 6, low: 6), name: "Other", roles: .listener,
            addresses: [NetworkAddress(host: "10.0.0.1")])
        _ = rig.table.updateContact(forged, now: rig.now)
        let dial = try #require(rig.due().first)
        #expect(rig.add(2, .dialed, dial: dial))
        try rig.greet(2, instance: 7)
        #expect(rig.claim(2) == .contested && rig.remove(2, pause: .seconds(1)))
        rig.now += .milliseconds(999)
        #expect(rig.due().isEmpty)
        rig.now += .milliseconds(1)
        #expect(rig.due().map(\.key) == [forged.key])
        #expect(rig.remove(1))
        #expect(rig.forgetContact(7, service: "forged").isEmpty && rig.table.dialer.contact(forged.key) == nil)
    }

    @Test func onlyAllowedPeersOfTheWantedRoleAreDialled() {
        let rig = Rig(allowed: ["Attic"])
        rig.updateContact(5, "self")
        rig.updateContact(6, "a", roles: .broadcaster)
        rig.updateContact(7, "b", name: "Cellar")
        #expect(rig.due().isEmpty)
        rig.updateContact(8, "c", roles: [.broadcaster, .listener])
        #expect(rig.due().map(\.key) == [.instance(8)])
    }

    @Test func aPeerThatTurnsOutToBearAnotherNameIsNamed() throws {
        let rig = Rig(allowed: ["Attic"])
        for (id, instance) in [(1, 7), (2, 8)] as [(Int, UInt64)] {
            rig.call(id)
            try rig.greet(id, instance: instance)
        }
        #expect(rig.updateContact(7, "10.0.0.1") == [])
        #expect(rig.updateContact(8, "10.0.0.2", name: "Attic #2") == [2])
        #expect(rig.remove(2))
        rig.now += .seconds(60)
        #expect(rig.due().isEmpty)
        #expect(rig.forgetContact(8) == [])
        #expect(rig.updateContact(8, "b") == [])
        #expect(rig.due().map(\.key) == [.instance(8)])
    }

    /// A record of another name says nothing of a peer that is elsewhere, and takes nothing from one whose own record
    /// names it rightly.
    @Test(arguments: ["10.0.0.66", "10.0.0.1"]) func aForgedRecordCutsNobodyOff(address: String) throws {
        let rig = Rig(allowed: ["Attic"])
        rig.call(1)
        try rig.greet(1, instance: 7)
        rig.accept(1)
        if address != "10.0.0.1" { #expect(rig.updateContact(7, address, name: "Impostor", service: "forged") == []) }
        #expect(rig.updateContact(7, "10.0.0.1", service: "own") == [])
        #expect(rig.updateContact(7, address, name: "Impostor", service: "forged") == [])
        // As where a cable is pulled.
        #expect(rig.forgetContact(7, service: "forged") == [] && rig.forgetContact(7, service: "own") == [])
        #expect(rig.due().isEmpty)
    }

    /// A service that takes another name is lost under the former, and found under the new one, in any order.
    @Test(arguments: [true, false]) func aPeerThatIsRenamedIsNoLongerMeant(isLostFirst: Bool) throws {
        let rig = Rig(allowed: ["Attic"])
        rig.updateContact(7, "10.0.0.1", service: "Attic")
        rig.call(1)
        try rig.greet(1, instance: 7)
        rig.accept(1)
        if isLostFirst { #expect(rig.forgetContact(7, service: "Attic") == []) }
        let found = rig.updateContact(7, "10.0.0.1", name: "Attic #2", service: "Attic #2")
        let lost = isLostFirst ? [] : rig.forgetContact(7, service: "Attic")
        #expect(found + lost == [1])
    }

    /// What is known of one process in several ways is dialled in each, until one of them connects.
    @Test func contactsThatDisagreeAreDialledUntilTheProcessIsThere() throws {
        let rig = Rig()
        rig.updateContact(7, "10.0.0.66", service: "forged")
        rig.updateContact(7, "10.0.0.1", service: "own")
        let dials = rig.due()
        #expect(dials.map(\.address.host) == ["10.0.0.66", "10.0.0.1"])
        #expect(rig.add(1, .dialed, dial: dials[1]))
        try rig.greet(1, instance: 7)
        rig.accept(1)
        rig.table.dialer.dialDidEnd(dials[0].id, failure: .unanswered, now: rig.now)
        rig.now += .seconds(60)
        #expect(rig.due().isEmpty)
        // Who calls as the same process elsewhere and says no has the process left alone nowhere else.
        #expect(rig.remove(1))
        rig.now += .seconds(60)
        let again = rig.due()
        #expect(again.count == 2)
        #expect(rig.add(66, .dialed, dial: again[0]))
        try rig.greet(66, instance: 7)
        rig.accept(66)
        #expect(rig.remove(66, pause: .seconds(3_600)))
        rig.table.dialer.dialDidEnd(again[1].id, failure: .unanswered, now: rig.now)
        rig.now += .seconds(60)
        #expect(rig.due().map(\.address.host) == ["10.0.0.1"])
    }

    /// A peer that is found under a new name while it counts as lost is not dialled twice.
    @Test func aContactUnderAnotherNameTakesThePlaceOfTheFormer() throws {
        let rig = Rig()
        rig.updateContact(7, "10.0.0.1", service: "Attic")
        #expect(rig.add(1, .dialed, dial: rig.due().first))
        try rig.greet(1, instance: 7)
        rig.accept(1)
        #expect(rig.forgetContact(7, service: "Attic") == [])
        rig.updateContact(7, "10.0.0.1", service: "Attic #2")
        #expect(rig.remove(1))
        rig.now += .seconds(60)
        #expect(rig.due().count == 1)
    }

    @Test func connectionsStandInTheOrderInWhichTheyCame() {
        let rig = Rig()
        for id in [3, 1, 2] { rig.call(id) }
        for id in [3, 1, 2] { rig.table[ConnectionID(id)]?.mark = id * 10 }
        #expect(rig.ids == [3, 1, 2])
        #expect(rig.table.links.map(\.mark) == [30, 10, 20])
        #expect(rig.remove(1))
        #expect(!rig.remove(1))
        #expect(rig.table.links.map(\.mark) == [30, 20])
    }

    @Test func nothingIsKeptForAConnectionThatIsNotThere() throws {
        let rig = Rig()
        rig.call(1)
        rig.table[ConnectionID(2)] = rig.table[ConnectionID(1)]
        rig.table[ConnectionID(1)] = nil
        #expect(rig.ids == [1])
        #expect(rig.table[ConnectionID(1)] != nil && rig.table[ConnectionID(2)] == nil)
        #expect(try rig.hear(2, WireEncoder.keepAlive()) == [])
    }

    @Test func whatComesBeyondTheCapacityIsTurnedAway() {
        let rig = Rig(capacity: 2)
        #expect(rig.add(1, .accepted) && rig.add(2, .accepted))
        #expect(!rig.add(3, .accepted))
        #expect(rig.ids == [1, 2])
    }

    @Test func ofTwoAddressesOfOneContactTheFirstGoesOn() {
        let rig = Rig()
        rig.updateContact(7, "a", "b")
        let first = rig.due()
        rig.now += PeeringLimits.addressStagger
        let second = rig.due()
        #expect(rig.add(1, .dialed, dial: second[0]))
        #expect(!rig.add(2, .dialed, dial: first[0]))
        #expect(rig.ids == [1])
        rig.now += .seconds(60)
        #expect(rig.due().isEmpty)
    }

    @Test func anAddressStaysConnectedThroughTheSurvivor() throws {
        let rig = Rig()
        let contact = PeerContact(address: NetworkAddress(host: "attic"))
        #expect(rig.table.updateContact(contact, now: rig.now) == [])
        let dial = try #require(rig.due().first)
        #expect(rig.add(1, .dialed, dial: dial))
        rig.call(2)
        try rig.greet(2, instance: 3)
        rig.accept(2)
        try rig.greet(1, instance: 3)
        #expect(rig.claim(1) == .contested)
        #expect(rig.remove(1))
        #expect(rig.due().isEmpty)
        #expect(rig.table[ConnectionID(2)]?.contact == contact.key)
        #expect(rig.remove(2))
        rig.now += PeeringLimits.firstBackOff
        #expect(rig.due().map(\.key) == [contact.key])
    }

    @Test func oneThatCalledUsIsNotDialledWhenMDNSFindsIt() throws {
        let rig = Rig()
        rig.call(1)
        try rig.greet(1, instance: 7)
        rig.accept(1)
        rig.updateContact(7, "a")
        #expect(rig.due().isEmpty)
    }

    @Test func aLostPeerIsDialledAgainAndARefusedOneAfterItsPause() throws {
        let rig = Rig()
        for (id, pause) in [(1, TimeSpan.zero), (2, .seconds(10))] {
            rig.updateContact(7, "a")
            rig.call(id)
            try rig.greet(id, instance: 7)
            rig.accept(id)
            #expect(rig.remove(id, pause: pause))
            let earliest = max(pause, PeeringLimits.firstBackOff)
            rig.now += earliest - .milliseconds(1)
            #expect(rig.due().isEmpty)
            rig.now += .milliseconds(1)
            #expect(rig.due().map(\.key) == [.instance(7)])
        }
    }

    @Test func whoIsSilentIsNamedAndWhoIsNotIsKeptAlive() throws {
        let rig = Rig()
        for id in [1, 2, 3] {
            rig.call(id)
            try rig.greet(id, instance: UInt64(id) + 10)
        }
        rig.now += PeeringLimits.keepAliveInterval
        rig.table.noteSent(ConnectionID(2), now: rig.now)
        #expect(rig.keepAlives() == [1, 3])
        #expect(rig.keepAlives() == [])
        rig.now += .seconds(1)
        _ = try rig.hear(3, WireEncoder.keepAlive())
        rig.now += .seconds(1)
        #expect(rig.silent == [1, 2])
    }

    /// A process that did not run heard nobody, and reads what came before it judges anybody.
    @Test func whatIsNotReadIsNotSilence() throws {
        let rig = Rig()
        for id in [1, 2] {
            rig.call(id)
            try rig.greet(id, instance: UInt64(id) + 10)
        }
        rig.call(3)
        #expect(rig.discountPause() == nil)
        rig.now += PeeringLimits.longestTurnGap
        #expect(rig.discountPause() == nil)
        rig.now += .seconds(30)
        #expect(rig.discountPause() == .seconds(30))
        #expect(rig.silent == [])
        rig.now += .milliseconds(200)
        #expect(rig.discountPause() == nil)
        #expect(rig.silent == [])
        _ = try rig.hear(2, WireEncoder.keepAlive())
        rig.now += PeeringLimits.silenceTimeout - .milliseconds(300)
        #expect(rig.silent == [1, 3])
    }
}
