import AudioCore
import ClockSync
import Listening
import NIOCore
import Peering
import Playout
import Testing
import WireProtocol

@Suite(.timeLimit(.minutes(5))) struct ListenSessionTests {
    /// A listener in a broadcast that plays.
    private func playing(_ configure: (inout ListenConfiguration) -> Void = { _ in }) -> ScriptedListener {
        var listener = ScriptedListener(configure)
        listener.meet(1, name: "Attic")
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        listener.stream(1)
        listener.packet(1, at: 0)
        listener.packet(1, at: 400)
        listener.estimateClock()
        listener.anchor(1, in: .milliseconds(250))
        listener.sound(.playing)
        return listener
    }

    @Test func aBroadcastIsJoinedAndItsPacketsGoToTheQueue() throws {
        let listener = playing()
        #expect(listener.session.broadcasterName == "Attic")
        #expect(listener.actions.contains { if case .startClock(_, 28_884, _, _, _) = $0 { true } else { false } })
        #expect(listener.begun.map(\.first) == [.zero])
        #expect(listener.enqueued == [FramePosition(0), FramePosition(400)])
        let timeline = try #require(listener.timelines.last)
        #expect(timeline.epoch == listener.begun.last?.epoch)
        #expect(timeline.host == listener.now + .milliseconds(250))
    }

    @Test func theUsersOffsetMovesTheTimeline() throws {
        let listener = playing { $0.offset = .milliseconds(-7) }
        #expect(listener.notices == [.joined("Attic")])
        #expect(try #require(listener.timelines.last).host == listener.now + .milliseconds(243))
    }

    @Test func anOffsetThatChangesMovesWhatSounds() throws {
        var listener = playing { $0.offset = .milliseconds(-7) }
        let due = try #require(listener.timelines.last).host
        listener.handle(.setOffset(.milliseconds(3)))
        // Without the fade the renderer would slew for minutes.
        #expect(listener.holdCount == 1)
        #expect(try #require(listener.timelines.last).host == due + .milliseconds(10))
        listener.handle(.setOffset(.milliseconds(3)))
        #expect(listener.holdCount == 1)
        // Later timelines have it too.
        listener.estimateClock()
        #expect(try #require(listener.timelines.last).host == due + .milliseconds(10))
    }

    @Test func anOffsetThatChangesBeforeABroadcastIsForTheNextOne() throws {
        var listener = ScriptedListener()
        listener.handle(.setOffset(.milliseconds(-7)))
        #expect(listener.holdCount == 0 && listener.timelines.isEmpty)
        listener.meet(1, name: "Attic")
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        listener.stream(1)
        listener.packet(1, at: 0)
        listener.estimateClock()
        listener.anchor(1, in: .milliseconds(250))
        #expect(try #require(listener.timelines.last).host == listener.now + .milliseconds(243))
    }

    @Test func anOffsetBeforeTheStartDelayIsExplained() {
        let listener = playing { $0.offset = .milliseconds(-400) }
        #expect(listener.notices.last == .offsetTooEarly(.milliseconds(-400)))
    }

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

    @Test func theOldestOfSeveralBroadcastsIsChosenAndTheOthersLearnWhy() throws {
        var listener = ScriptedListener()
        listener.meet(1, name: "Young", started: 2_000)
        listener.meet(2, name: "Old", started: 1_000)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == "Old")
        #expect(listener.notices.contains(.severalFound(["Young", "Old"], taken: "Old")))
        let refusal = try #require(listener.said[1]?.refusal)
        #expect(refusal.reason == .busy && refusal.text.contains("Old"))
        #expect(listener.closed == [1])
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

    @Test func stateIsReportedWhenItChangesAndTwiceASecond() {
        var listener = playing()
        listener.wait(.milliseconds(2_040))
        let states = listener.said[1]?.states ?? []
        #expect(states.contains(.preparing))
        #expect(states.count { $0 == .playing } == 5)
        listener.sound(.starved)
        #expect(listener.said[1]?.states.last == .starving)
    }

    @Test func packetsThatWereDueLongAgoAreDropped() {
        var listener = playing()
        listener.say(WireEncoder.keepAlive(), 1)
        listener.wait(.seconds(2))
        listener.packet(1, at: 800)
        listener.packet(1, at: 12_000)
        #expect(listener.enqueued == [FramePosition(0), FramePosition(400), FramePosition(12_000)])
    }

    @Test func whatCameTooLateIsNotHeld() throws {
        var listener = playing()
        listener.sound(.starved)
        listener.wait(.seconds(2))
        listener.packet(1, at: 800)
        #expect(try #require(listener.session.currentReport(listener.now)).buffered == .zero)
        listener.packet(1, at: 40_000)
        #expect(try #require(listener.session.currentReport(listener.now)).buffered > .seconds(1))
    }

    @Test func afterALossTheQueueIsToldWhereTheSoundGoesOn() throws {
        var listener = playing()
        let epoch = try #require(listener.begun.last?.epoch)
        let mark = EntryMark(epoch: Epoch(1), frame: FramePosition(4_000), lostPacketCount: 7)
        listener.say(WireEncoder.entry(mark), 1)
        listener.packet(1, at: 3_600)
        #expect(listener.begun.count == 1)
        let reentries = listener.actions.compactMap { if case .reenter(let frame, epoch) = $0 { frame } else { nil } }
        #expect(reentries == [FramePosition(4_000)])
        #expect(listener.enqueued.last == FramePosition(3_600))
        #expect(listener.session.currentReport(listener.now)?.counters.lostPackets == 7)
    }

    @Test func packetsOfAnotherEpochAreIgnored() {
        var listener = playing()
        listener.packet(1, at: 800, epoch: 7)
        #expect(listener.enqueued.count == 2)
        listener.stream(1, epoch: 2)
        listener.packet(1, at: 800, epoch: 1)
        listener.packet(1, at: 0, epoch: 2)
        #expect(listener.enqueued.count == 3)
        #expect(listener.begun.count == 2)
    }

    @Test func theQueueNeverMeetsAnEpochTwice() {
        var listener = playing()
        listener.say(WireEncoder.broadcastEnd(BroadcastEnd(.stopped)), 1)
        listener.meet(2, name: "Cellar")
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        listener.stream(2)
        #expect(Set(listener.begun.map(\.epoch)).count == 2)
        // Nothing places the new epoch before its own anchor came.
        #expect(listener.timelines.last?.epoch == listener.begun.first?.epoch)
    }

    @Test func anEndIsPlayedOutAndThenTheNextIsAwaited() {
        var listener = playing()
        listener.say(WireEncoder.streamEnd(Epoch(1), at: FramePosition(800)), 1)
        listener.say(WireEncoder.broadcastEnd(BroadcastEnd(.completed)), 1)
        #expect(listener.silenceCount == 0)
        #expect(listener.closed == [1])
        if let epoch = listener.begun.last?.epoch { listener.handle(.heardEnd(epoch)) }
        #expect(listener.session.broadcasterName == nil)
        #expect(listener.outcome == nil)
    }

    @Test func onceEndsWithTheBroadcast() {
        var listener = playing { $0.once = true }
        if let epoch = listener.begun.last?.epoch { listener.handle(.heardEnd(epoch)) }
        listener.say(WireEncoder.broadcastEnd(BroadcastEnd(.completed)), 1)
        #expect(listener.outcome == .completed)
    }

    @Test func anErrorIsToldApartFromAnEnd() {
        var listener = playing { $0.once = true }
        if let epoch = listener.begun.last?.epoch { listener.handle(.heardEnd(epoch)) }
        listener.say(WireEncoder.broadcastEnd(BroadcastEnd(.failed, "disk on fire")), 1)
        #expect(listener.outcome == .failed(.broadcastFailed("Attic", reason: "disk on fire")))
        #expect(listener.notices.contains(.failed("Attic", reason: "disk on fire")))
    }

    @Test func aStopSilencesAtOnce() {
        var listener = playing()
        listener.say(WireEncoder.broadcastEnd(BroadcastEnd(.stopped)), 1)
        #expect(listener.silenceCount > 0)
        #expect(listener.session.broadcasterName == nil)
    }

    @Test func aBroadcasterThatFallsSilentIsMissedWithinThreeSeconds() {
        var listener = playing()
        listener.wait(.milliseconds(2_900))
        #expect(listener.notices.contains(.lost("Attic", .forABroadcast(playsOn: true))))
        #expect(listener.closed == [1])
        // The 100 ms that were held are over long since.
        #expect(listener.session.broadcasterName == nil)
    }

    @Test func aBroadcasterThatReturnsGoesOnWithoutANewBeginning() {
        var listener = playing()
        for frame in 2..<100 { listener.packet(1, at: Int64(frame) * 400) }
        listener.handle(.closed(ConnectionID(1)))
        listener.meet(2, name: "Attic", instance: 1)
        listener.stream(2, from: 4_000)
        #expect(listener.begun.count == 1)
        #expect(listener.silenceCount == 0)
        #expect(listener.notices.last == .back("Attic", after: .zero))
    }

    @Test func aSleepVoidsTheClockAndHoldsTheSoundUntilItIsKnownAnew() throws {
        var listener = playing()
        let (timelines, stale) = (listener.timelines.count, listener.now)
        listener.handle(.machineDidSleep(for: .milliseconds(61_260)))
        #expect(listener.notices.last == .slept(.milliseconds(61_260), broadcaster: "Attic"))
        #expect(listener.holdCount == 1)
        #expect(listener.actions.contains { if case .restartClock = $0 { true } else { false } })
        #expect(listener.session.sessionTime(at: listener.now) == nil)
        // An estimate from before the sleep was on its way.
        listener.wait(.milliseconds(20))
        listener.estimateClock(at: stale - .milliseconds(1))
        #expect(listener.timelines.count == timelines)
        listener.estimateClock()
        #expect(listener.timelines.count == timelines + 1)
        #expect(listener.silenceCount == 0)
        listener.wait(.seconds(2))
        #expect(!listener.notices.contains(.clockUnanswered("Attic")))
    }

    /// A broken connection changes no crystal: the new exchange begins with the rate that the old one knew.
    @Test func aRateOutlivesItsConnection() {
        var listener = playing()
        listener.handle(.closed(ConnectionID(1)))
        listener.meet(2, name: "Attic", instance: 1)
        listener.meet(3, name: "Cellar")
        let priors = listener.actions.compactMap { action -> SkewPrior?? in
            if case .startClock(_, _, _, _, let prior) = action { .some(prior) } else { nil }
        }
        // Known within four deviations to 1 ppm; a crystal wanders by half a ppm.
        #expect(priors == [nil, SkewPrior(skew: .zero, deviation: PartsPerMillion(0.5))])
    }

    /// Replies that stand in a queue mislead an exchange that begins beside them: what was known before goes on until the
    /// new exchange knows it better.
    @Test(arguments: [true, false]) func aClockOutlivesItsConnection(isBackSoon: Bool) throws {
        var listener = playing()
        listener.handle(.closed(ConnectionID(1)))
        if !isBackSoon { listener.wait(.seconds(5)) }
        listener.meet(2, name: "Attic", instance: 1)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        listener.estimateClock(offBy: .milliseconds(100), bound: .milliseconds(50), roundTrip: .milliseconds(300))
        var known = try #require(listener.session.sessionTime(at: listener.now))
        #expect(known.nanoseconds == (listener.now + .seconds(1)).nanoseconds)
        listener.estimateClock(offBy: .microseconds(7), bound: .microseconds(3))
        known = try #require(listener.session.sessionTime(at: listener.now))
        #expect(known.nanoseconds == (listener.now + .seconds(1) + .microseconds(7)).nanoseconds)
        // From now on whatever the new exchange says.
        listener.estimateClock(offBy: .milliseconds(1), bound: .milliseconds(50))
        known = try #require(listener.session.sessionTime(at: listener.now))
        #expect(known.nanoseconds == (listener.now + .seconds(1) + .milliseconds(1)).nanoseconds)
    }

    /// Its machine was started anew, or slept.
    @Test func aClockThatIsAnotherIsNotBelieved() throws {
        var listener = playing()
        listener.handle(.closed(ConnectionID(1)))
        listener.meet(2, name: "Attic", instance: 1)
        listener.estimateClock(offBy: .milliseconds(-250), bound: .milliseconds(50), roundTrip: .milliseconds(300))
        let known = try #require(listener.session.sessionTime(at: listener.now))
        #expect(known.nanoseconds == (listener.now + .seconds(1) - .milliseconds(250)).nanoseconds)
    }

    /// 800 frames had come; the broadcaster goes on with frame 4,000, 0.4 s behind them.
    @Test func whatIsMissingAfterAConnectionBrokeIsTold() {
        var listener = playing()
        listener.handle(.closed(ConnectionID(1)))
        listener.meet(2, name: "Attic", instance: 1)
        listener.stream(2, from: 4_000)
        #expect(listener.notices.last == .songLost(.milliseconds(400), broadcaster: "Attic"))
    }

    @Test func whatWasHeldWhileAConnectionWasBrokenIsNotLost() {
        var listener = playing()
        listener.handle(.closed(ConnectionID(1)))
        listener.meet(2, name: "Attic", instance: 1)
        listener.stream(2, from: 800)
        #expect(!listener.notices.contains { if case .songLost = $0 { true } else { false } })
    }

    /// What waits in the other side's socket would come before what the next connection brings.
    @Test func aConnectionThatFellSilentIsNotReadToItsEnd() {
        var listener = playing()
        listener.wait(PeeringLimits.silenceTimeout + .milliseconds(20))
        let aborted = listener.actions.contains { if case .abort(ConnectionID(1)) = $0 { true } else { false } }
        #expect(aborted)
    }

    @Test func whoWakesWithoutItsBroadcasterWaitsForIt() throws {
        var listener = playing { $0.once = true }
        listener.handle(.machineDidSleep(for: .seconds(60)))
        listener.handle(.closed(ConnectionID(1)))
        #expect(listener.notices.last == .lost("Attic", .forABroadcast(playsOn: false)))
        listener.wait(ListenLimits.wakingPatience - .seconds(1))
        #expect(listener.outcome == nil)
        listener.meet(2, name: "Attic", instance: 1)
        #expect(listener.notices.last == .back("Attic", after: .seconds(9)))
        let timelines = listener.timelines.count
        listener.estimateClock()
        #expect(listener.timelines.count == timelines + 1)
    }

    @Test func whoWakesAndIsNotFoundAgainGivesUp() {
        var listener = playing { $0.once = true }
        listener.handle(.machineDidSleep(for: .seconds(60)))
        listener.handle(.closed(ConnectionID(1)))
        listener.wait(ListenLimits.wakingPatience + .milliseconds(100))
        #expect(listener.outcome == .failed(.lost("Attic")))
    }

    @Test func aSleepWithoutABroadcastChangesNothing() {
        var listener = ScriptedListener()
        listener.handle(.machineDidSleep(for: .seconds(60)))
        #expect(listener.notices.isEmpty && listener.actions.isEmpty)
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

    @Test func itsOwnStopIsSaidAndHeard() {
        var listener = playing()
        listener.handle(.stop)
        #expect(listener.outcome == .stopped)
        #expect(listener.said[1]?.refusal?.reason == .leaving)
        #expect(listener.silenceCount == 1)
        #expect(listener.closed == [1])
    }
}
