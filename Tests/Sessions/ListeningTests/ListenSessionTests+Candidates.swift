import AudioCore
import Listening
import NIOCore
import Peering
import Playout
import SecureChannel
import Testing
import WireProtocol

extension ListenSessionTests {
    @Test func whatACandidateSaysIsKeptUntilItIsChosen() {
        var listener = ScriptedListener()
        listener.meet(1, name: "Attic")
        listener.stream(1)
        listener.packet(1, at: 0)
        #expect(listener.begun.isEmpty)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.begun.count == 1)
        #expect(listener.enqueued == [.zero])
    }

    @Test func ofACandidateNoMoreIsKeptThanTheLimit() {
        var listener = ScriptedListener()
        listener.meet(1, name: "One", welcoming: false)
        let cookie = AudioStreamProperty.magicCookie(Array(repeating: 1, count: Limits.magicCookieByteCount))
        let stream = WireEncoder.stream(Epoch(1), properties: [cookie])
        let count = ListenLimits.pendingByteCount / Limits.magicCookieByteCount
        for _ in 0..<count { listener.say(stream, 1) }
        #expect(listener.closed == [])
        listener.say(stream, 1)
        #expect(listener.said[1]?.refusal?.reason == .protocolError)
        #expect(listener.closed == [1])
    }

