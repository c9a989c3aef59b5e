import AudioCore
import Listening
import Peering
import SecureChannel
import Testing
import WireProtocol

/// Broadcasters whose names belong to keys.
@Suite(.timeLimit(.minutes(5))) struct PinTests {
    private let owner = PeerKeyPair.random().key
    private let other = PeerKeyPair.random().key

    /// A listener that knows Attic.
    private func listener(from names: [String] = []) throws -> ScriptedListener {
        var listener = ScriptedListener { $0.allowedNames = names }
        var pins = PinnedNames()
        pins.note(MetPeer(try #require(PeerName("Attic")), owner, isNamed: false), at: 1)
        listener.handle(.pins(pins))
        return listener
    }

    private let choice = ListenLimits.choiceTime + .milliseconds(20)

    @Test(arguments: [false, true]) func aBroadcasterIsPinnedWhenItIsHeardAndNotBefore(isNamed: Bool) throws {
        var listener = try listener(from: isNamed ? ["Cellar"] : [])
        listener.meet(1, name: "Cellar", welcoming: false, key: other)
        listener.wait(choice)
        #expect(listener.met.isEmpty)
        listener.welcome(1)
        listener.wait(choice)
        #expect(listener.met == [MetPeer(try #require(PeerName("Cellar")), other, isNamed: isNamed)])
    }

    @Test func whoIsNotChosenIsNotPinned() throws {
        var listener = try listener()
        listener.meet(1, name: "Cellar", key: owner)
        listener.meet(2, name: "Den", key: other)
        listener.wait(choice)
        let chosen = try #require(listener.session.broadcasterName)
        #expect(listener.met.map(\.name.text) == [chosen])
    }

    @Test func anotherKeyIsToldOfAndHeardWhereNobodyWasNamed() throws {
        var listener = try listener()
        listener.meet(1, name: "Attic", key: other)
        listener.wait(choice)
        #expect(listener.notices == [.anotherKey(name: "Attic", other), .joined("Attic")])
        #expect(listener.session.broadcasterName == "Attic" && listener.watchCount == 0)
    }

    @Test func anotherKeyIsNotHeardWhereTheNameWasNamed() throws {
        var listener = try listener(from: ["Attic"])
        for id in 1...3 { listener.meet(id, name: "ATTIC", key: other) }
        listener.wait(choice)
        // "ATTIC" is no name that was asked for.
        #expect((1...3).allSatisfy { listener.said[$0]?.refusal?.reason == .notAllowed } && listener.watchCount == 0)
        for id in 4...6 { listener.meet(id, name: "Attic", key: other) }
        listener.wait(choice)
        #expect((4...6).allSatisfy { listener.said[$0]?.refusal == .anotherKey } && listener.watchCount == 3)
        #expect(listener.notices.filter { $0.level == .warning } == [.anotherKey(name: "Attic", other)])
        #expect(listener.session.broadcasterName == nil)
        listener.meet(7, name: "Attic", key: owner)
        listener.wait(choice)
        #expect(listener.session.broadcasterName == "Attic")
    }

    @Test func aForgottenNameIsHeardUnderItsNewKey() throws {
        var listener = try listener(from: ["Attic"])
        listener.meet(1, name: "Attic", key: other)
        #expect(listener.closed == [1])
        listener.handle(.pins(PinnedNames()))
        listener.meet(2, name: "Attic", key: other)
        listener.wait(choice)
        #expect(listener.session.broadcasterName == "Attic")
        #expect(listener.met == [MetPeer(try #require(PeerName("Attic")), other, isNamed: true)])
    }
}
