import AudioCore
import Listening
import Peering
import Testing
import WireProtocol

/// A listener that has a file instead of loudspeakers.
@Suite struct RecorderSessionTests {
    private func recording(_ configure: (inout ListenConfiguration) -> Void = { _ in }) -> ScriptedListener {
        var listener = ScriptedListener {
            $0.isRecorder = true
            $0.once = true
            configure(&$0)
        }
        listener.meet(1, name: "Attic", instance: 7)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        listener.stream(1)
        listener.packet(1, at: 0)
        return listener
    }

    /// It needs to know no time: it holds up nobody's start, and is at no distance from anybody.
    @Test func itIsReadyAtOnceAndAsksNoClock() throws {
        var listener = recording()
        listener.wait(.milliseconds(40))
        #expect(listener.said[1]?.states.last == .ready)
        listener.anchor(1, in: .milliseconds(250))
        listener.wait(.seconds(4))
        #expect(listener.said[1]?.states.last == .playing)
        let report = try #require(listener.session.currentReport(listener.now))
        #expect(report.timing == nil && report.buffered == .zero && report.received == FramePosition(400))
        for action in listener.actions {
            switch action {
            case .startClock, .sendClock, .setTimeline: Issue.record("\(action)")
            default: break
            }
        }
        #expect(!listener.notices.contains { $0.contains("clock") })
    }

    /// What loudspeakers would have no use for any more.
    @Test func noPacketComesTooLate() {
        var listener = recording()
        listener.anchor(1, in: .milliseconds(250))
        listener.wait(.seconds(20), hearing: 1)
        listener.packet(1, at: 400)
        #expect(listener.enqueued == [FramePosition(0), FramePosition(400)])
    }

    @Test func itSaysWhenItHasAll() {
        var listener = recording()
        listener.anchor(1, in: .milliseconds(250))
        listener.say(WireEncoder.streamEnd(Epoch(1), at: FramePosition(400)), 1)
        listener.handle(.heardEnd(listener.session.currentEpoch!))
        listener.wait(.milliseconds(40))
        #expect(listener.said[1]?.states.last == .finished)
        listener.say(WireEncoder.broadcastEnd(BroadcastEnd(.completed)), 1)
        listener.wait(.milliseconds(40))
        #expect(listener.outcome == .completed)
    }

    @Test func itEndsWithTheBroadcast() {
        var listener = recording()
        listener.say(WireEncoder.broadcastEnd(BroadcastEnd(.stopped)), 1)
        listener.wait(.milliseconds(40))
        #expect(listener.outcome == .completed)
    }

    @Test func itWaitsForABroadcasterThatItLost() {
        var listener = recording()
        let epoch = listener.session.currentEpoch
        listener.handle(.closed(ConnectionID(1)))
        #expect(listener.notices.last == "lost Attic: waiting 30 s for it")
        listener.wait(ListenLimits.recorderPatience - .seconds(1))
        #expect(listener.outcome == nil)
        // Another broadcast of the same peer is none of its business.
        listener.meet(2, name: "Attic", started: 9, instance: 8)
        listener.wait(.milliseconds(100))
        #expect(listener.session.broadcasterInstance == 7 && !listener.session.isFed)
        listener.meet(3, name: "Attic", instance: 7)
        listener.stream(3, from: 4_000)
        listener.packet(3, at: 4_000)
        listener.wait(ListenLimits.recorderPatience + ListenLimits.recorderPatience, hearing: 3)
        // Still fed, and the same epoch: nothing begins anew.
        #expect(listener.session.isFed && listener.session.currentEpoch == epoch && listener.begun.count == 1)
        #expect(listener.enqueued == [.zero, FramePosition(4_000)])
        #expect(
            listener.actions.contains { if case .reenter(FramePosition(4_000), epoch) = $0 { true } else { false } })
    }

    @Test func itDoesNotWaitForEver() {
        var listener = recording()
        listener.handle(.closed(ConnectionID(1)))
        listener.wait(ListenLimits.recorderPatience + .milliseconds(100))
        #expect(listener.outcome == .failed("lost Attic"))
    }

    /// The broadcaster was lost when all was there.
    @Test func whoHasAllLostNothing() {
        var listener = recording()
        listener.handle(.heardEnd(listener.session.currentEpoch!))
        listener.handle(.closed(ConnectionID(1)))
        listener.wait(.milliseconds(40))
        #expect(listener.outcome == .completed)
    }
}

extension ScriptedListener {
    /// Waits while the broadcaster is there and has nothing to say.
    fileprivate mutating func wait(_ span: TimeSpan, hearing id: Int) {
        let end = now + span
        while now < end {
            wait(.seconds(1))
            say(WireEncoder.keepAlive(), id)
        }
    }
}
