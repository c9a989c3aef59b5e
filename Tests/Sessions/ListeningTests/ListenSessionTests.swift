import AudioCore
import Listening
import Peering
import Playout
import Testing
import WireProtocol

@Suite(.timeLimit(.minutes(5))) struct ListenSessionTests {
    /// A listener in a broadcast that plays.
    func playing(_ configure: (inout ListenConfiguration) -> Void = { _ in }) -> ScriptedListener {
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

    @Test func itsOwnStopIsSaidAndHeard() {
        var listener = playing()
        listener.handle(.stop)
        #expect(listener.outcome == .stopped)
        #expect(listener.said[1]?.refusal?.reason == .leaving)
        #expect(listener.silenceCount == 1)
        #expect(listener.closed == [1])
    }
}
