import AudioCore
import Testing
import WireProtocol

@testable import Peering

@Suite(.timeLimit(.minutes(5))) struct DialerTests {
    private let start = HostTime(nanoseconds: 1_000_000_000)

    private func contact(_ instance: UInt64, _ hosts: String...) -> PeerContact {
        PeerContact(
            key: .instance(instance), name: "peer \(instance)", roles: .listener,
            addresses: hosts.map { NetworkAddress(host: $0) })
    }

    // `#expect` takes no mutating call.
    private func due(_ dialer: inout Dialer, _ now: HostTime) -> [Dialer.Dial] { dialer.dueDials(now) }

    @Test func contactsAreDialledInParallel() {
        var dialer = Dialer()
        for instance in 1...5 { dialer.update(contact(UInt64(instance), "host"), now: start) }
        #expect(due(&dialer, start).map(\.key) == (1...5).map { .instance($0) })
        #expect(due(&dialer, start + .milliseconds(900)).isEmpty)
    }

    /// Somebody announces the number of a process that mDNS has forgotten, at its address.
    @Test func aContactIsReplacedByOneOfItsOwnPeerOnly() {
        var dialer = Dialer()
        var own = contact(1, "a")
        own.peer = UUIDBytes(high: 1, low: 1)
        dialer.update(own, now: start)
        dialer.contactDidConnect(own.key)
        dialer.markForgotten(own.key)
        var other = own
        other.key = .instance(1, service: "other")
        other.peer = UUIDBytes(high: 2, low: 2)
        dialer.update(other, now: start)
        #expect(dialer.contact(own.key) != nil)
        other.key = .instance(1, service: "renamed")
        other.peer = own.peer
        dialer.update(other, now: start)
        #expect(dialer.contact(own.key) == nil)
    }

    @Test func addressesOfOneContactAreStaggeredUntilOneConnects() {
        var dialer = Dialer()
        dialer.update(contact(1, "a", "b", "c"), now: start)
        let first = dialer.dueDials(start)
        #expect(first.map(\.address.host) == ["a"])
        #expect(due(&dialer, start + .milliseconds(149)).isEmpty)
        #expect(due(&dialer, start + PeeringLimits.addressStagger).map(\.address.host) == ["b"])
        dialer.dialDidEnd(first[0].id, failure: nil, now: start + .milliseconds(160))
        #expect(due(&dialer, start + .seconds(1)).isEmpty)
    }

    @Test func failuresBackOffAndDouble() {
        var dialer = Dialer()
        dialer.update(contact(1, "a"), now: start)
        var now = start
        var pauses: [Double] = []
        for _ in 0..<8 {
            while dialer.dueDials(now).first.map({ dialer.dialDidEnd($0.id, failure: .unanswered, now: now) }) == nil {
                now += .milliseconds(100)
            }
            let failed = now
            var probe = dialer
            while probe.dueDials(now).isEmpty { now += .milliseconds(100) }
            pauses.append((now - failed).milliseconds.rounded())
        }
        #expect(pauses == [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000])
    }

    @Test func aPauseThatIsEndedIsOverOnceTheContactIsWanted() {
        var dialer = Dialer()
        dialer.update(contact(1, "a"), now: start)
        dialer.dialDidEnd(dialer.dueDials(start)[0].id, failure: nil, now: start)
        dialer.contactDidDisconnect(.instance(1), after: .seconds(30), now: start)
        dialer.setWanted(.instance(1), false)
        dialer.endPause(.instance(1), now: start + .seconds(20))
        #expect(due(&dialer, start + .seconds(21)).isEmpty)
        dialer.setWanted(.instance(1), true)
        #expect(due(&dialer, start + .seconds(21)).count == 1)
    }

    @Test func whoIsBeingDialledIsNotDialledTwice() {
        var dialer = Dialer()
        dialer.update(contact(1, "a"), now: start)
        #expect(due(&dialer, start).count == 1)
        dialer.endPause(.instance(1), now: start + .milliseconds(10))
        #expect(due(&dialer, start + .milliseconds(20)).isEmpty)
    }

    @Test func wantingDoesNotEndAPause() {
        var dialer = Dialer()
        dialer.update(contact(1, "a"), now: start)
        dialer.contactDidDisconnect(.instance(1), after: .seconds(10), now: start)
        dialer.setWanted(.instance(1), false)
        dialer.setWanted(.instance(1), true)
        #expect(due(&dialer, start + .seconds(9)).isEmpty)
        #expect(due(&dialer, start + .seconds(10)).count == 1)
    }

    /// A lost contact is dialled at once and every 0.6 s, whatever became of the dials before.
    @Test func whoIsMissedIsDialledAgainAndAgain() {
        var table = table()
        var now = start
        var times: [Double] = []
        while now < start + .seconds(3) {
            for _ in table.dialer.dueDials(now) { times.append((now - start).milliseconds.rounded()) }
            now += .milliseconds(20)
        }
        #expect(times == [0, 600, 1_200, 1_800, 2_400])
        // Then it backs off.
        now = start + PeeringLimits.lostPeerTime + .seconds(1)
        let late = due(&table.dialer, now)
        #expect(late.isEmpty)
        #expect(due(&table.dialer, now + .milliseconds(500)).count == 1)
    }

    /// The system gave up looking for its machine: the next dial has it look anew.
    @Test func whoIsMissedAndUnreachableIsDialledAtOnce() {
        var table = table()
        let first = table.dialer.dueDials(start)
        table.dialer.dialDidEnd(first[0].id, failure: .unreachable, now: start + .milliseconds(30))
        #expect(due(&table.dialer, start + .milliseconds(90)).isEmpty)
        let second = table.dialer.dueDials(start + .milliseconds(100))
        #expect(second.count == 1)
        table.dialer.dialDidEnd(second[0].id, failure: .unanswered, now: start + .milliseconds(400))
        #expect(due(&table.dialer, start + .milliseconds(690)).isEmpty)
        #expect(due(&table.dialer, start + .milliseconds(700)).count == 1)
    }

    @Test(arguments: [PeerRoles.broadcaster, .listener])
    func whoIsMissedIsRememberedWhenMDNSForgetsIt(role: PeerRoles) {
        var table = table(of: role)
        let refused = table.forgetContact(.instance(1))
        #expect(refused == [])
        #expect(due(&table.dialer, start).map(\.address.host) == ["a"])
        #expect(due(&table.dialer, start + PeeringLimits.lostPeerTime).isEmpty)
        #expect(table.dialer.contacts.isEmpty)
    }

    /// A table one of whose peers is lost from now on.
    private func table(of role: PeerRoles = .broadcaster) -> ConnectionTable<TestLink> {
        var table = ConnectionTable<TestLink>(
            instance: 9, peers: role, allowed: AllowList([]), capacity: 4, candidates: .test)
        let contact = PeerContact(
            key: .instance(1), name: "peer 1", roles: role, addresses: [NetworkAddress(host: "a")])
        _ = table.updateContact(contact, now: start - .seconds(10))
        let dial = table.dialer.dueDials(start - .seconds(10))
        let connection = PeerConnection(direction: .dialed, address: "a", now: start)
        _ = table.add(ConnectionID(1), TestLink(connection: connection), dial: dial.first, now: start)
        table.remove(ConnectionID(1), pause: .zero, isLost: true, now: start)
        return table
    }

    /// A process that ended without a word: mDNS forgets it, its machine refuses. One that mDNS still knows, or whose
    /// machine is silent, may come back.
    @Test(arguments: [(true, DialFailure.refused), (false, .refused), (true, .unanswered)])
    func whoEndedIsNotMissedForLong(isForgotten: Bool, failure: DialFailure) {
        var table = table()
        if isForgotten { _ = table.forgetContact(.instance(1)) }
        var last = start
        for step in 0..<3_000 {
            let now = start + .milliseconds(20) * Double(step)
            for dial in table.dialer.dueDials(now) {
                last = now
                table.dialer.dialDidEnd(dial.id, failure: failure, now: now)
            }
        }
        let hasEnded = isForgotten && failure == .refused
        #expect(table.dialer.contacts.isEmpty == hasEnded)
        #expect(last - start > .seconds(14) && (last - start < .seconds(16)) == hasEnded)
    }

    private struct TestLink: PeerLink {
        var connection: PeerConnection
        var contact: PeerContact.Key?
    }

    @Test func anUnwantedContactRests() {
        var dialer = Dialer()
        dialer.update(contact(1, "a"), now: start)
        dialer.setWanted(.instance(1), false)
        #expect(due(&dialer, start + .seconds(60)).isEmpty)
        dialer.setWanted(.instance(1), true)
        #expect(due(&dialer, start + .seconds(60)).count == 1)
    }
}
