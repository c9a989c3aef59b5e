import AudioCore
import Broadcasting
import Peering
import Testing
import WireProtocol

// Commands to listeners, and to all of them at once.
extension ControllerTests {
    @Test func aListenersVolumeIsItsOwn() throws {
        var broadcast = playing()
        for id in [1, 2] { broadcast.say(WireEncoder.settings(ListenerSettings()), id) }
        let command = Command(.listeners(.volume(.step(-5)), of: .named("Listener 2")))
        broadcast.say(WireEncoder.command(command), 3)
        #expect(messages(broadcast, 2).last == .command(command))
        #expect(!messages(broadcast, 1).contains(.command(command)))
        // The answer comes with the listener's, or in time.
        #expect(outcomes(broadcast, 3).isEmpty)
        broadcast.say(WireEncoder.settings(ListenerSettings(volume: VolumeSetting(level: 95))), 2)
        #expect(outcomes(broadcast, 3).count == 1 && refusal(broadcast) == nil)
        let effect = try #require(lastEffect(broadcast))
        #expect(effect > SessionTime(nanoseconds: broadcast.now.nanoseconds))
    }

    @Test func aListenerThatDoesNotSayHowItIsSetIsNotWaitedForLong() {
        var broadcast = playing { $0.access.household = "Home" }
        for id in [1, 2] { broadcast.say(WireEncoder.settings(ListenerSettings()), id) }
        ask(.listeners(.role(.left), of: .named("Listener 2")), &broadcast)
        ask(.listeners(.role(.left), of: .named("Listener 1")), &broadcast)
        broadcast.handle(.closed(ConnectionID(1)))
        broadcast.wait(.milliseconds(100))
        #expect(outcomes(broadcast, 3).count == 1)
        broadcast.wait(.milliseconds(500))
        #expect(outcomes(broadcast, 3).count == 2 && refusal(broadcast) == nil)
        #expect(outcomes(broadcast, 3).map(\.text) == ["", "no word from Listener 2 yet: see 'tutti status'"])
        // What changes nothing is answered at once.
        ask(.listeners(.offset(.zero), of: .named("Listener 2")), &broadcast)
        #expect(outcomes(broadcast, 3).count == 3)
    }

    @Test func aStepThatDoesMoreOrLessThanItSaysIsTold() {
        var broadcast = playing()
        func text(_ change: VolumeChange) -> String? {
            ask(.listeners(.volume(change), of: .all), &broadcast)
            return outcomes(broadcast, 3).last?.text
        }
        #expect(text(.step(5)) == "the volume of the group is 100 as it was")
        #expect(text(.step(-5)) == "" && text(.mute) == "")
        #expect(text(.step(5)) == "the group is not muted any more: its volume is 100")
        #expect(text(.level(100)) == "" && text(.step(0)) == "")
    }

    @Test func theGroupsVolumeIsSentToAllAndToThoseWhoComeLater() {
        var broadcast = playing()
        ask(.listeners(.volume(.level(40)), of: .all), &broadcast)
        ask(.listeners(.volume(.step(5)), of: .all), &broadcast)
        #expect(messages(broadcast, 1).last == .groupVolume(VolumeSetting(level: 45)))
        #expect(messages(broadcast, 2).last == .groupVolume(VolumeSetting(level: 45)))
        broadcast.join(4)
        #expect(messages(broadcast, 4).contains(.groupVolume(VolumeSetting(level: 45))))
    }

    /// Two that say when they play by the group's volume, as every listener does that has loudspeakers.
    private func playingWithConfirmations() -> ScriptedBroadcast {
        var broadcast = playing()
        for id in [1, 2] { broadcast.say(WireEncoder.groupVolume(VolumeSetting()), id) }
        return broadcast
    }

    @Test func theGroupsVolumeIsDoneOnceAllPlayByIt() throws {
        var broadcast = playingWithConfirmations()
        for (index, change) in [VolumeChange.level(40), .step(5), .mute].enumerated() {
            ask(.listeners(.volume(change), of: .all), &broadcast)
            let volume = broadcast.session.volume
            for id in [1, 2] {
                #expect(outcomes(broadcast, 3).count == index)
                #expect(messages(broadcast, id).last == .groupVolume(volume))
                broadcast.say(WireEncoder.groupVolume(volume), id)
            }
            #expect(outcomes(broadcast, 3).count == index + 1 && outcomes(broadcast, 3).last?.text == "")
        }
        let effect = try #require(lastEffect(broadcast))
        #expect(effect > SessionTime(nanoseconds: broadcast.now.nanoseconds))
    }

