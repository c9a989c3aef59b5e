import AudioCore
import Controlling
import Households
import NIOCore
import Peering
import SecureChannel
import Testing
import WireProtocol

/// A controller, with broadcasters played by the test.
@Suite(.timeLimit(.minutes(5))) struct ControlSessionTests {
    private struct Scene {
        var session: ControlSession
        var now = HostTime(nanoseconds: 3_000_000_000)
        var dials: [Dialer.Dial] = []
        var isSearching = false
        var sent: [Int: [ControlMessage]] = [:]
        private var inboxes: [Int: PeerConnection] = [:]
        private var keys: [Int: PeerKey] = [:]
        var closed: Set<Int> = []
        var answers: [ControlAnswer] = []
        var opened: [String] = []
        var reads: [Int] = []
        var ending: ControlEnding?

        init(_ target: ControlTarget = .any, _ requests: [ControlRequest], inHousehold: Bool = false) {
            let greeting = Greeting(
                roles: .controller, peer: UUIDBytes(high: 0, low: 1), instance: 1, started: 0, name: "Hand")
            session = ControlSession(
                greeting: greeting, target: target, requests: requests, takesMembersOnly: inHousehold, now: now)
        }

        mutating func handle(_ event: ControlEvent) {
            for action in session.handle(event, now: now) {
                switch action {
                case .search: isSearching = true
                case .dial(let dial): dials.append(dial)
                case .send(let id, let bytes): take(bytes, id.number)
                case .close(let id): closed.insert(id.number)
                case .answer(let answer): answers.append(answer)
                case .openSong(let path): opened.append(path)
                case .readSong(let byteCount): reads.append(byteCount)
                case .finished(let ending): self.ending = ending
                }
            }
        }

        private mutating func take(_ bytes: ByteBuffer, _ id: Int) {
            var inbox = inboxes[id] ?? PeerConnection(direction: .accepted, address: "", now: now)
            let events = (try? inbox.receive(bytes, now: now)) ?? []
            inboxes[id] = inbox
            sent[id, default: []] += events.compactMap { if case .message(let message) = $0 { message } else { nil } }
        }

        mutating func wait(_ span: TimeSpan) {
            let end = now + span
            while now < end {
                now += .milliseconds(5)
                handle(.tick)
            }
        }

        /// A program of this machine answers in the name of this broadcast.
        mutating func open(_ id: Int, _ origin: ControlSession.Origin, _ name: String, roles: PeerRoles = .broadcaster)
        {
            handle(.opened(ConnectionID(id), origin, address: "socket \(id)"))
            greet(id, name, roles: roles)
        }

        mutating func greet(_ id: Int, _ name: String, roles: PeerRoles = .broadcaster) {
            let greeting = Greeting(
                roles: roles, peer: keys[id]?.uuid ?? UUIDBytes(high: 0, low: 2), instance: UInt64(name.utf8.count),
                started: 0,
                name: name)
            handle(.received(ConnectionID(id), WireEncoder.greeting(greeting)))
        }

        /// A broadcaster of the network proves to be what it is.
        mutating func open(_ id: Int, as standing: PeerStanding, by dial: Dialer.Dial) {
            handle(.opened(ConnectionID(id), .dialed(dial), address: "10.0.0.\(id)"))
            let key = PeerKeyPair.random().key
            keys[id] = key
            handle(.authenticated(ConnectionID(id), key, standing))
        }

        mutating func find(_ name: String, service: String = "") {
            handle(
                .contact(
                    PeerContact(
                        key: .instance(UInt64(name.utf8.count), service: service), name: name, roles: .broadcaster,
                        started: 0, addresses: [NetworkAddress(host: name + service)])))
        }

        mutating func say(_ bytes: ByteBuffer, _ id: Int = 1) { handle(.received(ConnectionID(id), bytes)) }

        /// Answers the newest command.
        mutating func answer(_ verdict: CommandOutcome.Verdict, _ id: Int = 1) {
            guard case .command(let command)? = sent[id]?.last else { return }
            say(WireEncoder.outcome(CommandOutcome(id: command.id, verdict, sent: SessionTime(nanoseconds: 0))), id)
        }
    }

    private static let pause = ControlRequest.command(Command(.programme(.pause)))

    private func done(after lead: TimeSpan) -> CommandOutcome.Verdict {
        .done(number: 1, effect: SessionTime(nanoseconds: 0) + lead)
    }

    // MARK: Whom it takes

    @Test func theOwnBroadcastComesBeforeTheOneThatIsHeard() {
        var scene = Scene(.any, [Self.pause])
        scene.open(1, .ownListener, "Attic")
        scene.open(2, .ownBroadcast, "Den")
        scene.handle(.calledLocalPrograms)
        #expect(scene.answers == [.connected("Den")] && scene.closed == [1])
        guard case .command? = scene.sent[2]?.last else { Issue.record("no command"); return }
        #expect(!scene.isSearching)
    }

    @Test func twoListenersOfOneBroadcastAreOne() {
        var scene = Scene(.any, [Self.pause])
        scene.open(1, .ownListener, "Attic")
        scene.open(2, .ownListener, "Attic")
        scene.handle(.calledLocalPrograms)
        #expect(scene.answers == [.connected("Attic")] && scene.closed.count == 1)
    }

    @Test(arguments: [PeerStanding.stranger, .removed, .member], [ControlTarget.any, .named("Den")])
    func inAHouseholdOnlyAMembersBroadcastIsTaken(standing: PeerStanding, target: ControlTarget) throws {
        let keys = PeerKeyPair.random()
        var scene = Scene(target, [Self.pause], inHousehold: true)
        scene.handle(.calledLocalPrograms)
        scene.find("Den")
        scene.wait(ControlLimits.choiceTime + .milliseconds(10))
        let dial = try #require(scene.dials.first)
        scene.handle(.opened(ConnectionID(1), .dialed(dial), address: "10.0.0.2"))
        scene.handle(.authenticated(ConnectionID(1), keys.key, standing))
        #expect(scene.ending == (standing == .member ? nil : .notOfHousehold(["Den"])))
    }

    /// In a household: a neighbour's broadcast is found beside a member's, or several are.
    private func searching(_ names: [String], for target: ControlTarget = .any) -> Scene {
        var scene = Scene(target, [Self.pause], inHousehold: true)
        scene.handle(.calledLocalPrograms)
        for name in names { scene.find(name) }
        scene.wait(ControlLimits.choiceTime + .milliseconds(10))
        return scene
    }

    @Test func strangersAreNotInTheWayOfTheOnlyMember() throws {
        var scene = searching(["Den", "Attic", "Kitchen"])
        #expect(scene.dials.map(\.address.host) == ["Den", "Attic", "Kitchen"])
        for (index, standing) in [PeerStanding.stranger, .member, .removed].enumerated() {
            scene.open(index, as: standing, by: scene.dials[index])
            if standing == .member { scene.greet(index, "Attic") }
        }
        scene.handle(.tick)
        #expect(scene.answers == [.connected("Attic")] && scene.closed == [0, 2])
        scene.wait(.seconds(1))
        #expect(scene.dials.count == 3 && scene.closed == [0, 2])
    }

    @Test func ofSeveralMembersNoneIsTaken() {
        var scene = searching(["Den", "Attic", "Kitchen"])
        for (index, standing) in [PeerStanding.member, .stranger, .member].enumerated() {
            scene.open(index, as: standing, by: scene.dials[index])
            if standing == .member { scene.greet(index, ["Den", "", "Kitchen"][index]) }
        }
        #expect(scene.ending == .ambiguous(["Den", "Kitchen"]))
    }

    @Test func aStrangerThatDoesNotAnswerIsNotWaitedForLong() {
        var scene = searching(["Den", "Attic"])
        scene.open(1, as: .member, by: scene.dials[1])
        scene.greet(1, "Attic")
        #expect(scene.answers.isEmpty)
        scene.wait(ControlLimits.answerPatience)
        #expect(scene.answers == [.connected("Attic")])
        // It comes too late.
        scene.open(2, as: .stranger, by: scene.dials[0])
        #expect(scene.closed == [2] && scene.ending == nil)
    }

    @Test func withStrangersOnlyAllAreNamed() {
        var scene = searching(["Den", "Attic"])
        for index in 0...1 { scene.open(index, as: .stranger, by: scene.dials[index]) }
        #expect(scene.ending == .notOfHousehold(["Attic", "Den"]))
    }

    /// Whoever takes a member's name stands in nobody's way.
    @Test func ofTwoWithTheWantedNameTheMemberIsTaken() {
        var scene = Scene(.named("Den"), [Self.pause], inHousehold: true)
        scene.handle(.calledLocalPrograms)
        scene.find("Den", service: "false")
        scene.open(1, as: .stranger, by: scene.dials[0])
        #expect(scene.ending == nil && scene.closed == [1])
        scene.find("Den", service: "true")
        scene.handle(.tick)
        #expect(scene.dials.count == 2)
        scene.open(2, as: .member, by: scene.dials[1])
        scene.greet(2, "Den")
        #expect(scene.answers == [.connected("Den")])
    }

    @Test func ofSeveralNoneIsTaken() {
        var scene = Scene(.any, [Self.pause])
        scene.open(1, .ownBroadcast, "Kitchen")
        scene.open(2, .ownBroadcast, "Den")
        scene.handle(.calledLocalPrograms)
        #expect(scene.ending == .ambiguous(["Den", "Kitchen"]) && scene.closed == [1, 2])
    }

    @Test func aNameChoosesAmongThem() {
        var scene = Scene(.named("Kitchen"), [Self.pause])
        scene.open(1, .ownListener, "Kitchen")
        scene.open(2, .ownBroadcast, "Den")
        scene.handle(.calledLocalPrograms)
        #expect(scene.answers == [.connected("Kitchen")])
    }

    @Test func aProgramThatDoesNotGreetIsNotWaitedForLong() {
        var scene = Scene(.any, [Self.pause])
        scene.handle(.opened(ConnectionID(1), .ownListener, address: "socket"))
        scene.handle(.calledLocalPrograms)
        #expect(!scene.isSearching)
        scene.wait(ControlLimits.localTime + .milliseconds(5))
        #expect(scene.isSearching)
    }

    @Test func withNobodyHereTheOnlyOneOfTheNetworkIsTaken() throws {
        var scene = Scene(.any, [Self.pause])
        scene.handle(.calledLocalPrograms)
        scene.find("Den")
        scene.find("Den")
        #expect(scene.isSearching && scene.dials.isEmpty)
        scene.wait(ControlLimits.choiceTime)
        scene.handle(.opened(ConnectionID(1), .dialed(try #require(scene.dials.first)), address: "10.0.0.1"))
        scene.greet(1, "Den")
        #expect(scene.answers == [.connected("Den")])
    }

    @Test func ofSeveralOfTheNetworkNoneIsTaken() {
        var scene = Scene(.any, [Self.pause])
        scene.handle(.calledLocalPrograms)
        scene.find("Kitchen")
        scene.find("Den")
        scene.wait(ControlLimits.choiceTime)
        #expect(scene.ending == .ambiguous(["Den", "Kitchen"]) && scene.dials.isEmpty)
    }

    @Test func aNameIsDialledAtOnce() {
        var scene = Scene(.named("Den"), [Self.pause])
        scene.handle(.calledLocalPrograms)
        scene.find("Kitchen")
        #expect(scene.dials.isEmpty)
        scene.find("Den")
        #expect(scene.dials.map(\.address.host) == ["Den"])
    }

    @Test func aNameThatNobodyHasEndsWithThoseThatAreThere() {
        var scene = Scene(.named("Dan"), [Self.pause])
        scene.handle(.calledLocalPrograms)
        scene.find("Den")
        scene.wait(ControlLimits.patience + .milliseconds(10))
        #expect(scene.ending == .notFound(others: ["Den"]))
    }

    @Test func namesOfThisMachineAreAmongThoseThatAreThere() {
        var scene = Scene(.named("Attik"), [Self.pause])
        scene.open(1, .ownBroadcast, "Attic")
        scene.handle(.calledLocalPrograms)
        scene.find("Den")
        scene.wait(ControlLimits.patience + .milliseconds(10))
        #expect(scene.ending == .notFound(others: ["Attic", "Den"]))
    }

    @Test func withoutASearchThoseOfThisMachineAreNamedAtOnce() {
        var scene = Scene(.named("Attik"), [Self.pause])
        scene.open(1, .ownListener, "Attic")
        scene.handle(.calledLocalPrograms)
        scene.handle(.searchFailed("avahi-daemon is not running"))
        #expect(scene.ending == .notFound(others: ["Attic"]))
        var alone = Scene(.any, [Self.pause])
        alone.handle(.calledLocalPrograms)
        alone.handle(.searchFailed("avahi-daemon is not running"))
        #expect(alone.ending == .cannotSearch("avahi-daemon is not running"))
    }

    @Test func anAddressAsksNobodyElse() {
        var scene = Scene(.address(NetworkAddress(host: "10.0.0.9")), [Self.pause])
        scene.handle(.tick)
        #expect(scene.dials.map(\.address.host) == ["10.0.0.9"] && !scene.isSearching)
        scene.wait(ControlLimits.patience + .milliseconds(10))
        #expect(scene.ending == .noAnswer)
    }

    @Test func aListenerAtTheAddressIsNoBroadcast() throws {
        var scene = Scene(.address(NetworkAddress(host: "10.0.0.9")), [Self.pause])
        scene.handle(.tick)
        scene.handle(.opened(ConnectionID(1), .dialed(try #require(scene.dials.first)), address: "10.0.0.9"))
        scene.greet(1, "Shelf", roles: .listener)
        #expect(scene.ending == .broadcastsNothing("Shelf"))
    }

    // MARK: What they say to each other

    private func talking(_ requests: [ControlRequest]) -> Scene {
        var scene = Scene(.any, requests)
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

    private func sending() -> Scene {
        var scene = Scene(.any, [Self.songs])
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
