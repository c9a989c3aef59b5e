import AudioCore
import Controlling
import NIOCore
import Peering
import SecureChannel
import Testing
import WireProtocol

/// What a controller and a broadcaster say to each other.
@Suite(.timeLimit(.minutes(5))) struct ControlSessionTests {
    private static let pause = ControlRequest.command(Command(.programme(.pause)))

    private func done(after lead: TimeSpan) -> CommandOutcome.Verdict {
        .done(number: 1, effect: SessionTime(nanoseconds: 0) + lead)
    }

    private func talking(_ requests: [ControlRequest]) -> ControlScene {
        var scene = ControlScene(.any, requests)
        scene.open(1, .ownBroadcast, "Den")
        scene.handle(.calledLocalPrograms)
        return scene
    }

    @Test func itEndsWhenTheCommandHasTakenEffect() {
        var scene = talking([Self.pause])
        scene.answer(done(after: .milliseconds(80)))
        scene.wait(.milliseconds(75))
        #expect(scene.ending == nil)
        scene.wait(.milliseconds(10))
        #expect(scene.ending == .done && scene.closed == [1])
    }

    @Test func anEffectThatIsFarAwayIsNotWaitedFor() {
        var scene = talking([Self.pause])
        scene.answer(done(after: .seconds(1_000_000)))
        scene.wait(ControlLimits.longestLead + .milliseconds(5))
        #expect(scene.ending == .done)
    }

    @Test func commandsFollowOneAnother() {
        var scene = talking([Self.pause, .command(Command(.programme(.next)))])
        #expect(scene.sent[1]?.count { if case .command = $0 { true } else { false } } == 1)
        scene.answer(done(after: .zero))
        #expect(scene.sent[1]?.count { if case .command = $0 { true } else { false } } == 2)
        scene.answer(done(after: .zero))
        #expect(scene.ending == .done)
    }

    @Test func aRefusalEndsIt() {
        var scene = talking([Self.pause, Self.pause])
        scene.answer(.refused(.nothingPlays))
        #expect(scene.ending == .refused(by: "Den", .nothingPlays))
    }

    @Test func aCommandThatWasOneTooManyIsSentAgain() {
        var scene = talking([Self.pause])
        scene.answer(.refused(.tooManyCommands))
        #expect(scene.ending == nil)
        scene.wait(ControlLimits.retryTime)
        let commands = scene.sent[1]?.filter { if case .command = $0 { true } else { false } } ?? []
        #expect(commands.count == 2 && Set(commands).count == 1)
        scene.answer(done(after: .zero))
        #expect(scene.ending == .done)
    }

    @Test func oneThatDoesNotAnswerIsNotWaitedFor() {
        var scene = talking([Self.pause])
        scene.wait(ControlLimits.answerTime + .milliseconds(10))
        #expect(scene.ending == .timedOut("Den"))
    }

    @Test func theOutcomeOfSomebodyElsesCommandIsNotOurs() {
        var scene = talking([Self.pause])
        scene.say(WireEncoder.outcome(CommandOutcome(id: .random(), .refused(.notAllowed))))
        #expect(scene.ending == nil)
    }

    private let state = ProgrammeState(
        sequence: 7, sent: SessionTime(nanoseconds: 0), status: TransportStatus(.playing), itemCount: 300)

    @Test func theStateOnce() {
        var scene = talking([.state])
        #expect(scene.sent[1]?.last == .follow)
        scene.say(WireEncoder.programmeState(state))
        #expect(scene.answers.last == .state(state, nil) && scene.ending == .done)
    }

    @Test func changesUntilSomebodyEndsIt() {
        var scene = talking([.changes])
        scene.say(WireEncoder.programmeState(state))
        let change = ProgrammeChange(
            sequence: 8, effect: SessionTime(nanoseconds: 0), .volume(VolumeSetting(level: 3)))
        scene.say(WireEncoder.programmeChange(change))
        var next = state
        let isNext = next.apply(change)
        #expect(isNext)
        #expect(scene.answers.last == .state(next, change) && scene.ending == nil)
        // What was missed makes it ask for the whole again.
        scene.say(WireEncoder.programmeChange(ProgrammeChange(sequence: 11, effect: change.effect, change.kind)))
        #expect(scene.sent[1]?.last == .follow && scene.answers.last == .state(next, change))
        scene.say(WireEncoder.programmeState(state))
        #expect(scene.answers.last == .state(state, nil))
        scene.say(WireEncoder.broadcastEnd(BroadcastEnd(.stopped)))
        #expect(scene.ending == .ended("Den", BroadcastEnd(.stopped)))
    }

    // MARK: A follower that asks for more

    private func following() -> ControlScene {
        var scene = talking([.changes])
        scene.say(WireEncoder.programmeState(state))
        return scene
    }

    @Test func aFollowerTakesFurtherRequests() {
        var scene = following()
        #expect(scene.session.isFollowing)
        let (first, second) = (Command(.programme(.pause)), Command(.programme(.next)))
        for command in [first, second] { scene.handle(.request(.command(command))) }
        scene.wait(.milliseconds(5))
        #expect(scene.sent[1]?.last == .command(first))
        // A change that comes before the answer is told of; the effect is not waited for.
        let change = ProgrammeChange(
            sequence: 8, effect: SessionTime(nanoseconds: 0), .volume(VolumeSetting(level: 3)))
        scene.say(WireEncoder.programmeChange(change))
        scene.answer(done(after: .seconds(1)))
        #expect(scene.sent[1]?.last == .command(second))
        scene.answer(done(after: .zero))
        scene.wait(.seconds(1))
        #expect(scene.ending == nil && scene.answers.count == 5)
    }

    @Test func aFollowerOutlivesWhatFails() {
        var scene = following()
        scene.handle(.request(Self.pause))
        scene.handle(.request(.command(Command(.programme(.remove(.position(3)))))))
        scene.handle(.request(.send(path: "/song", position: nil)))
        scene.wait(.milliseconds(5))
        scene.answer(.refused(.nothingPlays))
        scene.say(WireEncoder.queuePage(QueuePage(sequence: 0, itemCount: 0, first: 0, items: [])))
        scene.handle(.songFailed("gone"))
        scene.wait(.milliseconds(100))
        #expect(scene.answers.last == .sending(fileCount: 0))
        let failures = scene.answers.compactMap { if case .failed(let ending) = $0 { ending } else { nil } }
        #expect(
            Set(failures) == [
                .refused(by: "Den", .nothingPlays), .refused(by: "Den", .noSuchItem),
                .unreadable(path: "/song", "gone"),
            ])
        #expect(scene.ending == nil)
    }

    @Test func aStateThatWasAskedForAgainEndsNoRequest() {
        var scene = following()
        scene.handle(.request(Self.pause))
        scene.wait(.milliseconds(5))
        scene.say(WireEncoder.programmeState(state))
        scene.answer(done(after: .zero))
        scene.handle(.request(.queue))
        scene.wait(.milliseconds(5))
        #expect(scene.sent[1]?.last == .queuePageRequest(QueuePageRequest(first: 0)))
        // What takes long is no reason to end.
        scene.wait(ControlLimits.answerTime)
        #expect(scene.answers.last == .failed(.timedOut("Den")) && scene.ending == nil)
    }

    /// A song is opened first, which takes longer than an answer may.
    @Test func aLateOutcomeIsTold() {
        var scene = following()
        scene.handle(.request(Self.pause))
        scene.handle(.request(.queue))
        scene.wait(.milliseconds(5))
        guard case .command(let command)? = scene.sent[1]?.last else { Issue.record("no command"); return }
        scene.wait(ControlLimits.answerTime + .milliseconds(5))
        #expect(scene.sent[1]?.last == .queuePageRequest(QueuePageRequest(first: 0)))
        #expect(!scene.answers.contains { if case .failed = $0 { true } else { false } })
        scene.say(WireEncoder.outcome(CommandOutcome(id: command.id, .refused(.unplayable))))
        #expect(scene.answers.last == .failed(.refused(by: "Den", .unplayable)))
    }

    /// Songs of one command stay in their order, and what follows them waits for all.
    @Test func songsOfOneCommandStayTogether() {
        var scene = ControlScene(.any, [.changes])
        scene.open(1, .ownListener, "Den")
        scene.handle(.calledLocalPrograms)
        scene.say(WireEncoder.programmeState(state))
        let address = WebAddress("http://example.org/b.mp3")
        let sources: [ItemSource] = [.file("/a.mp3")] + (address.map { [.web($0)] } ?? [])
        let jump = Command(.programme(.next))
        scene.handle(.request(.command(Command(.programme(.add(sources))))))
        scene.handle(.request(.ifDone(jump)))
        scene.wait(.milliseconds(10))
        #expect(
            scene.opened == ["/a.mp3"]
                && !(scene.sent[1] ?? []).contains { if case .command = $0 { true } else { false } })
        scene.handle(.songOpened(name: "a.mp3", byteCount: 100))
        guard case .songOffer(let offer)? = scene.sent[1]?.last else { Issue.record("no offer"); return }
        scene.say(WireEncoder.outcome(CommandOutcome(id: offer.id, done(after: .zero))))
        guard case .command(let added)? = scene.sent[1]?.last else { Issue.record("no address"); return }
        #expect(added.operation == .programme(.add(sources.suffix(1).map(\.self))))
        scene.answer(done(after: .zero))
        #expect(scene.sent[1]?.last == .command(jump))
    }

    /// The broadcast would wait for the rest of it.
    @Test func aSongGivenUpHalfWayEndsTheSession() {
        var scene = following()
        scene.handle(.request(.send(path: "/song", position: nil)))
        scene.wait(.milliseconds(5))
        scene.handle(.songOpened(name: "song", byteCount: 100))
        scene.handle(.songFailed("gone"))
        #expect(scene.ending == .unreadable(path: "/song", "gone") && scene.closed == [1])
    }

    @Test func aQueueThatShrinksBetweenPagesEnds() {
        var scene = talking([.queue])
        let items = [QueueItem](repeating: QueueItem(id: ItemID(1), title: "a"), count: 256)
        scene.say(WireEncoder.queuePage(QueuePage(sequence: 0, itemCount: 300, first: 0, items: items)))
        scene.say(WireEncoder.queuePage(QueuePage(sequence: 1, itemCount: 0, first: 0, items: [])))
        #expect(scene.ending == .done)
    }

    @Test func onePageOfAQueueIsNotFollowedByOthers() {
        var scene = following()
        let items = [QueueItem](repeating: QueueItem(id: ItemID(1), title: "a"), count: 10)
        scene.handle(.request(.queuePage(QueuePageRequest(first: 20, count: 10))))
        scene.handle(.request(Self.pause))
        #expect(scene.sent[1]?.last == .queuePageRequest(QueuePageRequest(first: 20, count: 10)))
        scene.say(WireEncoder.queuePage(QueuePage(sequence: 0, itemCount: 300, first: 20, items: items)))
        #expect(scene.answers.last == .page(QueuePage(sequence: 0, itemCount: 300, first: 20, items: items)))
        #expect(scene.sent[1]?.contains { if case .command = $0 { true } else { false } } == true)
    }

    @Test func withoutAStateNobodyFollows() {
        var scene = talking([.changes])
        scene.wait(ControlLimits.answerTime + .milliseconds(10))
        #expect(scene.ending == .timedOut("Den"))
    }

    @Test func whatDependsOnARequestIsAskedForIfThatWasDone() {
        for (verdict, count) in [(done(after: .zero), 2), (.refused(.notAllowed), 1)] {
            var scene = following()
            let jump = Command(.programme(.next))
            scene.handle(.request(Self.pause))
            scene.handle(.request(.ifDone(jump)))
            scene.handle(.request(.queue))
            scene.wait(.milliseconds(5))
            scene.answer(verdict)
            if count == 2 {
                #expect(scene.sent[1]?.last == .command(jump))
                scene.answer(done(after: .zero))
            }
            #expect(scene.sent[1]?.last == .queuePageRequest(QueuePageRequest(first: 0)))
        }
    }

    /// A song over a slow link, and a command meanwhile.
    @Test func commandsDoNotWaitForSongs() {
        var scene = following()
        let jump = Command(.programme(.next))
        scene.handle(.request(.send(path: "/song", position: nil)))
        scene.handle(.request(.ifDone(jump)))
        scene.handle(.request(Self.pause))
        scene.wait(.milliseconds(5))
        #expect(scene.answers.last == .sending(fileCount: 1))
        scene.handle(.songOpened(name: "song", byteCount: 100))
        guard case .songOffer(let offer)? = scene.sent[1]?.last else { Issue.record("no offer"); return }
        let commands = scene.sent[1]?.count { if case .command = $0 { true } else { false } }
        #expect(commands == 1, "the pause was sent, and the jump waits for the song")
        scene.say(WireEncoder.outcome(CommandOutcome(id: offer.id, done(after: .zero))))
        #expect(scene.sent[1]?.last == .command(jump))
        scene.wait(.milliseconds(5))
        #expect(scene.answers.last == .sending(fileCount: 0))
    }

    /// What is asked for before a broadcast was found comes behind the rest.
    @Test func requestsMayComeBeforeTheConnection() {
        var scene = ControlScene(.any, [.state])
        let command = Command(.programme(.pause))
        scene.handle(.request(.command(command)))
        scene.open(1, .ownBroadcast, "Den")
        scene.handle(.calledLocalPrograms)
        scene.say(WireEncoder.programmeState(state))
        #expect(scene.sent[1]?.last == .command(command))
        scene.answer(done(after: .zero))
        #expect(scene.ending == .done)
    }

    @Test func theQueuePageByPage() {
        var scene = talking([.queue])
        let item = QueueItem(id: ItemID(1), title: "a")
        for (first, count) in [(0, 256), (256, 44)] {
            #expect(scene.sent[1]?.last == .queuePageRequest(QueuePageRequest(first: first)))
            let items = [QueueItem](repeating: item, count: count)
            scene.say(WireEncoder.queuePage(QueuePage(sequence: 0, itemCount: 300, first: first, items: items)))
        }
        #expect(scene.ending == .done)
    }

    @Test func anEmptyPageEndsTheQueue() {
        var scene = talking([.queue])
        scene.say(WireEncoder.queuePage(QueuePage(sequence: 0, itemCount: 300, first: 0, items: [])))
        #expect(scene.ending == .done)
    }

    @Test(arguments: [
        (ProgrammeOperation.remove(.position(3)), ProgrammeOperation.remove(.id(ItemID(9)))),
        (.jump(to: .position(3)), .jump(to: .id(ItemID(9)))),
        (.move(.position(3), to: 1), .move(.id(ItemID(9)), to: 1)),
    ])
    func anItemIsNamedByItsID(asked: ProgrammeOperation, sent: ProgrammeOperation) {
        let command = Command(.programme(asked))
        var scene = talking([.command(command)])
        #expect(scene.sent[1]?.last == .queuePageRequest(QueuePageRequest(first: 3, count: 1)))
        let item = QueueItem(id: ItemID(9), title: "a")
        // A page that somebody else asked for.
        scene.say(WireEncoder.queuePage(QueuePage(sequence: 0, itemCount: 5, first: 0, items: [item])))
        #expect(scene.sent[1]?.last == .queuePageRequest(QueuePageRequest(first: 3, count: 1)))
        scene.say(WireEncoder.queuePage(QueuePage(sequence: 0, itemCount: 5, first: 3, items: [item])))
        #expect(scene.sent[1]?.last == .command(Command(id: command.id, .programme(sent))))
        scene.answer(done(after: .zero))
        #expect(scene.ending == .done)
    }

    @Test func anItemBehindTheQueuesEndIsNotThere() {
        var scene = talking([.command(Command(.programme(.remove(.position(3)))))])
        scene.say(WireEncoder.queuePage(QueuePage(sequence: 0, itemCount: 2, first: 2, items: [])))
        #expect(scene.ending == .refused(by: "Den", .noSuchItem))
        var unanswered = talking([.command(Command(.programme(.remove(.position(3)))))])
        unanswered.wait(ControlLimits.answerTime + .milliseconds(10))
        #expect(unanswered.ending == .timedOut("Den"))
    }

    // MARK: Songs of this machine

    private static let songs = ControlRequest.command(
        Command(.programme(.insert([.file("/a/b.mp3"), .file("/c.mp3")], at: 4))))

    @Test func theOwnBroadcasterOpensFilesItself() {
        let scene = talking([Self.songs])
        #expect(scene.opened.isEmpty)
        guard case .command(let command)? = scene.sent[1]?.last else { Issue.record("no command"); return }
        #expect(Self.songs == .command(command))
    }

    private func sending() -> ControlScene {
        var scene = ControlScene(.any, [Self.songs])
        scene.open(1, .ownListener, "Den")
        scene.handle(.calledLocalPrograms)
        return scene
    }

    @Test func toAnotherMachineFilesAreSent() {
        var scene = sending()
        #expect(scene.opened == ["/a/b.mp3"])
        scene.handle(.songOpened(name: "b.mp3", byteCount: 100_000))
        guard case .songOffer(let offer)? = scene.sent[1]?.last else { Issue.record("no offer"); return }
        #expect(offer.name == "b.mp3" && offer.byteCount == 100_000 && offer.position == 4)
        #expect(scene.reads.isEmpty)
        scene.say(WireEncoder.songCredit(SongCredit(id: offer.id, upTo: 70_000)))
        #expect(scene.reads == [65_536])
        scene.handle(.songRead(ByteBuffer(repeating: 1, count: 65_536)))
        #expect(scene.reads == [65_536, 70_000 - 65_536])
        // More may be sent before the rest was read.
        scene.say(WireEncoder.songCredit(SongCredit(id: offer.id, upTo: 100_000)))
        #expect(scene.reads.count == 2)
        scene.handle(.songRead(ByteBuffer(repeating: 2, count: 70_000 - 65_536)))
        scene.handle(.songRead(ByteBuffer(repeating: 3, count: 30_000)))
        var sentCount = 0
        for case .songBytes(let bytes) in scene.sent[1] ?? [] { sentCount += bytes.bytes.readableBytes }
        #expect(sentCount == 100_000 && scene.reads == [65_536, 4_464, 30_000])
        scene.say(
            WireEncoder.outcome(
                CommandOutcome(id: offer.id, done(after: .zero), sent: SessionTime(nanoseconds: 0))))
        #expect(scene.opened == ["/a/b.mp3", "/c.mp3"] && scene.ending == nil)
        scene.handle(.songOpened(name: "c.mp3", byteCount: 1))
        guard case .songOffer(let next)? = scene.sent[1]?.last else { Issue.record("no offer"); return }
        #expect(next.position == 5)
        scene.say(WireEncoder.outcome(CommandOutcome(id: next.id, .refused(.noRoom))))
        #expect(scene.ending == .refused(by: "Den", .noRoom))
    }

    @Test func aSongThatWasOneTooManyIsOfferedAgain() {
        var scene = sending()
        scene.handle(.songOpened(name: "b.mp3", byteCount: 9))
        guard case .songOffer(let first)? = scene.sent[1]?.last else { Issue.record("no offer"); return }
        scene.say(WireEncoder.outcome(CommandOutcome(id: first.id, .refused(.tooManyCommands))))
        #expect(scene.ending == nil && scene.opened.count == 1)
        scene.wait(ControlLimits.retryTime)
        #expect(scene.opened == ["/a/b.mp3", "/a/b.mp3"])
        scene.handle(.songOpened(name: "b.mp3", byteCount: 9))
        guard case .songOffer(let second)? = scene.sent[1]?.last else { Issue.record("no offer"); return }
        #expect(second.id != first.id && second.position == first.position)
        scene.say(WireEncoder.outcome(CommandOutcome(id: second.id, .refused(.songTooLong))))
        #expect(scene.ending == .refused(by: "Den", .songTooLong))
    }

    @Test func aFileThatCannotBeReadIsTold() {
        var scene = sending()
        scene.handle(.songFailed("gone"))
        #expect(scene.ending == .unreadable(path: "/a/b.mp3", "gone"))
    }

    @Test func aBroadcasterThatTakesNothingIsNotWaitedForLong() {
        var scene = sending()
        scene.handle(.songOpened(name: "b.mp3", byteCount: 9))
        for _ in 0..<11 {
            scene.say(WireEncoder.keepAlive())
            scene.wait(.seconds(1))
        }
        #expect(scene.ending == .timedOut("Den"))
    }

    @Test func aLostConnectionEndsIt() {
        var scene = talking([Self.pause])
        scene.handle(.closed(ConnectionID(1)))
        #expect(scene.ending == .lost("Den"))
    }

    @Test func oneThatLeavesWithinARecordIsLost() {
        var scene = talking([Self.pause])
        scene.handle(.broken(ConnectionID(1), .record(.truncated)))
        #expect(scene.ending == .lost("Den"))
    }

    @Test(arguments: [ConnectionSecurityError.handshake(.truncated), .record(.truncated), .preamble(.notTutti)])
    func whatIsAtTheAddressAndDoesNotGreetIsTold(error: ConnectionSecurityError) throws {
        var scene = ControlScene(.address(NetworkAddress(host: "10.0.0.1")), [Self.pause])
        scene.handle(.tick)
        let dial = try #require(scene.dials.first)
        scene.handle(.broken(ConnectionID(2), error))
        #expect(scene.ending == nil, "of a connection that is not there")
        scene.handle(.opened(ConnectionID(1), .dialed(dial), address: "10.0.0.1"))
        scene.handle(.broken(ConnectionID(1), error))
        #expect(scene.ending == .brokenProtocol("10.0.0.1", .security(error)))
    }

    @Test func aRefusedConnectionEndsIt() {
        var scene = talking([Self.pause])
        scene.say(WireEncoder.refusal(Refusal(.busy, "too many")))
        #expect(scene.ending == .turnedAway(by: "Den", "too many"))
    }

    @Test func brokenBytesEndIt() {
        var scene = talking([Self.pause])
        scene.say(ByteBuffer(bytes: [0, 0x50, 0, 0, 0, 1, 9]))
        #expect(scene.ending == .brokenProtocol("Den", .message(.malformed(messageType: 0x50))))
    }
}