    @Test func whoDoesNotPlayByTheGroupsVolumeIsNamed() {
        var broadcast = playingWithConfirmations()
        ask(.listeners(.volume(.step(5)), of: .all), &broadcast)
        broadcast.say(WireEncoder.groupVolume(broadcast.session.volume), 1)
        broadcast.wait(.milliseconds(400))
        #expect(outcomes(broadcast, 3).isEmpty)
        broadcast.wait(.milliseconds(200))
        let word = "no word from Listener 2 yet: see 'tutti status'"
        #expect(outcomes(broadcast, 3).map(\.text) == ["the volume of the group is 100 as it was; " + word])
        // Its next word is for what it was sent before.
        ask(.listeners(.volume(.level(30)), of: .all), &broadcast)
        for id in [1, 2] { broadcast.say(WireEncoder.groupVolume(VolumeSetting(level: 30)), id) }
        #expect(outcomes(broadcast, 3).count == 1)
        broadcast.say(WireEncoder.groupVolume(VolumeSetting(level: 30)), 2)
        #expect(outcomes(broadcast, 3).map(\.text).last == "" && outcomes(broadcast, 3).count == 2)
    }

    /// How a listener is set is another matter, and one that is gone is not waited for.
    @Test func onlyTheirWordOnTheGroupsVolumeCounts() {
        var broadcast = playingWithConfirmations()
        ask(.listeners(.volume(.level(40)), of: .all), &broadcast)
        for id in [1, 2] { broadcast.say(WireEncoder.settings(ListenerSettings()), id) }
        #expect(outcomes(broadcast, 3).isEmpty)
        broadcast.say(WireEncoder.groupVolume(VolumeSetting(level: 40)), 1)
        broadcast.handle(.closed(ConnectionID(2)))
        broadcast.wait(.milliseconds(100))
        #expect(outcomes(broadcast, 3).map(\.text) == [""])
    }

    @Test func ofManySilentListenersAFewAreNamed() throws {
        var broadcast = playing()
        for id in 10..<30 {
            broadcast.join(id)
            broadcast.say(WireEncoder.groupVolume(VolumeSetting()), id)
        }
        ask(.listeners(.volume(.mute), of: .all), &broadcast)
        broadcast.wait(.milliseconds(600))
        let text = try #require(outcomes(broadcast, 3).last?.text)
        #expect(text.hasPrefix("no word from Listener 10, ") && text.hasSuffix(" and 15 more yet: see 'tutti status'"))
    }

    @Test func aListenerThatIsNotThereHasANearestName() {
        var broadcast = playing()
        broadcast.say(WireEncoder.settings(ListenerSettings()), 1)
        ask(.listeners(.volume(.mute), of: .named("Listner 1")), &broadcast)
        #expect(refusal(broadcast) == .noSuchListener(nearest: "Listener 1"))
        // One without loudspeakers has no volume.
        ask(.listeners(.volume(.mute), of: .named("Listener 2")), &broadcast)
        #expect(refusal(broadcast) == .listenerRecords)
    }

    @Test func caseDoesNotMatterUnlessItTellsListenersApart() {
        var broadcast = playing()
        broadcast.join(4, name: "LISTENER 1")
        for id in [1, 2, 4] { broadcast.say(WireEncoder.settings(ListenerSettings()), id) }
        func told(_ name: String) -> [Int] {
            let command = Command(.listeners(.volume(.mute), of: .named(name)))
            broadcast.say(WireEncoder.command(command), 3)
            return [1, 2, 4].filter { messages(broadcast, $0).last == .command(command) }
        }
        #expect(told("listener 2") == [2] && told("Listener 1") == [1] && told("LISTENER 1") == [4])
        #expect(told("listener 1") == [1, 4])
    }

    @Test func whatIsOutOfRangeIsRefused() {
        var broadcast = playing()
        broadcast.say(WireEncoder.settings(ListenerSettings()), 1)
        let operations: [ListenerOperation] = [
            .volume(.level(101)), .volume(.level(-1)), .volume(.step(.max)), .offset(.seconds(2)),
            .offset(.seconds(-2)),
            .role(.channel(0)),
        ]
        for operation in operations {
            ask(.listeners(operation, of: .named("Listener 1")), &broadcast)
            #expect(refusal(broadcast) == .outOfRange, "\(operation)")
        }
    }

    /// What its machine remembers of a listener, only that machine changes while there is no household.
    @Test(arguments: [ListenerOperation.offset(.milliseconds(1)), .role(.left)])
    func inOpenModeAListenerIsSetByItsOwnMachineAlone(operation: ListenerOperation) {
        var broadcast = playing()
        for id in [1, 2] { broadcast.say(WireEncoder.settings(ListenerSettings()), id) }
        ask(.listeners(operation, of: .named("Listener 2")), &broadcast)
        #expect(refusal(broadcast) == .onlyItself)
        // The broadcaster's own user may not, either; the listener itself, and a program of its machine may.
        broadcast.join(4, roles: .controller, direction: .local)
        ask(.listeners(operation, of: .named("Listener 2")), &broadcast, from: 4)
        #expect(refusal(broadcast, 4) == .onlyItself)
        broadcast.join(5, roles: .controller, key: Self.keys[2])
        for id in [2, 5] {
            let command = Command(.listeners(operation, of: .named("Listener 2")))
            broadcast.say(WireEncoder.command(command), id)
            #expect(messages(broadcast, 2).contains(.command(command)))
        }
        // Volumes are anybody's.
        ask(.listeners(.volume(.mute), of: .named("Listener 2")), &broadcast)
        broadcast.wait(.milliseconds(600))
        #expect(refusal(broadcast) == nil)
    }
}
