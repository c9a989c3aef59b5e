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
    static let keys = (0..<4).map { _ in PeerKeyPair.random().key }

    /// Two listeners that play, and a controller: connections 1, 2 and 3. In a household all are members.
    func playing(_ configure: (inout BroadcastConfiguration) -> Void = { _ in }) -> ScriptedBroadcast {
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

    func messages(_ broadcast: ScriptedBroadcast, _ id: Int) -> [ControlMessage] {
        (broadcast.heard[id]?.messages ?? []).filter { $0 != .keepAlive }
    }

    func outcomes(_ broadcast: ScriptedBroadcast, _ id: Int) -> [CommandOutcome] {
        messages(broadcast, id).compactMap { if case .outcome(let outcome) = $0 { outcome } else { nil } }
    }

    /// When the last one takes effect; nil if it was refused.
    func lastEffect(_ broadcast: ScriptedBroadcast) -> SessionTime? {
        if case .done(_, let effect)? = outcomes(broadcast, 3).last?.verdict { effect } else { nil }
    }

    /// What a follower makes of all that it was sent; nil if a change was missing.
    func followed(_ broadcast: ScriptedBroadcast, _ id: Int) -> ProgrammeState? {
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

    func ask(_ operation: CommandOperation, _ broadcast: inout ScriptedBroadcast, from id: Int = 3) {
        broadcast.say(WireEncoder.command(Command(operation)), id)
    }

    func refusal(_ broadcast: ScriptedBroadcast, _ id: Int = 3) -> CommandRefusal? {
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
}