    /// What is kept of many is no more than what is kept of one, and an honest broadcaster among them goes on.
    @Test func ofAllCandidatesNoMoreIsKeptThanOfOne() {
        var listener = ScriptedListener()
        listener.meet(1, name: "Attic", welcoming: false, from: "10.0.0.7")
        listener.stream(1)
        listener.packet(1, at: 0)
        let cookie = AudioStreamProperty.magicCookie(Array(repeating: 1, count: Limits.magicCookieByteCount))
        let stream = WireEncoder.stream(Epoch(1), properties: [cookie])
        let share = ListenLimits.pendingByteCount / Limits.magicCookieByteCount / 4
        for id in 2...9 {
            listener.meet(id, name: "Greedy \(id)", welcoming: false, from: "10.0.0.66")
            for _ in 0..<share { listener.say(stream, id) }
        }
        #expect(listener.closed.count >= 4 && !listener.closed.contains(1))
        #expect(listener.said[2]?.refusal?.reason == .protocolError)
        listener.welcome(1)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == "Attic")
        #expect(listener.enqueued == [.zero])
    }

    /// Those who greet as broadcasters, bring nothing and stay.
    private func crowded(from address: String) -> ScriptedListener {
        var listener = ScriptedListener()
        for id in 200..<(200 + ListenLimits.candidateCount) {
            listener.meet(id, name: "Idle \(id)", welcoming: false, from: address)
        }
        #expect(listener.closed == [])
        return listener
    }

    @Test func whoGreetsAndBringsNothingKeepsNoBroadcastOut() {
        var listener = crowded(from: "10.0.0.66")
        listener.meet(1, name: "Attic", from: "10.0.0.7")
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == "Attic")
        #expect(listener.said[231]?.refusal == nil && listener.closed.contains(231))
        #expect(listener.notices.count { $0 == .crowded(limit: ListenLimits.candidateCount) } == 1)
    }

    /// From the address that has them all a broadcast is taken as soon as they stood still for long.
    @Test func whoGreetsAndBringsNothingKeepsItsOwnMachineOutForAWhileOnly() {
        var listener = crowded(from: "10.0.0.66")
        listener.meet(1, name: "Attic", from: "10.0.0.66")
        #expect(listener.closed == [1])
        for _ in 0..<26 {
            listener.wait(.milliseconds(200))
            for id in 200..<(200 + ListenLimits.candidateCount) { listener.say(WireEncoder.keepAlive(), id) }
        }
        listener.meet(2, name: "Attic", from: "10.0.0.66")
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == "Attic")
        #expect(listener.said[200]?.refusal == nil && listener.closed.contains(200))
    }

    /// Somebody who greets under one invented name after the other, and breaks the protocol.
    private func invent(_ count: Int, _ listener: inout ScriptedListener, from address: (Int) -> String) {
        for id in 1_000..<1_000 + count {
            listener.meet(id, name: "Invented \(id)", welcoming: false, from: address(id))
            listener.say(Self.noise, id)
        }
    }

    private static let noise = ByteBuffer(repeating: 0x55, count: 100)

    private func brokeProtocol(_ notice: ListenNotice) -> String? {
        if case .turnedAway(let name, _, brokeProtocol: true) = notice { name } else { nil }
    }

    @Test func inventedNamesMuteNoOthers() {
        var listener = ScriptedListener()
        invent(2 * PeeringLimits.rememberedNoticeCountPerAddress, &listener) { _ in "10.0.0.66" }
        #expect(listener.notices.compactMap(brokeProtocol).count == PeeringLimits.rememberedNoticeCountPerAddress)
        listener.meet(1, name: "Attic", welcoming: false)
        listener.say(Self.noise, 1)
        #expect(listener.notices.compactMap(brokeProtocol).last == "Attic")
    }

    @Test func namesInventedAtManyAddressesMuteNoOtherKindOfLine() {
        var listener = ScriptedListener()
        invent(2 * PeeringLimits.rememberedNoticeCount, &listener) { "10.1.\($0 / 256).\($0 % 256)" }
        #expect(listener.notices.compactMap(brokeProtocol).count == PeeringLimits.rememberedNoticeCount)
        listener.meet(1, name: "Attic", welcoming: false)
        listener.say(WireEncoder.refusal(Refusal(.notAllowed, "this broadcast is for Kitchen")), 1)
        #expect(listener.notices.last == .refused(by: "Attic", reason: "this broadcast is for Kitchen"))
    }

    @Test func whoNeverWelcomesAnybodyIsClosed() {
        var listener = ScriptedListener()
        listener.meet(1, name: "Idle", welcoming: false)
        for _ in 0..<60 {
            #expect(listener.closed == [])
            listener.wait(.seconds(1))
            listener.say(WireEncoder.keepAlive(), 1)
        }
        listener.wait(.seconds(1))
        #expect(listener.closed == [1])
    }

    @Test func whatNobodyWouldNeedIsNotKeptOfACandidate() {
        var listener = ScriptedListener()
        listener.meet(1, name: "One", welcoming: false)
        let roster = WireEncoder.roster(Roster(state: .playing, title: "", entries: []))
        for _ in 0...ListenLimits.pendingEventCount { listener.say(roster, 1) }
        #expect(listener.closed == [])
    }

    @Test func aBroadcasterThatRefusesWasNeverJoined() {
        var listener = ScriptedListener { $0.once = true }
        listener.meet(1, name: "Attic", welcoming: false)
        listener.say(WireEncoder.refusal(Refusal(.notAllowed, "this broadcast is for Kitchen")), 1)
        listener.wait(.seconds(1))
        #expect(listener.notices == [.refused(by: "Attic", reason: "this broadcast is for Kitchen")])
        #expect(listener.closed == [1])
        #expect(listener.outcome == nil)
    }

    @Test func aSongThatItCannotDecodeLeavesItWaitingForTheNextBroadcast() {
        var listener = ScriptedListener { $0.once = true }
        let reason = "this song is MP3, which Listener cannot decode"
        let refusal = WireEncoder.refusal(Refusal(.cannotDecode, reason))
        for id in 1...2 {
            listener.meet(id, name: "Attic", instance: 7, welcoming: false)
            listener.say(refusal, id)
        }
        listener.wait(.seconds(1))
        #expect(listener.notices == [.refused(by: "Attic", reason: reason)])
        #expect(listener.outcome == nil)
        listener.meet(3, name: "Attic", instance: 8)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterInstance == 8)
    }

    @Test func oneOfSeveralBroadcastsIsChosenAndTheOthersLearnWhy() throws {
        var listener = ScriptedListener()
        listener.meet(2, name: "High")
        listener.meet(1, name: "Low")
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == "Low")
        #expect(
            listener.notices.contains(.severalFound(["High", "Low"], taken: "Low", because: .lowestUUID)))
        let refusal = try #require(listener.said[2]?.refusal)
        #expect(refusal.reason == .busy && refusal.text.contains("Low"))
        #expect(listener.closed == [2])
    }

    @Test func ofTwoBroadcastsOfOneMachineTheFirstIsTaken() throws {
        var listener = ScriptedListener()
        let key = PeerKeyPair.random().key
        listener.meet(1, name: "Late", started: 2_000, instance: 1, key: key)
        listener.meet(2, name: "Early", started: 1_000, instance: 2, key: key)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == "Early")
        #expect(
            listener.notices.contains {
                if case .severalFound(_, "Early", .beganFirst) = $0 { true } else { false }
            })
    }

    @Test func aBusyListenerSaysWhatItPlaysAndFromWhom() throws {
        var listener = playing()
        listener.meet(2, name: "Cellar")
        let refusal = try #require(listener.said[2]?.refusal)
        #expect(refusal.reason == .busy)
        #expect(refusal.text.contains("Song") && refusal.text.contains("Attic"))
        #expect(listener.session.broadcasterName == "Attic")
    }

    @Test func onlyThoseNamedMayFeedIt() {
        var listener = ScriptedListener { $0.allowedNames = ["Cellar"] }
        listener.meet(1, name: "Attic")
        listener.meet(2, name: "Cellar")
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.said[1]?.refusal?.reason == .notAllowed)
        #expect(listener.session.broadcasterName == "Cellar")
    }

    @Test func aNameMeansTheBroadcasterThatBearsItNow() {
        var listener = ScriptedListener { $0.allowedNames = ["Cellar"] }
        for (instance, name) in [(8, "Cellar #2"), (7, "Cellar")] as [(UInt64, String)] {
            listener.handle(
                .contact(
                    PeerContact(
                        key: .instance(instance), name: name, roles: .broadcaster,
                        addresses: [NetworkAddress(host: "\(instance)")])))
        }
        #expect(listener.dials.map(\.key) == [.instance(7)])
        listener.meet(1, name: "Cellar", instance: 8)
        listener.meet(2, name: "Cellar", instance: 7)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.said[1]?.refusal?.reason == .notAllowed)
        #expect(listener.said[2]?.refusal == nil)
        #expect(listener.session.broadcasterInstance == 7)
    }

    @Test func nobodyIsDialledWhileMusicPlays() {
        var listener = playing()
        listener.handle(
            .contact(
                PeerContact(
                    key: .instance(9), name: "Cellar", roles: .broadcaster, addresses: [NetworkAddress(host: "cellar")])
            ))
        listener.wait(.seconds(1))
        #expect(listener.dials.isEmpty)
        listener.say(WireEncoder.broadcastEnd(BroadcastEnd(.stopped)), 1)
        listener.wait(.milliseconds(100))
        #expect(listener.dials.map(\.key) == [.instance(9)])
    }

    /// It was turned away while another played, several times; nothing that mDNS says ends its pause.
    @Test func whoWasTurnedAwayIsDialledOnceThisListenerIsFree() {
        var listener = playing()
        listener.handle(
            .contact(
                PeerContact(
                    key: .instance(9), name: "Cellar", roles: .broadcaster, addresses: [NetworkAddress(host: "cellar")])
            ))
        for id in 2...6 { listener.meet(id, name: "Cellar", instance: 9) }
        #expect(listener.said[6]?.refusal?.reason == .busy && listener.dials.isEmpty)
        listener.say(WireEncoder.broadcastEnd(BroadcastEnd(.stopped)), 1)
        listener.wait(.milliseconds(100))
        #expect(listener.dials.map(\.key) == [.instance(9)])
    }

    /// A record that names the process of the broadcaster that is heard, under another name and elsewhere, and somebody
    /// who calls from there as that process.
    @Test func aForgedRecordTakesNoListenerOffItsBroadcaster() {
        var listener = ScriptedListener { $0.allowedNames = ["Attic"] }
        listener.meet(1, name: "Attic", instance: 7)
        listener.stream(1)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        listener.handle(
            .contact(
                PeerContact(
                    key: .instance(7, service: "forged"), name: "Impostor", roles: .broadcaster,
                    addresses: [NetworkAddress(host: "10.0.0.66")])))
        listener.meet(2, name: "Attic", instance: 7, from: "10.0.0.66")
        for _ in 0..<20 {
            listener.wait(.milliseconds(500))
            for id in [1, 2] where !listener.closed.contains(id) { listener.say(WireEncoder.keepAlive(), id) }
        }
        #expect(listener.closed == [2])
        #expect(listener.session.isFed && listener.session.broadcasterName == "Attic")
        #expect(!listener.notices.contains { if case .lost = $0 { true } else { false } })
    }

    @Test func noiseIsCutOff() {
        var listener = playing()
        listener.handle(.opened(ConnectionID(2), .accepted, address: "10.0.0.2", dial: nil))
        listener.say(ByteBuffer(repeating: 0x55, count: 100), 2)
        #expect(listener.said[2]?.refusal?.reason == .protocolError)
        #expect(listener.closed == [2])
        #expect(listener.session.broadcasterName == "Attic")
    }
}
