import AudioCore
import Broadcasting
import Households
import NIOCore
import Peering
import Programmes
import SecureChannel
import Testing
import WireProtocol

/// What controllers look up at a broadcast.
@Suite(.timeLimit(.minutes(5))) struct LookupTests {
    private let key = PeerKeyPair.random().key
    private let songs = LookupSubject.songs(query: "nina", limit: 10)

    private func broadcast(_ standing: PeerStanding) -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast { $0.programme = ScriptedBroadcast.programme(["a.mp3", "b.mp3"]) }
        broadcast.give(seconds: 10)
        broadcast.join(3, roles: .controller, key: key, standing: standing)
        return broadcast
    }

    private func reasons(_ broadcast: ScriptedBroadcast) -> [String] {
        broadcast.heard[3]?.messages.compactMap { message in
            if case .finding(let finding) = message, case .nothing(let reason) = finding.content { reason } else { nil }
        } ?? []
    }

    @Test func anItemIsLookedUpWhereItComesFrom() {
        var broadcast = broadcast(.stranger)
        broadcast.say(WireEncoder.queuePageRequest(QueuePageRequest(first: 1)), 3)
        guard case .queuePage(let page)? = broadcast.heard[3]?.messages.last, let item = page.items.first else {
            Issue.record("no page")
            return
        }
        let lookup = Lookup(.lyrics(of: item.id))
        broadcast.say(WireEncoder.lookup(lookup), 3)
        #expect(broadcast.lookups.map(\.lookup) == [lookup] && broadcast.lookups[0].item == .local("/b.mp3"))
        let finding = Finding(id: lookup.id, .part(ofByteCount: 2, offset: 0, bytes: ByteBuffer(bytes: [1, 2])))
        broadcast.handle(.found(ConnectionID(3), finding))
        #expect(broadcast.heard[3]?.messages.last == .finding(finding))
        // The answer may come when nobody is there any more.
        broadcast.handle(.closed(ConnectionID(3)))
        broadcast.handle(.found(ConnectionID(3), finding))
    }

    @Test func anItemThatIsNotThereHasNothing() {
        var broadcast = broadcast(.stranger)
        broadcast.say(WireEncoder.lookup(Lookup(.artwork(of: ItemID(77)))), 3)
        #expect(broadcast.lookups.isEmpty && reasons(broadcast) == [""])
    }

    @Test func theLibraryIsTheHouseholds() {
        for (standing, isRead) in [(PeerStanding.thisMachine, true), (.member, true), (.stranger, false)] {
            var broadcast = broadcast(standing)
            broadcast.say(WireEncoder.lookup(Lookup(songs)), 3)
            #expect(broadcast.lookups.count == (isRead ? 1 : 0), "\(standing)")
            #expect(reasons(broadcast) == (isRead ? [] : [LookupRefusal.foreignLibrary]), "\(standing)")
        }
    }

    @Test func whatALaterVersionLooksUpIsAnswered() {
        var broadcast = broadcast(.stranger)
        broadcast.say(WireEncoder.lookup(Lookup(.unknown(code: 99))), 3)
        #expect(reasons(broadcast) == [LookupRefusal.unknownSubject])
    }

    /// What is on its way to one connection is bounded, whatever it asks for: the answers come later.
    @Test func manyLookupsAtOnceAreNotWorkedOn() {
        var broadcast = broadcast(.member)
        var many = ByteBuffer()
        for _ in 0..<1_000 { many.writeImmutableBuffer(WireEncoder.lookup(Lookup(songs))) }
        broadcast.say(many, 3)
        #expect(broadcast.lookups.count == BroadcastLimits.lookupCount)
        #expect(broadcast.closed == [3] || reasons(broadcast).allSatisfy { $0 == LookupRefusal.tooMany })
        var next = self.broadcast(.member)
        for _ in 0..<100 {
            next.say(WireEncoder.lookup(Lookup(songs)), 3)
            if let lookup = next.lookups.last?.lookup {
                next.handle(.found(ConnectionID(3), Finding(id: lookup.id, .nothing(reason: ""))))
            }
        }
        #expect(next.lookups.count == 100, "one after the other they are")
    }

    /// Before it has greeted, nobody looks up anything.
    @Test func whoHasNotGreetedIsToldNothing() {
        var broadcast = broadcast(.stranger)
        broadcast.open(5, .accepted)
        broadcast.say(WireEncoder.lookup(Lookup(.lyrics(of: ItemID(1)))), 5)
        #expect(broadcast.lookups.isEmpty)
    }
}
