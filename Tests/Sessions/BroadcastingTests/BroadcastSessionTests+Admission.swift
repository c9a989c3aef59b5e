import AudioCore
import Broadcasting
import ClockSync
import Peering
import SecureChannel
import Testing
import WireProtocol

extension BroadcastSessionTests {
    @Test func peersThatCannotListenAreRefused() {
        var broadcast = ScriptedBroadcast { $0.allowedNames = ["Attic"] }
        broadcast.join(1, name: "Attic", roles: .broadcaster)
        broadcast.join(2, name: "Cellar")
        broadcast.join(3, name: "Attic", instance: 100)
        #expect(broadcast.heard[1]?.refusal?.reason == .wrongRole)
        #expect(broadcast.heard[2]?.refusal?.reason == .notAllowed)
        #expect(broadcast.heard[3]?.refusal?.reason == .duplicate)
        #expect(broadcast.closed == [1, 2, 3])
        #expect(broadcast.session.listeners.isEmpty)
    }

    private func contact(
        _ instance: UInt64, _ name: String, at address: String? = nil, service: String = ""
    ) -> PeerContact {
        PeerContact(
            key: .instance(instance, service: service), name: name, roles: .listener,
            addresses: [NetworkAddress(host: address ?? "\(instance)")])
    }

    /// A record that names a listener's process under another name and elsewhere, and somebody with a copy of its key
    /// who calls from there as that process, before and after its own record is heard.
    @Test(arguments: [true, false]) func aForgedRecordTakesNoListenerOffItsBroadcast(isAnnounced: Bool) {
        var broadcast = ScriptedBroadcast { $0.allowedNames = ["Kitchen"] }
        broadcast.give(seconds: 60)
        if isAnnounced { broadcast.handle(.contact(contact(8, "Kitchen", at: "10.0.0.1", service: "own"))) }
        let owner = PeerKeyPair.random().key
        broadcast.join(1, name: "Kitchen", instance: 8, key: owner)
        broadcast.report(.ready, 1)
        let dialCount = broadcast.dials.count
        broadcast.handle(.contact(contact(8, "Impostor", at: "10.0.0.2", service: "forged")))
        for id in 2..<10 {
            let key = ClockKey(identifier: UInt64(id), secret0: 1, secret1: 2)
            broadcast.handle(.opened(ConnectionID(id), .accepted, address: "10.0.0.2", dial: nil, key: key))
            broadcast.greet(id, name: "Kitchen", peer: owner.uuid, instance: 8)
            broadcast.wait(.milliseconds(500), hearingFrom: [1])
        }
        broadcast.wait(.seconds(1), hearingFrom: [1])
        for id in 2..<10 { #expect(broadcast.heard[id]?.refusal?.reason == (isAnnounced ? .duplicate : .notAllowed)) }
        #expect(broadcast.heard[1]?.refusal == nil && !broadcast.closed.contains(1))
        #expect(broadcast.session.listeners.map(\.name) == ["Kitchen"])
        #expect(broadcast.dials.count == dialCount)
    }

    /// Nor does whoever states its number come in by its name.
    @Test func aNameBelongsToTheProcessOfOnePeer() {
        var broadcast = ScriptedBroadcast { $0.allowedNames = ["Kitchen"] }
        broadcast.give(seconds: 60)
        let owner = PeerKeyPair.random().key
        var own = contact(8, "Kitchen", at: "10.0.0.1")
        own.peer = owner.uuid
        broadcast.handle(.contact(own))
        for (id, name) in [(2, "Kitchen"), (3, "Other")] {
            broadcast.join(id, name: name, instance: 8, key: PeerKeyPair.random().key)
            #expect(broadcast.heard[id]?.refusal?.reason == .notAllowed)
        }
        broadcast.join(1, name: "Kitchen", instance: 8, key: owner)
        broadcast.join(4, name: "Other", instance: 8, key: PeerKeyPair.random().key)
        #expect(broadcast.heard[1]?.refusal == nil && broadcast.heard[4]?.refusal?.reason == .notAllowed)
    }

    @Test func aNameMeansTheListenerThatBearsItNow() {
        var broadcast = ScriptedBroadcast { $0.allowedNames = ["Kitchen"] }
        broadcast.give(seconds: 60)
        broadcast.handle(.contact(contact(8, "Kitchen #2")))
        broadcast.handle(.contact(contact(7, "Kitchen")))
        #expect(broadcast.dials.map(\.key) == [.instance(7)])
        // Greeted before it knew that the name is taken; the second is not yet known to mDNS at all.
        broadcast.join(1, name: "Kitchen", instance: 8)
        broadcast.join(2, name: "Kitchen", instance: 9)
        broadcast.join(3, name: "Kitchen", instance: 7)
        #expect(broadcast.heard[1]?.refusal?.reason == .notAllowed)
        #expect(broadcast.heard[2]?.refusal?.reason == .notAllowed)
        #expect(broadcast.heard[3]?.refusal == nil)
        #expect(broadcast.session.listeners.count == 1)
    }

    @Test func aListenerThatTurnsOutToBearAnotherNameIsNotFedFurther() {
        var broadcast = ScriptedBroadcast { $0.allowedNames = ["Kitchen"] }
        broadcast.give(seconds: 60)
        broadcast.join(1, name: "Kitchen", instance: 8)
        #expect(broadcast.session.listeners.count == 1)
        broadcast.handle(.contact(contact(8, "Kitchen #2", at: "10.0.0.1")))
        #expect(broadcast.heard[1]?.refusal?.reason == .notAllowed)
        #expect(broadcast.closed == [1])
        broadcast.wait(.seconds(11))
        #expect(broadcast.dials.isEmpty)
        #expect(broadcast.outcome == .nobody(["Kitchen"]))
    }

    @Test func aListenerThatCannotDecodeTheSongIsNotFedAndThatIsSaidOnce() {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 60)
        for id in 1...3 { broadcast.join(id, name: "Radio", instance: 7, codecs: [.mpegLayer3]) }
        broadcast.join(4)
        for id in 1...3 {
            #expect(
                broadcast.heard[id]?.refusal == Refusal(.cannotDecode, "this song is PCM, which Radio cannot decode"))
            #expect(broadcast.heard[id]?.messages.count == 2)
        }
        #expect(broadcast.closed == [1, 2, 3])
        #expect(
            broadcast.notices.filter { $0.level == .warning } == [
                .refused("Radio", Refusal(.cannotDecode, "this song is PCM, which Radio cannot decode"))
            ])
        #expect(broadcast.session.listeners.map(\.name) == ["Listener 4"])
    }

    @Test func nobodyIsWelcomedBeforeTheSongIsKnown() {
        var broadcast = ScriptedBroadcast()
        broadcast.join(1)
        broadcast.join(2, codecs: [])
        broadcast.wait(.milliseconds(100))
        #expect(broadcast.heard[1]?.messages == [.greeting(ScriptedBroadcast.greeting)])
        #expect(broadcast.heard[2]?.messages == [.greeting(ScriptedBroadcast.greeting)])
        broadcast.give(seconds: 60)
        #expect(broadcast.session.listeners.map(\.name) == ["Listener 1"])
        #expect(broadcast.heard[1]?.packets.isEmpty == false)
        #expect(broadcast.heard[2]?.refusal?.reason == .cannotDecode)
    }

    @Test func listenersAreDialledAndABusyOneIsAskedAgainLater() throws {
        var broadcast = ScriptedBroadcast()
        let contact = PeerContact(
            key: .instance(7), name: "Attic", roles: .listener, addresses: [NetworkAddress(host: "attic")])
        broadcast.handle(.contact(contact))
        let dial = try #require(broadcast.dials.first)
        broadcast.open(1, .dialed, dial: dial)
        broadcast.greet(1, instance: 7)
        broadcast.say(WireEncoder.refusal(Refusal(.busy, "playing X from Y")), 1)
        #expect(broadcast.closed == [1])
        #expect(broadcast.notices.contains(.busy("Listener 1", "playing X from Y")))
        broadcast.wait(.milliseconds(900))
        #expect(broadcast.dials.count == 1)
        broadcast.wait(.milliseconds(300))
        #expect(broadcast.dials.count == 2)
    }

    /// Both sides dialled: nobody was refused anything.
    @Test func ofTwoCallsThatCrossedNoneCountsAsRefused() throws {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 60)
        broadcast.handle(.contact(contact(7, "Attic")))
        let dial = try #require(broadcast.dials.first)
        broadcast.open(1, .accepted)
        broadcast.open(2, .dialed, dial: dial)
        let peer = UUIDBytes(high: 2, low: 7)
        for id in [1, 2] { broadcast.greet(id, name: "Attic", peer: peer, instance: 7) }
        broadcast.wait(.milliseconds(20))
        broadcast.say(WireEncoder.keepAlive(), 1)
        broadcast.wait(.milliseconds(20))
        #expect(broadcast.heard[2]?.refusal == .otherConnection && broadcast.closed == [2])
        #expect(broadcast.session.listeners.map(\.name) == ["Attic"])
        #expect(broadcast.session.refusedCount == 0)
        broadcast.join(3, roles: .broadcaster)
        #expect(broadcast.session.refusedCount == 1)
    }
}
