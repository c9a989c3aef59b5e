import AudioCore
import Listening
import Testing
import WireProtocol

/// What a broadcaster says anew of a song that plays.
@Suite(.timeLimit(.minutes(5)))
struct ChangingStreamTests {
    private func playing() -> ScriptedListener {
        var listener = ScriptedListener()
        listener.meet(1, name: "Attic")
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        listener.stream(1)
        listener.packet(1, at: 0)
        listener.estimateClock()
        listener.anchor(1, in: .milliseconds(250))
        listener.sound(.playing)
        return listener
    }

    @Test func aStationsTitleIsShownAndTheSoundGoesOn() throws {
        var listener = playing()
        let format = try #require(listener.session.summary?.format)
        var other = format
        other.sampleRate = 48_000
        let properties: [AudioStreamProperty] = [
            .dataFormat(other), .info(.title, "Next"), .readyToProducePackets,
        ]
        listener.say(WireEncoder.stream(Epoch(1), properties: properties), 1)
        #expect(listener.session.summary?.info[.title] == "Next")
        // The rest stays, whatever it says.
        #expect(listener.session.summary?.format == format)
        #expect(listener.begun.count == 1)
    }

    @Test func aMovedAnchorMovesTheTimeline() throws {
        var listener = playing()
        let first = try #require(listener.timelines.last)
        listener.wait(.seconds(1))
        listener.anchor(1, in: .milliseconds(250))
        let moved = try #require(listener.timelines.last)
        #expect(moved.epoch == first.epoch && listener.begun.count == 1)
        #expect(moved.host - first.host == .seconds(1))
    }
}
