import AudioCore
import Broadcasting
import ClockSync
import NIOCore
import Peering
import Programmes
import SecureChannel
import Testing
import WireProtocol

/// Those who command a broadcast over a connection, and those who follow its programme.
@Suite(.timeLimit(.minutes(5))) struct ControllerTests {
    private static let keys = (0..<4).map { _ in PeerKeyPair.random().key }

    /// Two listeners that play, and a controller: connections 1, 2 and 3. In a household all are members.
    private func playing(_ configure: (inout BroadcastConfiguration) -> Void = { _ in }) -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast {
            $0.programme = ScriptedBroadcast.programme(["a", "b", "c"])
            configure(&$0)
        }
        broadcast.give(seconds: 10)
        for id in [1, 2] {
            broadcast.join(id, key: Self.keys[id], standing: .member)
            broadcast.report(.ready, id)
        }
        broadcast.join(3, roles: .controller, key: Self.keys[3], standing: .member)
        broadcast.wait(.milliseconds(400))
        return broadcast
    }

    private func messages(_ broadcast: ScriptedBroadcast, _ id: Int) -> [ControlMessage] {
        (broadcast.heard[id]?.messages ?? []).filter { $0 != .keepAlive }
    }

    private func outcomes(_ broadcast: ScriptedBroadcast, _ id: Int) -> [CommandOutcome] {
        messages(broadcast, id).compactMap { if case .outcome(let outcome) = $0 { outcome } else { nil } }
    }

    /// When the last one takes effect; nil if it was refused.
    private func lastEffect(_ broadcast: ScriptedBroadcast) -> SessionTime? {
        if case .done(_, let effect)? = outcomes(broadcast, 3).last?.verdict { effect } else { nil }
    }

    /// What a follower makes of all that it was sent; nil if a change was missing.
    private func followed(_ broadcast: ScriptedBroadcast, _ id: Int) -> ProgrammeState? {
        var state: ProgrammeState?
        for message in messages(broadcast, id) {
            switch message {
            case .programmeState(let whole): state = whole
            case .programmeChange(let change): guard state?.apply(change) == true else { return nil }
            default: break
            }
        }
        return state
    }

    private func ask(_ operation: CommandOperation, _ broadcast: inout ScriptedBroadcast, from id: Int = 3) {
        broadcast.say(WireEncoder.command(Command(operation)), id)
    }

    private func refusal(_ broadcast: ScriptedBroadcast, _ id: Int = 3) -> CommandRefusal? {
        if case .refused(let refusal)? = outcomes(broadcast, id).last?.verdict { refusal } else { nil }
    }

    // MARK: Commands

    @Test func aCommandFromAConnectionIsHeardByAllAtOnce() throws {
        var broadcast = playing()
        let now = SessionTime(nanoseconds: broadcast.now.nanoseconds)
        ask(.programme(.pause), &broadcast)
        // At once, not with the next tick.
        let cuts = [1, 2].map { broadcast.heard[$0]?.cuts.last?.frame }
        #expect(cuts[0] != nil && cuts[0] == cuts[1])
        let outcome = try #require(outcomes(broadcast, 3).last)
        guard case .done(let number, let effect) = outcome.verdict else { Issue.record("\(outcome)"); return }
        #expect(number == 1 && outcome.sent == now)
        #expect(effect > now && effect - now <= .milliseconds(300))
        #expect(broadcast.heard[3]?.packets.isEmpty == true && broadcast.heard[3]?.anchor == nil)
        #expect(broadcast.keys.count == 2, "a controller has no clock")
    }

    @Test func aListenerCommandsToo() {
        var broadcast = playing()
        ask(.programme(.pause), &broadcast, from: 1)
        #expect(outcomes(broadcast, 1).count == 1 && broadcast.session.transport == .paused)
    }

    @Test func aCommandThatComesTwiceActsOnceAndIsAnsweredTwice() {
        var broadcast = playing()
        let command = WireEncoder.command(Command(.programme(.toggle)))
        broadcast.say(command, 3)
        broadcast.say(command, 1)
        #expect(broadcast.session.transport == .paused)
        #expect(outcomes(broadcast, 3).map(\.verdict) == outcomes(broadcast, 1).map(\.verdict))
    }

    /// While the song is being opened the connection breaks, and whoever asked asks again.
    @Test func aCommandAskedAgainOverAnotherConnectionIsAnsweredThere() {
        var broadcast = playing()
        let command = WireEncoder.command(Command(.programme(.jump(to: .position(2)))))
        broadcast.say(command, 3)
        broadcast.handle(.closed(ConnectionID(3)))
        broadcast.join(4, roles: .controller, key: Self.keys[3], standing: .member)
        broadcast.say(command, 4)
        #expect(outcomes(broadcast, 3).isEmpty && outcomes(broadcast, 4).isEmpty)
        broadcast.give(seconds: 10, of: Epoch(2))
        broadcast.wait(.milliseconds(400))
        #expect(outcomes(broadcast, 4).count == 1 && refusal(broadcast, 4) == nil)
    }

    /// What comes of the first is not known when one more comes than may wait, and it is not told as done.
    @Test func ofTooManyWaitingCommandsTheFirstIsToldThatThereIsNoWordYet() throws {
        var broadcast = playing()
        for _ in 0..<64 { ask(.programme(.jump(to: .position(2))), &broadcast) }
        #expect(outcomes(broadcast, 3).isEmpty)
        ask(.programme(.jump(to: .position(2))), &broadcast)
        let word = "no word yet whether that is heard: see 'tutti status'"
        #expect(outcomes(broadcast, 3).map(\.text) == [word])
        broadcast.give(seconds: 10, of: try #require(broadcast.opened.last?.epoch))
        broadcast.wait(.milliseconds(400))
        #expect(outcomes(broadcast, 3).map(\.text) == [word] + Array(repeating: "", count: 64))
        #expect(refusal(broadcast) == nil)
    }

    @Test func ofTooManyCommandsThatWaitForAListenerTheFirstNamesIt() {
        var broadcast = playing()
        broadcast.say(WireEncoder.settings(ListenerSettings()), 2)
        for level in 0...64 { ask(.listeners(.volume(.level(level)), of: .named("Listener 2")), &broadcast) }
        #expect(outcomes(broadcast, 3).map(\.text) == ["no word from Listener 2 yet: see 'tutti status'"])
        broadcast.say(WireEncoder.settings(ListenerSettings(volume: VolumeSetting(level: 64))), 2)
        #expect(outcomes(broadcast, 3).count == 65 && outcomes(broadcast, 3).last?.text == "")
    }

    /// Another peer that learned the command's number gets nothing by it.
    @Test func aPendingCommandIsAnsweredToThePeerThatAsked() {
        var broadcast = playing()
        broadcast.join(4, roles: .controller, key: PeerKeyPair.random().key)
        broadcast.join(5, roles: .controller, key: PeerKeyPair.random().key)
        let command = WireEncoder.command(Command(.programme(.jump(to: .position(2)))))
        broadcast.say(command, 4)
        broadcast.say(command, 5)
        broadcast.give(seconds: 10, of: Epoch(2))
        broadcast.wait(.milliseconds(400))
        #expect(outcomes(broadcast, 4).count == 1 && outcomes(broadcast, 5).isEmpty)
    }

    /// A stranger that states a listener's number is shown beside it, and takes nothing from it when it goes.
    @Test func listenersThatStateOneNumberAreShownAsTwo() throws {
        var broadcast = playing()
        broadcast.say(WireEncoder.follow(), 3)
        broadcast.join(4, name: "Shelf", instance: 1, key: PeerKeyPair.random().key)
        broadcast.report(.ready, 4)
        broadcast.wait(.milliseconds(600), draining: 3)
        let shown = try #require(followed(broadcast, 3)).listeners
        #expect(shown.map(\.name).sorted() == ["Listener 1", "Listener 2", "Shelf"])
        broadcast.handle(.closed(ConnectionID(4)))
        broadcast.wait(.milliseconds(600), draining: 3)
        let left = try #require(followed(broadcast, 3)).listeners
        #expect(left.map(\.name) == ["Listener 1", "Listener 2"])
    }

    @Test func aFloodIsRefusedAndTheOthersAreNot() {
        var broadcast = playing()
        for _ in 0..<10_000 { ask(.programme(.setShuffle(true)), &broadcast) }
        let refused = outcomes(broadcast, 3).count { $0.verdict == .refused(.tooManyCommands) }
        #expect(refused == 10_000 - ProgrammeLimits.commandBurst)
        ask(.programme(.pause), &broadcast, from: 2)
        #expect(broadcast.session.transport == .paused)
    }

    @Test func whatTheOwnUserAsksForIsNotCounted() {
        var broadcast = playing()
        broadcast.join(4, roles: .controller, direction: .local)
        for _ in 0..<1_000 { ask(.programme(.setShuffle(true)), &broadcast, from: 4) }
        #expect(outcomes(broadcast, 4).count == 1_000 && refusal(broadcast, 4) == nil)
    }

    @Test func onlyThisMachinesUserNamesFiles() {
        let file = CommandOperation.programme(.add([.file("/etc/passwd")]))
        let web = CommandOperation.programme(.add(WebAddress("http://example.com/a.mp3").map { [.web($0)] } ?? []))
        var closed = playing()
        for operation in [file, web] {
            ask(operation, &closed)
            #expect(refusal(closed) == .notAllowed)
        }
        var open = playing { $0.acceptsSongs = true }
        ask(file, &open)
        #expect(refusal(open) == .notAllowed)
        ask(web, &open)
        #expect(refusal(open) == nil && open.session.songCount == 4)
        #expect(open.notices.contains { if case .songsAdded("Listener 3", _, 1) = $0 { true } else { false } })
        // The same from a program of the broadcaster's own user.
        closed.join(4, roles: .controller, direction: .local)
        ask(file, &closed, from: 4)
        #expect(refusal(closed, 4) == nil && closed.session.songCount == 4)
        #expect(!closed.notices.contains { if case .songsAdded = $0 { true } else { false } })
    }

    @Test func thereIsRoomForSoManyControllers() {
        var broadcast = playing()
        for id in 1_000..<1_000 + BroadcastLimits.controllerCount { broadcast.join(id, roles: .controller) }
        #expect(broadcast.closed == [999 + BroadcastLimits.controllerCount])
    }

    // MARK: Listeners

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

    // MARK: Who may

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

    @Test func commandsCanBeLeftToNobodyElse() {
        var broadcast = playing { $0.access.allow(.command, for: .nobody) }
        #expect(broadcast.closed == [3])
        ask(.programme(.pause), &broadcast, from: 1)
        #expect(refusal(broadcast, 1) == .notAllowed)
        broadcast.join(4, roles: .controller, direction: .local)
        ask(.programme(.pause), &broadcast, from: 4)
        #expect(refusal(broadcast, 4) == nil)
    }

    @Test(arguments: [(true, CommandRefusal.liveCannotSeek), (false, .cannotSeek)])
    func aSourceThatCannotSeekIsNoLiveOne(isLive: Bool, expected: CommandRefusal) {
        var broadcast = playing()
        broadcast.source(.opened(isLive: isLive, isSeekable: false))
        for operation in [ProgrammeOperation.seek(to: .seconds(1)), .skip(by: .seconds(1))] {
            ask(.programme(operation), &broadcast)
            #expect(refusal(broadcast) == expected)
        }
    }

    // MARK: What plays next

    private func nextTitles(_ broadcast: ScriptedBroadcast, _ id: Int) -> [String?] {
        messages(broadcast, id).compactMap { if case .nextTitle(let title) = $0 { .some(title) } else { nil } }
    }

    @Test func listenersAreToldWhatPlaysNextWhenTheyJoinAndWhenItChanges() {
        var broadcast = playing()
        #expect(nextTitles(broadcast, 1) == ["b"])
        ask(.programme(.remove(.position(1))), &broadcast)
        #expect(nextTitles(broadcast, 1) == ["b", "c"] && nextTitles(broadcast, 2) == ["b", "c"])
        broadcast.join(4)
        broadcast.wait(.milliseconds(100))
        #expect(nextTitles(broadcast, 4) == ["c"])
        ask(.programme(.remove(.position(1))), &broadcast)
        #expect(nextTitles(broadcast, 1).last == .some(nil))
        broadcast.join(5)
        broadcast.wait(.milliseconds(100))
        #expect(nextTitles(broadcast, 5).isEmpty && nextTitles(broadcast, 3).isEmpty)
    }

    @Test func listenersAreToldTheOrderWhenTheyJoinAndWhenItChanges() {
        func modes(_ broadcast: ScriptedBroadcast, _ id: Int) -> [PlayModes] {
            messages(broadcast, id).compactMap { if case .modes(let modes) = $0 { modes } else { nil } }
        }
        var broadcast = playing()
        #expect(modes(broadcast, 1) == [], "the usual order is not told")
        ask(.programme(.setRepeat(.all)), &broadcast)
        ask(.programme(.setRepeat(.all)), &broadcast)
        #expect(modes(broadcast, 1) == [PlayModes(repeats: .all)] && modes(broadcast, 2) == [PlayModes(repeats: .all)])
        broadcast.join(4)
        broadcast.wait(.milliseconds(100))
        #expect(modes(broadcast, 4) == [PlayModes(repeats: .all)] && modes(broadcast, 3) == [])
        ask(.programme(.setRepeat(.off)), &broadcast)
        #expect(modes(broadcast, 4).last == PlayModes())
    }

    // MARK: Following

    @Test func aFollowerIsSentTheStateOnceAndThenEachChange() throws {
        var broadcast = playing()
        broadcast.say(WireEncoder.follow(), 3)
        let first = try #require(followed(broadcast, 3))
        #expect(first.status.transport == .playing && first.status.current?.title == "Song")
        #expect(first.status.next?.title == "b" && first.itemCount == 3)
        #expect(first.listeners.map(\.name) == ["Listener 1", "Listener 2"])
        broadcast.wait(.milliseconds(100), draining: 3)
        let told = messages(broadcast, 3)
        broadcast.wait(.seconds(1), draining: 3)
        #expect(messages(broadcast, 3) == told, "nothing is sent while all goes on as expected")

        ask(.programme(.pause), &broadcast)
        ask(.listeners(.volume(.level(30)), of: .all), &broadcast)
        ask(.programme(.setRepeat(.all)), &broadcast)
        ask(.programme(.remove(.position(2))), &broadcast)
        broadcast.say(WireEncoder.settings(ListenerSettings(role: .left)), 2)
        broadcast.wait(.milliseconds(100), draining: 3)
        let state = try #require(followed(broadcast, 3))
        #expect(state.status.transport == .paused && state.status.position?.framesPerSecond == nil)
        #expect(state.volume.level == 30 && state.modes.repeats == .all && state.itemCount == 2)
        #expect(state.listeners.last?.settings?.role == .left)
        broadcast.handle(.closed(ConnectionID(2)))
        broadcast.wait(.milliseconds(100), draining: 3)
        #expect(followed(broadcast, 3)?.listeners.map(\.name) == ["Listener 1"])
    }

    /// As `tutti peers` does: nobody is told of it.
    @Test func whoAsksWhatPlaysComesAndGoesUnnoticed() throws {
        var broadcast = playing()
        let told = broadcast.notices
        broadcast.join(4, roles: .controller)
        broadcast.say(WireEncoder.follow(), 4)
        #expect(followed(broadcast, 4)?.status.current?.title == "Song")
        broadcast.handle(.closed(ConnectionID(4)))
        broadcast.wait(.milliseconds(100))
        #expect(broadcast.notices == told)
    }

    @Test func aFollowerWhoComesLaterAgreesWithTheFirst() throws {
        var broadcast = playing()
        broadcast.join(4, roles: .controller)
        broadcast.say(WireEncoder.follow(), 3)
        ask(.programme(.setShuffle(true)), &broadcast)
        ask(.programme(.next), &broadcast)
        broadcast.say(WireEncoder.follow(), 4)
        ask(.programme(.clear), &broadcast)
        broadcast.wait(.milliseconds(100), draining: 3)
        var (first, second) = (try #require(followed(broadcast, 3)), try #require(followed(broadcast, 4)))
        (first.sent, second.sent) = (SessionTime(nanoseconds: 0), SessionTime(nanoseconds: 0))
        #expect(first == second && first.itemCount == 0 && first.status.transport == .idle)
    }

    @Test func whoFollowsNoLongerIsToldNoMore() {
        var broadcast = playing()
        broadcast.say(WireEncoder.follow(), 3)
        broadcast.say(WireEncoder.unfollow(), 3)
        let told = messages(broadcast, 3)
        ask(.programme(.setShuffle(true)), &broadcast, from: 2)
        broadcast.wait(.milliseconds(100), draining: 3)
        #expect(messages(broadcast, 3) == told)
        // Nor does a page of the queue begin it again.
        broadcast.say(WireEncoder.queuePageRequest(QueuePageRequest(first: 0)), 3)
        ask(.programme(.setShuffle(false)), &broadcast, from: 2)
        broadcast.wait(.milliseconds(100), draining: 3)
        #expect(messages(broadcast, 3).count == told.count + 1)
    }

    @Test func thePositionOfAPausedSongIsWhereItGoesOn() throws {
        var broadcast = playing()
        broadcast.wait(.seconds(1))
        broadcast.say(WireEncoder.follow(), 3)
        ask(.programme(.pause), &broadcast)
        let position = try #require(followed(broadcast, 3)?.status.position)
        #expect(position.frame == broadcast.heard[1]?.cuts.last?.frame)
    }

    @Test func theQueueComesInPages() throws {
        var broadcast = playing { $0.programme = ScriptedBroadcast.programme((0..<600).map { "song \($0)" }) }
        var items: [QueueItem] = []
        for _ in 0..<3 {
            broadcast.say(WireEncoder.queuePageRequest(QueuePageRequest(first: items.count)), 3)
            guard case .queuePage(let page)? = messages(broadcast, 3).last else { Issue.record("no page"); return }
            items += page.items
        }
        #expect(items.count == 600 && items.last?.title == "song 599")
    }

    @Test func whoAsksAndDoesNotReadIsDropped() {
        var broadcast = playing { $0.programme = ScriptedBroadcast.programme((0..<600).map { "a long title \($0)" }) }
        for _ in 0..<100 {
            broadcast.say(WireEncoder.queuePageRequest(QueuePageRequest(first: 0)), 3)
        }
        #expect(broadcast.closed == [3])
    }

    @Test func aStrangerIsToldNothing() {
        var broadcast = playing()
        broadcast.open(5, .accepted)
        broadcast.say(WireEncoder.command(Command(.programme(.pause))), 5)
        #expect(broadcast.session.transport == .playing)
    }

    @Test func controllersAreToldOfTheEnd() {
        var broadcast = playing()
        broadcast.handle(.stop)
        #expect(messages(broadcast, 3).last == .broadcastEnd(BroadcastEnd(.stopped, "the broadcaster stopped")))
    }
}
