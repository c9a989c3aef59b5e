import AudioCore
import Listening
import NIOCore
import Peering
import SecureChannel
import Testing
import WireProtocol

/// Those that come to a listener about the household, and broadcast nothing.
@Suite(.timeLimit(.minutes(5))) struct HouseholdVisitTests {
    private func visit(_ listener: inout ScriptedListener, isMember: Bool) {
        let key = PeerKeyPair.random().key
        listener.handle(.opened(ConnectionID(1), .accepted, address: "10.0.0.1", dial: nil))
        listener.handle(.authenticated(ConnectionID(1), key, isMember ? .member : .stranger))
        let greeting = Greeting(roles: .controller, peer: key.uuid, instance: 1, started: 0, name: "Hand")
        listener.say(WireEncoder.greeting(greeting), 1)
        listener.say(WireEncoder.household(Array("document".utf8)), 1)
    }

    private func documents(_ listener: ScriptedListener) -> [String] {
        listener.actions.compactMap { if case .household(_, let bytes) = $0 { String(buffer: bytes) } else { nil } }
    }

    @Test func aMembersDocumentIsTaken() {
        var listener = ScriptedListener()
        visit(&listener, isMember: true)
        #expect(documents(listener) == ["document"] && listener.closed == [] && listener.notices == [])
    }

    @Test func aStrangerIsTurnedAway() {
        var listener = ScriptedListener()
        visit(&listener, isMember: false)
        #expect(documents(listener) == [] && listener.closed == [1])
        #expect(listener.said[1]?.refusal?.reason == .wrongRole)
    }

    @Test func aVisitDuringABroadcastDoesNotEndIt() {
        var listener = ScriptedListener()
        listener.meet(2, name: "Attic")
        listener.stream(2)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        visit(&listener, isMember: true)
        listener.handle(.closed(ConnectionID(1)))
        #expect(documents(listener) == ["document"] && !listener.closed.contains(2))
        #expect(listener.begun.count == 1)
    }

    /// The library is the household's, and a listener has nothing else to look up.
    @Test func aMemberSearchesTheLibrary() {
        for isMember in [true, false] {
            var listener = ScriptedListener()
            visit(&listener, isMember: isMember)
            let lookup = Lookup(.songs(query: "nina", limit: 5))
            listener.say(WireEncoder.lookup(Lookup(.lyrics(of: ItemID(1)))), 1)
            listener.say(WireEncoder.lookup(lookup), 1)
            let asked = listener.actions.compactMap { if case .lookUp(_, let lookup) = $0 { lookup } else { nil } }
            #expect(asked == (isMember ? [lookup] : []))
            guard isMember else { return }
            #expect(
                listener.said[1]?.messages.contains {
                    if case .finding(let finding) = $0 {
                        finding.content == .nothing(reason: LookupRefusal.unknownSubject)
                    } else {
                        false
                    }
                } == true)
            let finding = Finding(id: lookup.id, .nothing(reason: ""))
            listener.handle(.found(ConnectionID(1), finding))
            #expect(listener.said[1]?.messages.last == .finding(finding))
        }
    }
}
