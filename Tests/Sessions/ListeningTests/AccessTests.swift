import AudioCore
import Households
import Listening
import Peering
import SecureChannel
import Testing
import WireProtocol

/// Which broadcasters may feed a listener, and which of several does.
@Suite(.timeLimit(.minutes(5))) struct AccessTests {
    private let keys = (0..<4).map { _ in PeerKeyPair.random().key }.sorted { $0.uuid < $1.uuid }

    // MARK: Access

    @Test func aStrangerFeedsNoMemberAndIsToldBeforeItGreets() {
        var listener = ScriptedListener { $0.access.household = "Home" }
        listener.handle(.opened(ConnectionID(1), .accepted, address: "10.0.0.1", dial: nil))
        listener.handle(.authenticated(ConnectionID(1), keys[0], .stranger))
        #expect(listener.said[1]?.refusal?.reason == .notAllowed && listener.closed == [1])
        listener.meet(2, name: "Attic", key: keys[1], standing: .member)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == "Attic")
    }

    @Test func aMemberThatIsRemovedWhileItIsHeardIsLeft() {
        var listener = ScriptedListener { $0.access.household = "Home" }
        listener.meet(1, name: "Attic", key: keys[0], standing: .member)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        listener.handle(.standing(ConnectionID(1), .removed))
        #expect(!listener.session.isFed && listener.closed == [1])
        #expect(listener.session.broadcasterName == nil)
        #expect(listener.actions.contains { if case .silence = $0 { true } else { false } })
    }

    @Test func aStrangerMayFeedItIfTheUserSaysSo() {
        var listener = ScriptedListener {
            $0.access.household = "Home"
            $0.access.allow(.broadcast, for: .anyone)
        }
        listener.meet(1, name: "Attic", key: keys[0])
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.isFed)
    }

    /// What stays behind on this machine is no stranger's to change, unless somebody here asked for it.
    @Test func inOpenModeABroadcasterSetsNothingThatStays() {
        var listener = ScriptedListener()
        listener.meet(1, name: "Attic", key: keys[0])
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        let foreign = Command(.listeners(.offset(.milliseconds(5)), of: .named("Listener")))
        let volume = Command(.listeners(.volume(.level(5)), of: .named("Listener")))
        let own = Command(.listeners(.role(.left), of: .named("Listener")))
        // Under the number of a wish of this machine comes another one.
        let pause = Command(.programme(.pause))
        let forged = Command(id: pause.id, .listeners(.offset(.milliseconds(7)), of: .named("Listener")))
        let altered = Command(id: own.id, .listeners(.role(.right), of: .named("Listener")))
        // A wish of this machine for another listener, and one that comes back twice.
        let other = Command(.listeners(.role(.right), of: .named("Attic")))
        for command in [own, pause, other] { listener.handle(.ask(.command(command))) }
        for command in [foreign, volume, forged, altered, other, own, own] {
            listener.say(WireEncoder.command(command), 1)
        }
        let operations = listener.actions.compactMap { if case .set(let operation) = $0 { operation } else { nil } }
        #expect(operations == [.volume(.level(5)), .role(.left)])
    }

    @Test func aMemberSetsWhatStays() {
        var listener = ScriptedListener { $0.access.household = "Home" }
        listener.meet(1, name: "Attic", key: keys[0], standing: .member)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        let command = Command(.listeners(.offset(.milliseconds(5)), of: .named("Listener")))
        listener.say(WireEncoder.command(command), 1)
        #expect(listener.actions.contains { if case .set(.offset(.milliseconds(5))) = $0 { true } else { false } })
    }

    // MARK: Choice

    /// Who they are, in any order of arrival and whatever they say of their age, decides.
    @Test(arguments: 0..<24) func whatStrangersSayDecidesNothing(order: Int) throws {
        var listener = ScriptedListener()
        var pins = PinnedNames()
        pins.note(MetPeer(try #require(PeerName("Heard")), keys[2], isNamed: false), at: 1)
        listener.handle(.pins(pins))
        var arrivals = [0, 1, 2, 3]
        var number = order
        let shuffled = (1...4).reversed().map { count -> Int in
            defer { number /= count }
            return arrivals.remove(at: number % count)
        }
        for (place, who) in shuffled.enumerated() {
            // The stranger with the lowest key claims to be the oldest.
            listener.meet(
                place, name: ["Stranger", "Other", "Heard", "Member"][who], started: Int64(who * 1_000),
                instance: UInt64(who + 1), key: keys[who], standing: who == 3 ? .member : .stranger)
        }
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == "Member")
        #expect(
            listener.notices.contains {
                if case .severalFound(_, "Member", .household) = $0 { true } else { false }
            })
        listener.say(WireEncoder.broadcastEnd(BroadcastEnd(.stopped)), try #require(shuffled.firstIndex(of: 3)))
        for (place, who) in shuffled.enumerated() where who < 3 {
            listener.meet(
                place + 10, name: ["Stranger", "Other", "Heard"][who], started: Int64(who * 1_000),
                instance: UInt64(who + 1), key: keys[who])
        }
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == "Heard")
        #expect(
            listener.notices.contains {
                if case .severalFound(_, "Heard", .heardBefore) = $0 { true } else { false }
            })
    }

    /// Without a household no other machine could tell that this one's own broadcast goes before another.
    @Test func theOwnBroadcastGoesBeforeStrangersInAHouseholdOnly() {
        for isInHousehold in [false, true] {
            var listener = ScriptedListener {
                if isInHousehold { $0.access.household = "Home" }
                $0.access.allow(.broadcast, for: .anyone)
            }
            listener.meet(1, name: "Own", key: keys[1], standing: .thisMachine)
            listener.meet(2, name: "Other", key: keys[0])
            listener.wait(ListenLimits.choiceTime + .milliseconds(20))
            #expect(listener.session.broadcasterName == (isInHousehold ? "Own" : "Other"))
        }
    }

    @Test func theOwnBroadcastGoesBeforeNoMembers() {
        var listener = ScriptedListener { $0.access.household = "Home" }
        listener.meet(1, name: "Own", key: keys[1], standing: .thisMachine)
        listener.meet(2, name: "Member", key: keys[0], standing: .member)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == "Member")
    }

    // MARK: A lost broadcast

    /// A listener that has heard Lost, holds five seconds of it, and has lost it.
    private func lost(
        _ key: PeerKey, standing: PeerStanding = .stranger, known: [(String, PeerKey)] = []
    ) throws -> ScriptedListener {
        var listener = ScriptedListener()
        var pins = PinnedNames()
        for (name, key) in known { pins.note(MetPeer(try #require(PeerName(name)), key, isNamed: false), at: 1) }
        listener.handle(.pins(pins))
        listener.meet(1, name: "Lost", started: 1_000, key: key, standing: standing)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        listener.stream(1)
        listener.anchor(1, in: .milliseconds(200))
        listener.estimateClock()
        for index in 0..<100 { listener.packet(1, at: Int64(index) * 400) }
        listener.handle(.closed(ConnectionID(1)))
        return listener
    }

    /// Whatever another one says of itself, and though it has the lower UUID.
    @Test(arguments: [false, true], [false, true])
    func aLostBroadcastIsLeftOnlyForOneThatIsKnownBetter(isLostKnown: Bool, isOtherKnown: Bool) throws {
        var known: [(String, PeerKey)] = []
        if isLostKnown { known.append(("Lost", keys[1])) }
        if isOtherKnown { known.append(("Other", keys[0])) }
        var listener = try lost(keys[1], known: known)
        listener.meet(2, name: "Other", started: .max, key: keys[0])
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == (!isLostKnown && isOtherKnown ? "Other" : "Lost"))
        // When all is played out, the other one is taken.
        for _ in 0..<7 {
            listener.say(WireEncoder.keepAlive(), 2)
            listener.wait(.seconds(1))
        }
        #expect(listener.session.broadcasterName == "Other")
    }

    /// Not the first that comes.
    @Test(arguments: [PeerStanding.stranger, .member])
    func ofSeveralForWhichALostOneIsLeftTheRuleChooses(standing: PeerStanding) throws {
        var listener = try lost(keys[0], standing: standing)
        listener.meet(2, name: "High", started: .max, key: keys[2], standing: .member)
        #expect(listener.session.broadcasterName == nil && listener.silenceCount == 1)
        listener.meet(3, name: "Low", key: keys[1], standing: .member)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == "Low")
    }

    /// Of a member it is believed which broadcast is the newer one.
    @Test(arguments: [(false, 2_000), (true, 2_000), (true, 500)] as [(Bool, Int64)])
    func aMembersLostBroadcastIsLeftForAMembersNewerOne(isMember: Bool, started: Int64) throws {
        var listener = try lost(keys[1], standing: .member)
        listener.meet(2, name: "Other", started: started, key: keys[0], standing: isMember ? .member : .stranger)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == (isMember && started > 1_000 ? "Other" : "Lost"))
    }

    /// A household that it came into, or that changed, while it played out what it held.
    @Test(
        arguments: [
            (.stranger, nil, false), (.stranger, .member, true), (.member, nil, true), (.member, .removed, false),
        ] as [(PeerStanding, PeerStanding?, Bool)])
    func aLostBroadcastIsHeardWhileTheHouseholdLetsItIn(
        was: PeerStanding, becomes: PeerStanding?, isHeard: Bool
    ) throws {
        var listener = try lost(keys[1], standing: was)
        #expect(listener.session.broadcasterKey == keys[1])
        listener.handle(.access(AccessPolicy(household: "Home"), broadcaster: becomes))
        #expect(listener.session.broadcasterName == (isHeard ? "Lost" : nil))
        #expect(listener.silenceCount == (isHeard ? 0 : 1))
    }

    @Test func theSuccessorOfALostBroadcastOnItsMachineIsTakenAtOnce() throws {
        var listener = try lost(keys[1])
        listener.meet(2, name: "Lost", started: 5, instance: 9, key: keys[1])
        #expect(listener.session.broadcasterInstance == 9 && listener.session.isFed)
    }

    @Test func ofOneMachinesBroadcastsTheFirstIsTaken() {
        var listener = ScriptedListener()
        listener.meet(1, name: "Attic", started: 2_000, instance: 1, key: keys[0])
        listener.meet(2, name: "Attic", started: 1_000, instance: 2, key: keys[0])
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterInstance == 2)
    }
}

extension UUIDBytes {
    fileprivate static func < (a: UUIDBytes, b: UUIDBytes) -> Bool { (a.high, a.low) < (b.high, b.low) }
}
