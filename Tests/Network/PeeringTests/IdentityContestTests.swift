import AudioCore
import NIOCore
import Peering
import Testing
import WireProtocol

@Suite(.timeLimit(.minutes(5))) struct IdentityContestTests {
    private struct Link: PeerLink {
        var connection: PeerConnection
        var contact: PeerContact.Key?
    }

    /// A table of process 5, to which connections say that they are process 7.
    private final class Rig {
        var table: ConnectionTable<Link>
        var now = HostTime(nanoseconds: 1_000_000_000)
        private let role: PeerRoles
        static let peer = UUIDBytes(high: 1, low: 1)
        static let impostor = UUIDBytes(high: 6, low: 6)

        init(peers role: PeerRoles = .listener, known addresses: String...) {
            self.role = role
            table = ConnectionTable(
                instance: 5, peers: role, allowed: AllowList([]), capacity: 8, candidates: .test)
            guard !addresses.isEmpty else { return }
            let hosts = addresses.map { NetworkAddress(host: $0) }
            _ = table.updateContact(
                PeerContact(key: .instance(7), peer: Self.peer, name: "Attic", roles: role, addresses: hosts), now: now)
        }

        /// Somebody announces the process elsewhere.
        func forge(at address: String) {
            let hosts = [NetworkAddress(host: address)]
            _ = table.updateContact(
                PeerContact(
                    key: .instance(7, service: "forged"), peer: Self.peer, name: "Impostor", roles: role,
                    addresses: hosts),
                now: now)
        }

        func greet(
            _ id: Int, from address: String, roles: PeerRoles? = nil, peer: UUIDBytes = peer
        ) throws -> IdentityClaim {
            let connection = PeerConnection(direction: .accepted, address: address, now: now)
            #expect(table.add(ConnectionID(id), Link(connection: connection), dial: nil, now: now) == .taken)
            let greeting = Greeting(
                roles: roles ?? role, peer: peer, instance: 7, started: 0, name: "Attic")
            _ = try table.receive(ConnectionID(id), WireEncoder.greeting(greeting), now: now)
            let claim = table.claim(ConnectionID(id), now: now)
            table.accept(ConnectionID(id))
            return claim
        }

        func hear(_ id: Int) throws { _ = try table.receive(ConnectionID(id), WireEncoder.keepAlive(), now: now) }
        func remove(_ id: Int) { table.remove(ConnectionID(id), pause: .zero, now: now) }
        func isContested(_ id: Int) -> Bool { table.isContested(ConnectionID(id)) }
        var losers: [Int] { table.losers(now).map(\.number) }
        var dials: Int { table.dialer.dueDials(now).count }
    }

    /// A process is known by its key as well: who states another's number is another process, and neither displaces it
    /// nor keeps it from being dialled.
    @Test func whoStatesAnothersNumberIsAnotherProcess() throws {
        let rig = Rig(known: "a")
        #expect(try rig.greet(1, from: "x", peer: Rig.impostor) == .unopposed)
        #expect(rig.dials == 1)
        #expect(try rig.greet(2, from: "a") == .unopposed)
        rig.remove(2)
        #expect(rig.losers.isEmpty)
    }

    @Test(arguments: ["a", "b"]) func whoLivesIsNotDisplaced(address: String) throws {
        let rig = Rig()
        #expect(try rig.greet(1, from: "a") == .unopposed)
        rig.now += .seconds(30)
        try rig.hear(1)
        rig.now += .milliseconds(500)
        #expect(try rig.greet(2, from: address) == .contested)
        #expect(rig.isContested(2) && !rig.isContested(1))
        #expect(rig.losers == [])
        rig.now += .milliseconds(200)
        try rig.hear(1)
        #expect(rig.losers == [2])
        rig.remove(2)
        #expect(rig.losers == [] && !rig.isContested(2))
    }

    /// Who calls again because its connection broke takes over at once from where it was, or is known to be; from
    /// elsewhere when the former connection is given up as any that is silent.
    @Test(arguments: [("a", "z", 1), ("b", "b", 1), ("b", "z", nil)] as [(String, String, Int?)])
    func whoIsSilentIsSucceeded(address: String, known: String, loser: Int?) throws {
        let rig = Rig(known: known, "a")
        #expect(try rig.greet(1, from: "a") == .unopposed)
        rig.now += PeeringLimits.successionTime - .milliseconds(100)
        #expect(try rig.greet(2, from: address) == .contested)
        #expect(rig.losers == [])
        rig.now += .milliseconds(200)
        #expect(rig.losers == [loser].compactMap { $0 })
        rig.now += .seconds(1)
        rig.remove(1)
        #expect(!rig.isContested(2) && rig.losers == [])
        // It was connected all the time.
        #expect(rig.dials == 0)
    }

    @Test func whoCallsFromWhereTheProcessIsTakesOverFromWhoDoesNot() throws {
        let rig = Rig(known: "fe80::1%eth0")
        #expect(try rig.greet(1, from: "b") == .unopposed)
        rig.now += .milliseconds(100)
        #expect(try rig.greet(2, from: "fe80::1%2") == .contested)
        #expect(rig.losers == [1])
        try rig.hear(1)
        rig.now += .milliseconds(100)
        try rig.hear(1)
        #expect(rig.losers == [1])
    }

    /// What mDNS says of a process displaces nobody who was there before it said so, or whom it knows as well.
    @Test(arguments: [true, false]) func aForgedRecordDisplacesNobody(isKnown: Bool) throws {
        let rig = isKnown ? Rig(known: "a") : Rig()
        #expect(try rig.greet(1, from: "a") == .unopposed)
        rig.now += .milliseconds(100)
        rig.forge(at: "z")
        #expect(try rig.greet(2, from: "z") == .contested)
        #expect(rig.losers == [])
        // Nor is it silent for long enough to be given up for one that calls from elsewhere.
        rig.now += PeeringLimits.successionTime + .milliseconds(1)
        #expect(rig.losers == [])
        try rig.hear(1)
        #expect(rig.losers == [2])
    }

    /// Where a process was announced in two ways before anybody greeted, nobody can tell which is right.
    @Test func ofTwoThatAreAnnouncedTheFirstStays() throws {
        let rig = Rig(known: "a")
        rig.forge(at: "z")
        #expect(try rig.greet(1, from: "b") == .unopposed)
        rig.now += .milliseconds(100)
        #expect(try rig.greet(2, from: "z") == .contested)
        rig.now += .milliseconds(100)
        try rig.hear(1)
        #expect(rig.losers == [2])
    }

    @Test func onlyOneWaits() throws {
        let rig = Rig()
        #expect(try rig.greet(1, from: "a") == .unopposed)
        #expect(try rig.greet(2, from: "a") == .contested)
        #expect(try rig.greet(3, from: "a") == .superfluous)
    }

    @Test func whoLooksOnHoldsNothing() throws {
        let rig = Rig()
        #expect(try rig.greet(1, from: "a", roles: .observer) == .unopposed)
        #expect(try rig.greet(2, from: "b") == .unopposed)
    }

    /// A listener leaves it to the broadcaster which of two goes on, for a while.
    @Test func aListenerWaitsForWhatTheBroadcasterDecides() throws {
        let rig = Rig(peers: .broadcaster)
        #expect(try rig.greet(1, from: "a") == .unopposed)
        #expect(try rig.greet(2, from: "a") == .contested)
        rig.now += PeeringLimits.contestTime - .milliseconds(100)
        #expect(rig.losers == [])
        try rig.hear(1)
        #expect(rig.losers == [])
        rig.now += .milliseconds(200)
        #expect(rig.losers == [2])
    }
}
