import AudioCore
import Listening
import Peering
import Testing
import WireProtocol

/// Commands to a listener's loudspeakers, and those that pass through it to its broadcaster.
@Suite(.timeLimit(.minutes(5))) struct ListenerCommandTests {
    private func joined() -> ScriptedListener {
        var listener = ScriptedListener()
        listener.handle(.settings(ListenerSettings(role: .left)))
        listener.meet(1, name: "Attic")
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        return listener
    }

    private func said(_ listener: ScriptedListener) -> [ControlMessage] { listener.said[1]?.messages ?? [] }

    @Test func itTellsHowItIsSetOnceItTakesPart() {
        var listener = joined()
        let first = ControlMessage.settings(ListenerSettings(role: .left))
        #expect(said(listener).count { $0 == first } == 1)
        let next = ListenerSettings(volume: VolumeSetting(level: 40))
        listener.handle(.settings(next))
        listener.handle(.settings(next))
        #expect(said(listener).count { $0 == .settings(next) } == 1)
    }

    @Test func theBroadcasterSetsIt() {
        var listener = joined()
        let operation = ListenerOperation.volume(.step(-5))
        listener.say(WireEncoder.command(Command(.listeners(operation, of: .named("Shelf")))), 1)
        listener.say(WireEncoder.groupVolume(VolumeSetting(level: 30)), 1)
        #expect(listener.actions.contains { if case .set(operation) = $0 { true } else { false } })
        #expect(
            listener.actions.contains { if case .setGroupVolume(VolumeSetting(level: 30)) = $0 { true } else { false } }
        )
        // A command that is the broadcaster's alone means nothing here.
        listener.say(WireEncoder.command(Command(.programme(.pause))), 1)
        #expect(listener.actions.count { if case .set = $0 { true } else { false } } == 1)
    }

    /// Who commands it waits for its word, also where its limit leaves everything as it was.
    @Test func itSaysHowItIsSetAfterACommandThatChangesNothing() {
        var listener = joined()
        let settings = ListenerSettings(volume: VolumeSetting(level: 50))
        listener.handle(.settings(settings))
        let command = Command(.listeners(.volume(.level(100)), of: .named("Listener")))
        listener.say(WireEncoder.command(command), 1)
        listener.handle(.settings(settings))
        #expect(said(listener).count { $0 == .settings(settings) } == 2)
        listener.handle(.settings(settings))
        #expect(said(listener).count { $0 == .settings(settings) } == 2, "once for each command")
    }

    /// The broadcaster waits for it.
    @Test func itSaysThatItPlaysByTheGroupsVolume() {
        let volume = VolumeSetting(level: 30, isMuted: true)
        var listener = joined()
        listener.say(WireEncoder.groupVolume(volume), 1)
        #expect(said(listener).last == .groupVolume(volume))
        // A recorder has none.
        var recorder = ScriptedListener()
        recorder.meet(1, name: "Attic")
        recorder.wait(ListenLimits.choiceTime + .milliseconds(20))
        recorder.say(WireEncoder.groupVolume(volume), 1)
        #expect(!said(recorder).contains(.groupVolume(volume)))
    }

    @Test func anotherBroadcastBeginsWithTheGroupAtFullVolume() {
        var listener = joined()
        listener.say(WireEncoder.groupVolume(VolumeSetting(level: 30)), 1)
        listener.say(WireEncoder.broadcastEnd(BroadcastEnd(.stopped)), 1)
        listener.meet(2, name: "Cellar")
        listener.wait(ListenLimits.choiceTime + .milliseconds(20))
        let volumes = listener.actions.compactMap { if case .setGroupVolume(let volume) = $0 { volume } else { nil } }
        #expect(volumes.last == VolumeSetting())
    }

    @Test func itKnowsWhatPlaysNext() {
        var listener = joined()
        #expect(listener.session.nextTitle == nil)
        listener.say(WireEncoder.nextTitle("Pavane"), 1)
        #expect(listener.session.nextTitle == "Pavane")
        listener.say(WireEncoder.nextTitle(nil), 1)
        #expect(listener.session.nextTitle == nil)
        listener.say(WireEncoder.nextTitle("Gymnopédie"), 1)
        listener.say(WireEncoder.broadcastEnd(BroadcastEnd(.completed)), 1)
        #expect(listener.session.nextTitle == nil, "nothing follows the end")
    }

    @Test func itKnowsInWhichOrderItemsFollow() {
        var listener = joined()
        #expect(listener.session.modes == PlayModes())
        listener.say(WireEncoder.modes(PlayModes(repeats: .all, isShuffled: true)), 1)
        #expect(listener.session.modes == PlayModes(repeats: .all, isShuffled: true))
        listener.say(WireEncoder.broadcastEnd(BroadcastEnd(.stopped)), 1)
        #expect(listener.session.modes == nil)
    }

    @Test func itReportsAsRarelyAsItIsAsked() {
        for (asked, count) in [(TimeSpan?.none, 8...8), (.seconds(2), 2...2)] {
            var listener = joined()
            if let asked { listener.say(WireEncoder.reportInterval(asked), 1) }
            let before = said(listener).count { if case .report = $0 { true } else { false } }
            for _ in 0..<20 {
                listener.say(WireEncoder.keepAlive(), 1)
                listener.wait(.milliseconds(200))
            }
            let reports = said(listener).count { if case .report = $0 { true } else { false } } - before
            #expect(count.contains(reports), "\(reports) in 4 s")
        }
    }

    @Test func whoAsksHereIsAnsweredByTheBroadcaster() {
        var listener = joined()
        let command = Command(.programme(.pause))
        listener.handle(.ask(.command(command)))
        listener.handle(.ask(.follow))
        listener.handle(.ask(.queuePageRequest(QueuePageRequest(first: 0))))
        #expect(
            said(listener).suffix(3) == [
                .command(command), .follow, .queuePageRequest(QueuePageRequest(first: 0)),
            ])
        listener.handle(.ask(.unfollow))
        #expect(said(listener).last == .unfollow)
        let outcome = CommandOutcome(id: command.id, .refused(.nothingPlays))
        listener.say(WireEncoder.outcome(outcome), 1)
        #expect(listener.actions.contains { if case .answer(.outcome(outcome)) = $0 { true } else { false } })
    }

    @Test func whoFollowsHereIsToldOfTheEnd() {
        var listener = joined()
        let end = BroadcastEnd(.stopped, "the broadcaster stopped")
        listener.say(WireEncoder.broadcastEnd(end), 1)
        #expect(listener.actions.contains { if case .answer(.broadcastEnd(end)) = $0 { true } else { false } })
    }

    @Test func withoutABroadcastNobodyIsAsked() {
        var listener = ScriptedListener()
        listener.handle(.ask(.follow))
        #expect(listener.said.isEmpty && listener.session.broadcaster == nil)
    }
}
