import AudioCore
import Broadcasting
import Peering
import SecureChannel
import Testing
import WireProtocol

/// Listeners whose names belong to keys.
@Suite(.timeLimit(.minutes(5))) struct PinTests {
    private let owner = PeerKeyPair.random().key
    private let other = PeerKeyPair.random().key

    /// A broadcast that knows Kitchen.
    private func broadcast(to names: [String] = []) throws -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast { $0.allowedNames = names }
        broadcast.give(seconds: 60)
        var pins = PinnedNames()
        pins.note(MetPeer(try #require(PeerName("Kitchen")), owner, isNamed: false), at: 1)
        broadcast.handle(.pins(pins))
        return broadcast
    }

    @Test func aListenerIsPinnedWhenItTakesPartAndNotBefore() throws {
        var broadcast = try broadcast()
        broadcast.join(1, name: "Attic", key: other)
        broadcast.wait(.milliseconds(100))
        #expect(broadcast.session.listeners.map(\.name) == ["Attic"] && broadcast.met.isEmpty)
        broadcast.report(.preparing, 1)
        broadcast.report(.ready, 1)
        #expect(broadcast.met == [MetPeer(try #require(PeerName("Attic")), other, isNamed: false)])
    }

    @Test func theUsersOwnWordForItIsPinned() throws {
        var broadcast = try broadcast(to: ["Attic"])
        // mDNS knows better than the greeting.
        let contact = PeerContact(
            key: .instance(1), name: "Attic", roles: .listener, addresses: [NetworkAddress(host: "10.0.0.1")])
        broadcast.handle(.contact(contact))
        broadcast.join(1, name: "Kitchen", key: other)
        broadcast.report(.ready, 1)
        #expect(broadcast.met == [MetPeer(try #require(PeerName("Attic")), other, isNamed: true)])
        #expect(broadcast.notices == [.joined("Kitchen")])
    }

    /// On a local socket and in this very process nobody proves a key.
    @Test func whoProvesNoKeyIsNotPinned() throws {
        var broadcast = try broadcast(to: ["Kitchen"])
        broadcast.join(1, name: "Kitchen")
        broadcast.report(.ready, 1)
        #expect(broadcast.session.listeners.count == 1 && broadcast.met.isEmpty)
    }

    @Test func anotherKeyIsToldOfOnceAndFedWhereNobodyWasNamed() throws {
        var broadcast = try broadcast()
        for id in 1...3 {
            broadcast.join(id, name: "kitchen ", key: other)
            broadcast.report(.ready, id)
        }
        #expect(broadcast.session.listeners.count == 3 && broadcast.watchCount == 0)
        let told = broadcast.notices.filter { $0.level == .warning }
        #expect(told == [.anotherKey(name: "Kitchen", other)])
        let third = PeerKeyPair.random().key
        broadcast.join(4, name: "Kitchen", key: third)
        #expect(broadcast.notices.last == .anotherKey(name: "Kitchen", third))
    }

    @Test func anotherKeyIsNotFedWhereTheNameWasNamed() throws {
        var broadcast = try broadcast(to: ["Kitchen"])
        let contact = PeerContact(
            key: .instance(9), name: "Kitchen", roles: .listener, addresses: [NetworkAddress(host: "10.0.0.1")])
        broadcast.handle(.contact(contact))
        let dial = try #require(broadcast.dials.first)
        broadcast.open(1, .dialed, dial: dial)
        broadcast.handle(.authenticated(ConnectionID(1), other))
        broadcast.greet(1, name: "Kitchen", peer: other.uuid, instance: 9)
        #expect(broadcast.notices.first == .anotherKey(name: "Kitchen", other))
        #expect(broadcast.heard[1]?.refusal == .anotherKey && broadcast.closed == [1])
        #expect(broadcast.session.listeners.isEmpty && broadcast.watchCount == 1)
        // The owner is fed, though mDNS gives its name to the other one.
        broadcast.join(2, name: "Kitchen", key: owner)
        #expect(broadcast.session.listeners.count == 1 && broadcast.heard[2]?.refusal == nil)
        // It is the one that was asked for: the song starts, and nobody is missing.
        broadcast.report(.ready, 2)
        broadcast.wait(.milliseconds(400), hearingFrom: [2])
        #expect(broadcast.session.isPlaying)
    }

    @Test func ofTwoThatComeUnderOneNewNameTheFirstToTakePartHasIt() throws {
        var broadcast = try broadcast(to: ["Attic"])
        for (id, key) in [(1, owner), (2, other)] { broadcast.join(id, name: "Attic", key: key) }
        broadcast.report(.ready, 2)
        var pins = PinnedNames()
        for peer in broadcast.met { pins.note(peer, at: 1) }
        broadcast.handle(.pins(pins))
        #expect(broadcast.heard[1]?.refusal == .anotherKey && broadcast.heard[2]?.refusal == nil)
        #expect(broadcast.session.listeners.count == 1)
        #expect(broadcast.notices.contains(.anotherKey(name: "Attic", owner)))
    }

    /// It is dialled again soon, and then fed.
    @Test func aForgottenNameIsFedUnderItsNewKey() throws {
        var broadcast = try broadcast(to: ["Kitchen"])
        let contact = PeerContact(
            key: .instance(9), name: "Kitchen", roles: .listener, addresses: [NetworkAddress(host: "10.0.0.1")])
        broadcast.handle(.contact(contact))
        let dial = try #require(broadcast.dials.first)
        broadcast.open(1, .dialed, dial: dial)
        broadcast.handle(.authenticated(ConnectionID(1), other))
        broadcast.greet(1, name: "Kitchen", peer: other.uuid, instance: 9)
        broadcast.handle(.pins(PinnedNames()))
        broadcast.wait(BroadcastLimits.anotherKeyPause + .milliseconds(100))
        #expect(broadcast.dials.count == 2)
        let redial = try #require(broadcast.dials.last)
        broadcast.open(2, .dialed, dial: redial)
        broadcast.handle(.authenticated(ConnectionID(2), other))
        broadcast.greet(2, name: "Kitchen", peer: other.uuid, instance: 9)
        broadcast.report(.ready, 2)
        #expect(broadcast.session.listeners.map(\.name) == ["Kitchen"])
        #expect(broadcast.met == [MetPeer(try #require(PeerName("Kitchen")), other, isNamed: true)])
    }

    /// Anybody can announce a process under any name, and greet under any other.
    @Test func noRecordLendsAnotherKeyTheName() throws {
        var broadcast = try broadcast(to: ["Kitchen"])
        let contact = PeerContact(
            key: .instance(1), name: "Kitchen", roles: .listener, addresses: [NetworkAddress(host: "10.0.0.1")])
        broadcast.handle(.contact(contact))
        broadcast.join(1, name: "Attic", key: other)
        #expect(broadcast.heard[1]?.refusal == .anotherKey)
        #expect(broadcast.session.listeners.isEmpty)
    }
}
