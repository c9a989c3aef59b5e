import AudioCore
import Listening
import Testing
import WireProtocol

/// A cut that comes when the audio queue has begun to render the song behind the one that it cuts: a pause shortly
/// before a joint, over a network that lost it once.
@Suite(.timeLimit(.minutes(5))) struct LateCutTests {
    private static let cutFrame = FramePosition(30_000)

    /// One song sounds, and another follows it.
    private func playing() -> ScriptedListener {
        var listener = ScriptedListener()
        listener.meet(1, name: "Attic")
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        listener.estimateClock()
        for epoch: UInt32 in 1...2 { begin(epoch, &listener) }
        listener.handle(.heardStart(listener.begun[0].epoch))
        listener.sound(.playing)
        return listener
    }

    private func begin(_ epoch: UInt32, _ listener: inout ScriptedListener) {
        listener.stream(1, epoch: epoch)
        listener.packet(1, at: 0, epoch: epoch)
        listener.anchor(1, in: .seconds(4) * Double(epoch - 1) + .milliseconds(250), epoch: epoch)
    }

    private func cuts(_ listener: ScriptedListener) -> [Epoch] {
        listener.actions.compactMap { if case .cut(Self.cutFrame, let epoch) = $0 { epoch } else { nil } }
    }

    private func drops(_ listener: ScriptedListener) -> [Epoch] {
        listener.actions.compactMap { if case .drop(let epoch) = $0 { epoch } else { nil } }
    }

    @Test func whatStandsBehindTheCutIsNotHeard() {
        var listener = playing()
        let (first, second) = (listener.begun[0].epoch, listener.begun[1].epoch)
        listener.handle(.heardStart(second))
        listener.say(WireEncoder.cut(Epoch(1), at: Self.cutFrame), 1)
        #expect(cuts(listener) == [first] && drops(listener) == [second])
        #expect(listener.session.isPaused && listener.session.currentEpoch == first)
    }

    @Test func aSongWhoseEndWasHeardIsNotAtItsEndAfterACut() {
        var listener = playing()
        let (first, second) = (listener.begun[0].epoch, listener.begun[1].epoch)
        listener.handle(.heardEnd(first))
        listener.say(WireEncoder.cut(Epoch(1), at: Self.cutFrame), 1)
        #expect(cuts(listener) == [first] && drops(listener) == [second])
        #expect(listener.session.currentReport(listener.now)?.state != .finished)
        #expect(listener.session.isPaused)
    }

    /// Another song is put in the place of the one that the queue has begun to render: what sounds before goes on.
    @Test func whatIsPutInThePlaceOfTheNextSongStandsBehindTheOneThatSounds() {
        var listener = playing()
        let second = listener.begun[1].epoch
        listener.handle(.heardStart(second))
        listener.say(WireEncoder.cut(Epoch(2), at: .zero), 1)
        begin(3, &listener)
        #expect(drops(listener) == [second] && listener.begun.count == 3)
        #expect(listener.actions.count { if case .begin = $0 { true } else { false } } == 1)
    }

    /// One that does not know the clock yet, while commands follow one another: the queue has room for the newest.
    @Test func whatWasNeverHeardLeavesTheQueue() {
        var listener = ScriptedListener()
        listener.meet(1, name: "Attic")
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        for epoch: UInt32 in 1...6 {
            begin(epoch, &listener)
            listener.say(WireEncoder.cut(Epoch(epoch), at: FramePosition(100)), 1)
        }
        #expect(listener.begun.count == 6)
        #expect(drops(listener) == [listener.begun[0].epoch, listener.begun[1].epoch])
    }

    @Test func theSongThatFollowsSoundsAfterwards() {
        var listener = playing()
        listener.handle(.heardStart(listener.begun[1].epoch))
        listener.say(WireEncoder.cut(Epoch(1), at: Self.cutFrame), 1)
        begin(3, &listener)
        #expect(listener.begun.count == 3)
        let third = listener.begun[2].epoch
        #expect(listener.timelines.last?.epoch == third && !listener.session.isPaused)
        // A replaced connection brings what is known again.
        listener.handle(.heardStart(third))
        listener.say(WireEncoder.cut(Epoch(1), at: Self.cutFrame), 1)
        #expect(!drops(listener).contains(third) && listener.session.currentEpoch == third)
    }
}
