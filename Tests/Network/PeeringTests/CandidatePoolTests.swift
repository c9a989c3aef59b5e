import AudioCore
import NIOCore
import Testing
import WireProtocol

@testable import Peering

extension CandidateLimits {
    /// As many as the table holds.
    static let test = CandidateLimits(count: 64, patience: .seconds(1), byteCount: 1_000)
}

@Suite(.timeLimit(.minutes(1))) struct CandidatePoolTests {
    private struct Link: PeerLink {
        var connection: PeerConnection
        var contact: PeerContact.Key?
    }

    /// A table with few places for candidates, whose peers are played by the test. Who loses its place is closed.
    private final class Rig {
        var table: ConnectionTable<Link>
        var now = HostTime(nanoseconds: 1_000_000_000)
        private var nextID = 0

        init(count: Int = 32, capacity: Int = 10_000) {
            let limits = CandidateLimits(count: count, patience: .seconds(5), byteCount: 1_000)
            table = ConnectionTable(
                instance: 5, peers: .broadcaster, allowed: AllowList([]), capacity: capacity, candidates: limits)
        }

        /// Somebody connects; whether it was taken, and who lost its place.
        @discardableResult
        func open(_ address: String) -> (id: Int, admission: ConnectionTable<Link>.Admission) {
            let id = ConnectionID(nextID)
            nextID += 1
            let link = Link(connection: PeerConnection(direction: .accepted, address: address, now: now))
            let admission = table.add(id, link, dial: nil, now: now)
            if case .takenInstead(of: let other) = admission { table.remove(other, pause: .zero, now: now) }
            return (id.number, admission)
        }

        func admit(_ id: Int) { table.admit(ConnectionID(id)) }
        func close(_ id: Int) { table.remove(ConnectionID(id), pause: .zero, now: now) }
        func hold(_ id: Int, _ byteCount: Int) -> Int? { table.hold(ConnectionID(id), byteCount: byteCount)?.number }
        func isThere(_ id: Int) -> Bool { table[ConnectionID(id)] != nil }
        /// Those who have been candidates for any time at all.
        func isCandidate(_ id: Int) -> Bool {
            table.candidates(since: .nanoseconds(-1), now: now).contains(ConnectionID(id))
        }
        func count(at address: String) -> Int { table.links.count { $0.connection.address == address } }
    }

    @Test func whoComesFromElsewhereFindsAPlaceAndTheNewestOfTheManyGoes() {
        let rig = Rig()
        for _ in 0..<32 { rig.open("10.0.0.66") }
        #expect(rig.open("10.0.0.66").admission == .crowded)
        let honest = rig.open("10.0.0.7")
        #expect(honest.admission == .takenInstead(of: ConnectionID(31)))
        #expect(rig.isCandidate(honest.id) && !rig.isThere(31))
        #expect(rig.table.ids.count == 32)
    }

    /// Who stood still for longer than a peer takes to prove itself keeps nobody out, of the same address neither.
    @Test func whoStandsStillMakesRoom() {
        let rig = Rig()
        for _ in 0..<32 { rig.open("10.0.0.66") }
        rig.now += .seconds(5) + .milliseconds(1)
        #expect(rig.open("10.0.0.66").admission == .takenInstead(of: ConnectionID(0)))
        #expect(rig.open("10.0.0.7").admission == .takenInstead(of: ConnectionID(1)))
    }

    /// One that takes long to prove itself does not suffer from many of another address.
    @Test func theOldestGoesOnlyIfItIsOfTheMany() {
        let rig = Rig()
        rig.open("10.0.0.7")
        rig.now += .seconds(60)
        for _ in 0..<100 { rig.open("10.0.0.66") }
        #expect(rig.isCandidate(0))
        #expect(rig.count(at: "10.0.0.66") == 31)
    }

    /// A network of IPv6 addresses is one group, in which the address with the most loses first.
    @Test func anIPv6NetworkCountsAsOne() {
        let rig = Rig()
        for number in 0..<31 { rig.open("2001:db8:0:1::\(String(number + 1, radix: 16))") }
        rig.open("2001:db8:0:2::1")
        #expect(rig.open("2001:db8:0:1::ffff").admission == .crowded)
        #expect(rig.open("10.0.0.7").admission == .takenInstead(of: ConnectionID(30)))
        let link = Rig()
        for _ in 0..<32 { link.open("fe80::66%2") }
        #expect(link.open("fe80::7%2").admission == .takenInstead(of: ConnectionID(31)))
    }

    /// Of many that come at once from as many addresses, the first go on: each puts nobody out who is about to greet.
    @Test func ofManyNewcomersTheFirstGoOn() {
        let rig = Rig()
        for number in 0..<200 { rig.open("10.0.1.\(number)") }
        #expect(rig.table.ids.map(\.number) == Array(0..<32))
    }

    @Test func whoProvedItselfTakesNoPlace() {
        let rig = Rig(count: 2)
        for number in 0..<100 { rig.admit(rig.open("10.0.0.\(number)").id) }
        #expect(rig.table.ids.count == 100 && rig.isThere(0) && !rig.isCandidate(0))
        #expect(rig.open("10.0.1.1").admission == .taken)
    }

    /// Where all connections there may be stand, candidates make room for each other, and nobody else for them.
    @Test func candidatesMakeRoomBeforeTheTableIsFull() {
        let rig = Rig(count: 4, capacity: 4)
        for number in 0..<2 { rig.admit(rig.open("10.0.0.\(number)").id) }
        rig.open("10.0.0.66")
        rig.open("10.0.0.66")
        #expect(rig.open("10.0.0.7").admission == .takenInstead(of: ConnectionID(3)))
        for id in [2, 4] { rig.admit(id) }
        #expect(rig.open("10.0.0.8").admission == .full)
    }

    @Test func whatIsKeptOfAllIsBounded() {
        let rig = Rig()
        let honest = rig.open("10.0.0.7").id
        let others = (0..<4).map { _ in rig.open("10.0.0.66").id }
        #expect(rig.hold(honest, 400) == nil)
        for id in others[..<3] { #expect(rig.hold(id, 200) == nil) }
        #expect(rig.hold(others[3], 100) == others[0])
        rig.close(others[0])
        #expect(rig.hold(others[3], 200) == nil)
        rig.admit(honest)
        #expect(rig.hold(honest, 10_000) == nil)
        #expect(rig.hold(others[1], 601) == others[1])
    }

    @Test func whoNeverProvesItselfIsNamed() {
        let rig = Rig()
        rig.open("10.0.0.1")
        rig.admit(rig.open("10.0.0.2").id)
        rig.now += .seconds(10)
        rig.open("10.0.0.3")
        #expect(rig.table.candidates(since: .seconds(9), now: rig.now) == [ConnectionID(0)])
    }

    /// Thousands that come and go leave nothing behind.
    @Test func thousandsComeAndGo() {
        let rig = Rig(count: 8, capacity: 4_096)
        for number in 0..<4_000 { rig.admit(rig.open("10.0.\(number / 250).\(number % 250)").id) }
        for number in 4_000..<14_000 { rig.close(rig.open("2001:db8::\(String(number % 97, radix: 16))").id) }
        for number in 0..<4_000 where number % 2 == 0 { rig.close(number) }
        #expect(rig.table.ids.map(\.number) == Array(stride(from: 1, to: 4_000, by: 2)))
        for _ in 0..<8 { #expect(rig.open("10.1.0.1").admission == .taken) }
        #expect(rig.open("10.1.0.1").admission == .crowded)
    }
}

@Suite(.timeLimit(.minutes(1))) struct AddressGroupTests {
    @Test(arguments: [
        ("10.0.0.1", "10.0.0.2", false), ("10.0.0.1", "10.0.0.1", true), ("2001:db8::1", "2001:db8::ffff:1", true),
        ("2001:db8::1", "2001:db8:0:1::1", false), ("fe80::1%2", "fe80::2%2", true), ("fe80::1%2", "fe80::1%3", false),
        ("::1", "::2", false), ("::ffff:10.0.0.1", "::ffff:10.0.0.2", false), ("kitchen", "hall", false),
        ("", ":", false), ("fe80:nonsense", "fe80:else", false),
    ])
    func whatBelongsTogether(first: String, second: String, isOne: Bool) {
        #expect((AddressGroup(first) == AddressGroup(second)) == isOne)
    }
}
