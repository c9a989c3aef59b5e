import AudioCore
import Listening
import Peering
import Testing
import WireProtocol

/// A listener that has a file instead of loudspeakers.
@Suite(.timeLimit(.minutes(5))) struct RecorderSessionTests {
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
        #expect(!listener.notices.contains(.clockUnanswered("Attic")))
    }

    /// It has no clock whose timeline would tell.
    @Test func itIsToldWhatACommandCutsAndResumes() {
        var listener = recording()
        listener.anchor(1, in: .milliseconds(250))
        listener.say(WireEncoder.cut(Epoch(1), at: FramePosition(100)), 1)
        listener.anchor(1, in: .milliseconds(250))
        listener.anchor(1, in: .milliseconds(300))
        let told = listener.actions.compactMap { action -> String? in
            switch action {
            case .cut(let frame, let epoch): "cut \(epoch.number) at \(frame.index)"
            case .resume(let epoch): "resume \(epoch.number)"
            default: nil
            }
        }
        #expect(told == ["cut 1 at 100", "resume 1"])
    }

    /// Ten minutes of song at once, and an end an hour ahead: of both not more is taken than can have been played, and
    /// the user is told why.
    @Test func whatIsSentFasterThanItPlaysIsLeftOut() throws {
        var listener = recording()
        listener.anchor(1, in: .milliseconds(250))
        for packet in 1..<12_000 { listener.packet(1, at: Int64(packet) * 400) }
        let reached = try #require(listener.enqueued.last)
        #expect(reached <= FramePosition(8_000 * 16))
        #expect(listener.notices.count { $0 == .tooFarAhead(broadcaster: "Attic") } == 1)
        listener.say(WireEncoder.streamEnd(Epoch(1), at: FramePosition(8_000 * 3_600)), 1)
        #expect(!listener.actions.contains { if case .finish = $0 { true } else { false } })
        // A gap is filled with silence.
        listener.wait(.seconds(10), hearing: 1)
        listener.packet(1, at: 8_000 * 300)
        #expect(listener.enqueued.last == reached)
        listener.packet(1, at: 8_000 * 20)
        #expect(listener.enqueued.last == FramePosition(8_000 * 20))
    }

    /// The machine slept, its clock stood still, and the song went on.
    @Test func aSleepCountsAsTime() {
        var listener = recording()
        listener.anchor(1, in: .milliseconds(250))
        listener.handle(.machineDidSleep(for: .seconds(60)))
        listener.packet(1, at: 8_000 * 70)
        #expect(listener.enqueued.last == FramePosition(8_000 * 70))
        #expect(!listener.notices.contains(.tooFarAhead(broadcaster: "Attic")))
    }

    /// A song of three minutes, ten seconds ahead, with a minute in the middle in which the connection was lost.
    @Test func aSongIsRecordedWhole() {
        var listener = recording()
        listener.anchor(1, in: .milliseconds(250))
        var connection = 1
        var sent: Int64 = 20
        for second in 1...180 {
            if second == 60 {
                listener.handle(.closed(ConnectionID(1)))
                listener.wait(.seconds(20))
                connection = 2
                listener.meet(2, name: "Attic", instance: 7)
                listener.stream(2, from: (80 + 10) * 8_000)
                sent = (80 + 10) * 20
            }
            let time = Int64(second < 60 ? second : second + 20)
            while sent < min(180, time + 10) * 20 {
                listener.packet(connection, at: sent * 400)
                sent += 1
            }
            listener.wait(.seconds(1), hearing: connection)
        }
        listener.say(WireEncoder.streamEnd(Epoch(1), at: FramePosition(180 * 8_000)), connection)
        let before = (0..<69 * 20).map { FramePosition(Int64($0) * 400) }
        let after = (90 * 20..<180 * 20).map { FramePosition(Int64($0) * 400) }
        // The first second had one packet.
        let missing = (1..<20).map { FramePosition(Int64($0) * 400) }
        #expect(listener.enqueued == (before + after).filter { !missing.contains($0) })
        #expect(listener.actions.contains { if case .finish = $0 { true } else { false } })
        #expect(!listener.notices.contains(.tooFarAhead(broadcaster: "Attic")))
    }

    /// It never says that it began to sound a song; those that came are in the file all the same.
    @Test func manySongsStayRecorded() {
        var listener = recording()
        for epoch: UInt32 in 1...7 {
            if epoch > 1 { listener.stream(1, epoch: epoch) }
            listener.packet(1, at: 0, epoch: epoch)
            listener.say(WireEncoder.streamEnd(Epoch(epoch), at: FramePosition(400)), 1)
            if epoch < 4 { listener.handle(.heardEnd(listener.begun[Int(epoch) - 1].epoch)) }
        }
        #expect(listener.begun.count == 7)
        #expect(!listener.actions.contains { if case .drop = $0 { true } else { false } })
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
        #expect(listener.notices.last == .lost("Attic", .forItsReturn(atMost: .seconds(30))))
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
        #expect(listener.outcome == .failed(.lost("Attic")))
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
