import AudioCore
import Broadcasting
import Households
import Peering
import Programmes
import SecureChannel
import Testing
import WireProtocol

/// Who may take part in a broadcast of a household.
@Suite(.timeLimit(.minutes(5))) struct AccessTests {
    private let member = PeerKeyPair.random().key
    private let stranger = PeerKeyPair.random().key

    private func broadcast(_ change: (inout AccessPolicy) -> Void = { _ in }) -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast {
            $0.access.household = "Home"
            change(&$0.access)
        }
        broadcast.give(seconds: 60)
        return broadcast
    }

    /// Before it has said who it is: it takes no place among those that may yet greet.
    @Test func aStrangerIsRefusedBeforeItGreets() {
        var broadcast = broadcast()
        broadcast.open(1, .accepted)
        broadcast.handle(.authenticated(ConnectionID(1), stranger, .stranger))
        #expect(broadcast.refusal(of: 1)?.reason == .notAllowed && broadcast.closed == [1])
        // What it was told says how to be let in, and not which household it is.
        #expect(broadcast.refusal(of: 1)?.text.contains("tutti pair") == true)
        #expect(broadcast.refusal(of: 1)?.text.contains("Home") == false)
    }

    @Test func whoProvesNoKeyIsAStranger() {
        var broadcast = broadcast()
        broadcast.join(1)
        #expect(broadcast.refusal(of: 1)?.reason == .notAllowed && broadcast.closed == [1])
    }

    @Test func membersTakePartAndTheOwnLoudspeakersToo() {
        var broadcast = broadcast()
        broadcast.join(1, key: member, standing: .member)
        broadcast.join(2, direction: .local)
        for id in [1, 2] { broadcast.report(.ready, id) }
        #expect(broadcast.session.listeners.count == 2 && broadcast.closed.isEmpty)
    }

    @Test func whoWasRemovedIsRefusedAndToldWhy() {
        var broadcast = broadcast()
        broadcast.join(1, key: member, standing: .removed)
        #expect(broadcast.refusal(of: 1)?.text.contains("removed") == true && broadcast.closed == [1])
    }

    @Test func aMemberThatIsRemovedWhileItListensIsFedNoMore() {
        var broadcast = broadcast()
        broadcast.join(1, key: member, standing: .member)
        broadcast.report(.ready, 1)
        broadcast.handle(.standing(ConnectionID(1), .removed))
        #expect(broadcast.refusal(of: 1)?.reason == .notAllowed && broadcast.session.listeners.isEmpty)
    }

    @Test func aHouseholdThatIsFoundedWhileItPlaysEndsWithStrangers() {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 60)
        broadcast.join(1, key: stranger)
        broadcast.join(2, key: member, standing: .member)
        // It has not introduced itself yet.
        broadcast.open(3, .accepted)
        for id in [1, 2] { broadcast.report(.ready, id) }
        broadcast.handle(.access(AccessPolicy(household: "Home")))
        #expect(broadcast.closed == [1] && broadcast.session.listeners.count == 1)
        broadcast.handle(.authenticated(ConnectionID(3), member, .member))
        #expect(broadcast.closed == [1])
    }

    /// Of two rights a peer may have one: which it wants is known when it greets.
    @Test func rightsAreGivenOneByOne() {
        var broadcast = broadcast { $0.allow(.listen, for: .anyone) }
        broadcast.join(1, key: stranger)
        broadcast.report(.ready, 1)
        broadcast.join(2, roles: .controller, key: PeerKeyPair.random().key)
        #expect(broadcast.refusal(of: 1) == nil && broadcast.refusal(of: 2)?.reason == .notAllowed)
        broadcast.say(WireEncoder.command(Command(.programme(.pause))), 1)
        #expect(broadcast.verdicts(of: 1) == [.refused(.notAllowed)])
    }

    /// Whatever they offer, and under whichever number: it takes nothing from those who may.
    @Test func offersOfThoseWhoMayOnlyListenAreNeitherCountedNorRemembered() {
        var broadcast = broadcast { $0.allow(.listen, for: .anyone) }
        broadcast.join(1, key: stranger)
        broadcast.join(2, roles: .controller, key: member, standing: .member)
        let command = Command(.listeners(.volume(.level(5)), of: .all))
        let offer = SongOffer(id: command.id, byteCount: 5, name: "guest.flac")
        for _ in 0...ProgrammeLimits.commandBurst { broadcast.say(WireEncoder.songOffer(offer), 1) }
        #expect(Set(broadcast.verdicts(of: 1)) == [.refused(.notAllowed)] && broadcast.offers.isEmpty)
        broadcast.say(WireEncoder.command(command), 2)
        guard case .done? = broadcast.verdicts(of: 2).first else {
            Issue.record("\(broadcast.verdicts(of: 2))")
            return
        }
    }

    @Test func aDocumentIsPassedOn() {
        var broadcast = broadcast()
        broadcast.join(1, key: member, standing: .member)
        // Longer than anything else that a broadcaster takes.
        broadcast.say(WireEncoder.household([UInt8](repeating: 7, count: 100_000)), 1)
        #expect(broadcast.documents == [1: 100_000] && broadcast.closed.isEmpty)
    }

    @Test func aStrangersDocumentIsTooLong() {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 60)
        broadcast.join(1, key: stranger)
        broadcast.say(WireEncoder.household([UInt8](repeating: 7, count: 100_000)), 1)
        #expect(broadcast.documents.isEmpty && broadcast.closed == [1])
    }
}
