import AudioCore
import Broadcasting
import ClockSync
import Peering
import Testing
import WireProtocol

/// Those who look on at a broadcast.
@Suite(.timeLimit(.minutes(5))) struct ObserverTests {
    private func playing() -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 3)
        broadcast.join(1)
        broadcast.join(2, roles: .observer)
        return broadcast
    }

    private func rosters(_ broadcast: ScriptedBroadcast, _ id: Int) -> [Roster] {
        broadcast.heard[id]?.messages.compactMap { if case .roster(let roster) = $0 { roster } else { nil } } ?? []
    }

    @Test func anObserverIsToldOnceASecondAndNothingElse() {
        var broadcast = playing()
        broadcast.report(.ready, 1)
        for _ in 0..<6 {
            broadcast.wait(.milliseconds(500), hearingFrom: [1, 2])
            broadcast.drain(1)
            broadcast.drain(2)
        }
        let told = rosters(broadcast, 2)
        #expect((3...4).contains(told.count))
        #expect(told.first?.entries.map(\.name) == ["Listener 1"] && told.first?.title == "Song")
        #expect(told.last?.entries.first?.report?.state == .ready)
        #expect(told.last?.state == .playing)
        #expect(broadcast.heard[2]?.packets.isEmpty == true)
        #expect(broadcast.heard[2]?.anchor == nil)
        #expect(rosters(broadcast, 1).isEmpty)
        // One of the listener, one of the observer, which may look at the path to the clock.
        #expect(broadcast.keys.count == 2)
        #expect(broadcast.session.listeners.map(\.name) == ["Listener 1"])
    }

    /// What the rosters of the next seconds say of listener 1, after it played and `leave` happened.
    private func states(after leave: (inout ScriptedBroadcast) -> Void) -> [ListenerState?] {
        var broadcast = playing()
        broadcast.report(.playing, 1)
        broadcast.drain(2)
        broadcast.wait(.seconds(1), hearingFrom: [1, 2])
        leave(&broadcast)
        let count = rosters(broadcast, 2).count
        for _ in 0..<14 {
            broadcast.drain(2)
            broadcast.wait(.milliseconds(500), hearingFrom: [2])
        }
        return rosters(broadcast, 2).dropFirst(count).map(\.entries.first?.report?.state)
    }

    @Test func whoTookLeaveIsShownAsFinishedForAWhile() {
        let leaving = states { $0.say(WireEncoder.refusal(Refusal(.leaving, "the listener stopped")), 1) }
        #expect(leaving.count >= 6 && leaving.prefix(4).allSatisfy { $0 == .finished } && leaving.last == .some(nil))
        let finished = states {
            $0.report(.finished, 1)
            $0.handle(.closed(ConnectionID(1)))
        }
        #expect(finished.prefix(4).allSatisfy { $0 == .finished } && finished.last == .some(nil))
    }

    @Test func whoVanishedIsNotShown() {
        let states = states { $0.handle(.closed(ConnectionID(1))) }
        #expect(states.count >= 6 && states.allSatisfy { $0 == nil })
    }

    @Test func whoComesBackIsShownOnce() {
        var broadcast = playing()
        broadcast.report(.playing, 1)
        broadcast.say(WireEncoder.refusal(Refusal(.leaving, "the listener stopped")), 1)
        broadcast.join(3, instance: 1)
        broadcast.report(.playing, 3)
        broadcast.drain(2)
        broadcast.wait(.milliseconds(1_500), hearingFrom: [2, 3])
        #expect(rosters(broadcast, 2).last?.entries.map(\.report?.state) == [.playing])
    }

    @Test func anObserverIsNotWaitedFor() {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 3)
        broadcast.join(2, roles: .observer)
        broadcast.drain(2)
        broadcast.wait(.seconds(3), hearingFrom: [2])
        #expect(broadcast.session.anchor == nil)
        #expect(rosters(broadcast, 2).first?.state == .waiting)
    }

    @Test func anObserverLearnsOfTheEnd() {
        var broadcast = playing()
        broadcast.handle(.stop)
        #expect(broadcast.heard[2]?.farewell?.kind == .stopped)
        #expect(broadcast.closed.contains(2))
    }

    @Test func anObserverThatDoesNotReadIsNotSentMore() {
        var broadcast = playing()
        broadcast.drain(2)
        broadcast.wait(.milliseconds(1_500), hearingFrom: [1, 2])
        let count = rosters(broadcast, 2).count
        broadcast.wait(.seconds(3), hearingFrom: [1, 2])
        #expect(rosters(broadcast, 2).count <= count + 1)
    }

    @Test func onlySoManyMayLookOn() {
        var broadcast = ScriptedBroadcast()
        for id in 1...BroadcastLimits.observerCount + 1 { broadcast.join(id, roles: .observer) }
        #expect(broadcast.closed == [BroadcastLimits.observerCount + 1])
        #expect(broadcast.heard[BroadcastLimits.observerCount + 1]?.refusal?.reason == .busy)
    }

    @Test func aListenerThatLooksOnAsWellIsAListener() {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 3)
        broadcast.join(1, roles: [.listener, .observer])
        #expect(broadcast.session.listeners.count == 1)
    }
}
