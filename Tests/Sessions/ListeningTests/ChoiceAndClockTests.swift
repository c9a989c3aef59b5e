import AudioCore
import Listening
import Peering
import Testing

/// How long a listener collects broadcasters, and whose clock it learns meanwhile.
@Suite(.timeLimit(.minutes(5))) struct ChoiceAndClockTests {
    /// Whose clocks were asked, in order.
    private func asked(_ listener: ScriptedListener) -> [Int] {
        listener.actions.compactMap { if case .startClock(let id, _, _, _, _) = $0 { id.number } else { nil } }
    }

    private func stopCount(_ listener: ScriptedListener) -> Int {
        listener.actions.count { if case .stopClock = $0 { true } else { false } }
    }

    @Test func theClockOfTheFirstIsKnownWhenItIsChosen() {
        var listener = ScriptedListener()
        listener.meet(1, name: "Attic")
        #expect(asked(listener) == [1] && listener.session.broadcasterName == nil)
        listener.stream(1)
        listener.anchor(1, in: -.seconds(1))
        listener.estimateClock()
        #expect(listener.timelines.isEmpty)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == "Attic")
        #expect(asked(listener) == [1] && stopCount(listener) == 0)
        #expect(!listener.timelines.isEmpty)
    }

    @Test func ofOneThatIsNotChosenNothingIsKept() {
        var listener = ScriptedListener()
        listener.meet(5, name: "Cellar")
        listener.estimateClock()
        listener.meet(1, name: "Attic")
        listener.stream(1)
        listener.anchor(1, in: -.seconds(1))
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        #expect(listener.session.broadcasterName == "Attic")
        #expect(asked(listener) == [5, 1] && stopCount(listener) == 1)
        #expect(listener.session.sessionTime(at: listener.now) == nil && listener.timelines.isEmpty)
        listener.estimateClock()
        #expect(!listener.timelines.isEmpty)
    }

    @Test func oneThatLeavesTakesItsClockAlong() {
        var listener = ScriptedListener()
        listener.meet(1, name: "Attic")
        listener.estimateClock()
        listener.handle(.closed(ConnectionID(1)))
        #expect(stopCount(listener) == 1 && listener.session.sessionTime(at: listener.now) == nil)
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        listener.meet(2, name: "Cellar")
        #expect(asked(listener) == [1, 2])
    }

    /// All that are on the network have answered after a while.
    @Test func aListenerThatHasWaitedChoosesSooner() {
        var listener = ScriptedListener()
        listener.meet(1, name: "Attic")
        listener.wait(.milliseconds(80))
        #expect(listener.session.broadcasterName == nil)

        var waiting = ScriptedListener()
        waiting.wait(.seconds(3))
        waiting.meet(1, name: "Attic")
        waiting.wait(.milliseconds(20))
        #expect(waiting.session.broadcasterName == nil)
        waiting.wait(.milliseconds(60))
        #expect(waiting.session.broadcasterName == "Attic")
    }
}
