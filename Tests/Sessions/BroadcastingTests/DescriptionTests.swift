import AudioCore
import NIOCore
import Programmes
import SecureChannel
import Testing
import WireProtocol

@testable import Broadcasting

/// What queued songs are called before they play.
@Suite(.timeLimit(.minutes(5))) struct DescriptionTests {
    private static let asker = Asker(number: 0, name: "Attic")
    private static let pavane = ItemDescription(
        title: "Pavane", artist: "Fauré", album: "Op. 50", duration: .seconds(400), hasPicture: true)

    /// A broadcast of these songs, the first of which has begun and has no picture; connection 3 is a controller.
    private func playing(
        _ titles: [String] = ["a", "b", "c", "d"], _ configure: (inout BroadcastConfiguration) -> Void = { _ in }
    ) -> ScriptedBroadcast {
        var broadcast = waiting(titles, configure)
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(800))
        answer(ItemDescription(hasPicture: false), &broadcast)
        return broadcast
    }

    /// The same before its listener is ready.
    private func waiting(
        _ titles: [String], _ configure: (inout BroadcastConfiguration) -> Void = { _ in }
    ) -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast {
            $0.programme = ScriptedBroadcast.programme(titles)
            configure(&$0)
        }
        broadcast.give(seconds: 10)
        broadcast.join(1)
        broadcast.join(3, roles: .controller, key: PeerKeyPair.random().key)
        return broadcast
    }

    private func idle(_ titles: [String]) -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast { $0.staysIdle = true }
        broadcast.handle(.command(Command(.programme(.add(titles.map { .file("/\($0)") }))), Self.asker))
        return broadcast
    }

    private func perform(_ operation: ProgrammeOperation, _ broadcast: inout ScriptedBroadcast) {
        broadcast.handle(.command(Command(.programme(operation)), Self.asker))
    }

    /// Answers what was asked last.
    private func answer(_ description: ItemDescription?, _ broadcast: inout ScriptedBroadcast) {
        if let item = broadcast.described.last?.item { broadcast.handle(.described(item, description)) }
    }

    /// Answers until nothing more is asked.
    private func answerAll(_ broadcast: inout ScriptedBroadcast) {
        var answered = 0
        while broadcast.described.count > answered {
            answered = broadcast.described.count
            answer(nil, &broadcast)
            if broadcast.described.count == answered { broadcast.wait(.milliseconds(20)) }
        }
    }

    private func asked(_ broadcast: ScriptedBroadcast) -> [String] {
        broadcast.described.map { if case .local(let path) = $0.location { path } else { "?" } }
    }

    private func queue(_ broadcast: inout ScriptedBroadcast) -> [QueueItem] {
        broadcast.say(WireEncoder.queuePageRequest(QueuePageRequest(first: 0)), 3)
        guard case .queuePage(let page)? = broadcast.heard[3]?.messages.last else { return [] }
        return page.items
    }

    // MARK: When

    @Test func noSongIsAskedBeforeTheFirstOneSounds() {
        var broadcast = waiting(["a", "b"])
        broadcast.wait(.seconds(1))
        #expect(broadcast.described.isEmpty)
        broadcast.report(.ready, 1)
        for _ in 0..<100 where broadcast.heard[1]?.anchor == nil { broadcast.wait(.milliseconds(20)) }
        #expect(broadcast.heard[1]?.anchor != nil && broadcast.described.isEmpty, "it is decided, and not heard")
        broadcast.wait(.milliseconds(600))
        #expect(asked(broadcast) == ["/a"], "whether it has a picture, it did not say when it was opened")
    }

    @Test func anIdleBroadcastAsksAtOnce() {
        var broadcast = idle(["a", "b"])
        #expect(asked(broadcast) == ["/a"])
        answer(Self.pavane, &broadcast)
        #expect(asked(broadcast) == ["/a", "/b"])
    }

    @Test func aPausedOneAsksToo() {
        var broadcast = playing(["a"])
        perform(.pause, &broadcast)
        perform(.add([.file("/b")]), &broadcast)
        #expect(asked(broadcast) == ["/a", "/b"])
    }

    @Test func noSongIsAskedWhileOneIsOpened() {
        var broadcast = playing()
        perform(.next, &broadcast)
        answer(nil, &broadcast)
        broadcast.wait(.milliseconds(60))
        #expect(asked(broadcast) == ["/a", "/b"])
        guard let epoch = broadcast.opened.last?.epoch else { return }
        broadcast.give(seconds: 10, of: epoch)
        broadcast.wait(.milliseconds(60))
        #expect(asked(broadcast) == ["/a", "/b", "/c"])
    }

    // MARK: In which order

    @Test func thoseThatPlayNextAreAskedFirstOneAtATimeAndOnce() {
        var broadcast = ScriptedBroadcast {
            $0.programme = ScriptedBroadcast.programme(["a", "b", "c", "d"])
            _ = try? $0.programme.apply(.jump(to: .position(2)))
        }
        broadcast.give(seconds: 10)
        broadcast.join(1)
        broadcast.report(.ready, 1)
        broadcast.wait(.seconds(2))
        #expect(asked(broadcast) == ["/c"], "one at a time")
        answerAll(&broadcast)
        #expect(asked(broadcast) == ["/c", "/d", "/a", "/b"])
        broadcast.wait(.seconds(1))
        #expect(broadcast.described.count == 4)
    }

    @Test func aJumpChangesTheOrder() {
        var broadcast = idle(["a", "b", "c", "d", "e"])
        perform(.jump(to: .position(3)), &broadcast)
        perform(.stop, &broadcast)
        broadcast.handle(.tick)
        answerAll(&broadcast)
        #expect(asked(broadcast) == ["/a", "/d", "/e", "/b", "/c"], "the first one was asked before")
    }

    @Test func theOrderIsThatOfPlaying() {
        var broadcast = idle((0..<20).map { "\($0)" })
        perform(.setShuffle(true), &broadcast)
        answerAll(&broadcast)
        let asked = broadcast.described.map(\.item)
        // The first one was asked before they were shuffled.
        #expect(Array(asked.dropFirst()) == broadcast.session.programme.playOrder.filter { $0 != asked.first })
    }

    @Test func songsThatAreAddedLaterAreAskedInTurn() {
        var broadcast = playing(["a", "b", "c"])
        perform(.add([.file("/d")]), &broadcast)
        perform(.insert([.file("/e")], at: 1), &broadcast)
        answerAll(&broadcast)
        #expect(asked(broadcast) == ["/a", "/b", "/e", "/c", "/d"])
    }

    @Test func manySongsTakeTheirTime() {
        var broadcast = idle([])
        for start in stride(from: 0, to: 400, by: 50) {
            perform(.add((start..<start + 50).map { .file("/\($0)") }), &broadcast)
        }
        func answerNow() {
            var count = 0
            while broadcast.described.count != count {
                count = broadcast.described.count
                answer(nil, &broadcast)
            }
        }
        answerNow()
        #expect(broadcast.described.count == BroadcastLimits.descriptionBurst)
        for _ in 0..<50 {
            broadcast.wait(.milliseconds(20))
            answerNow()
        }
        let inTheLongRun = BroadcastLimits.descriptionBurst + BroadcastLimits.descriptionsPerSecond
        #expect((inTheLongRun - 1...inTheLongRun + 1).contains(broadcast.described.count), "a second later")
    }

    // MARK: What is not asked

    @Test func whatOthersNamedOnTheWebIsNotAsked() {
        var broadcast = ScriptedBroadcast {
            $0.staysIdle = true
            $0.acceptsSongs = true
        }
        broadcast.join(3, roles: .controller, key: PeerKeyPair.random().key)
        guard let address = WebAddress("http://host/a.mp3") else { return }
        broadcast.say(WireEncoder.command(Command(.programme(.add([.web(address)])))), 3)
        broadcast.wait(.seconds(1))
        #expect(queue(&broadcast).count == 1 && broadcast.described.isEmpty)
    }

    @Test func aSongThatWasRemovedIsNotAskedAndItsAnswerGoesNowhere() {
        var broadcast = playing()
        perform(.remove(.position(2)), &broadcast)
        perform(.remove(.position(1)), &broadcast)
        #expect(asked(broadcast) == ["/a", "/b"])
        answer(Self.pavane, &broadcast)
        #expect(asked(broadcast) == ["/a", "/b", "/d"])
        #expect(queue(&broadcast).map(\.title) == ["Song", "d"])
    }

    @Test func aSongThatSaysNothingKeepsItsNameAndIsNotAskedAgain() {
        var broadcast = playing(["a", "b"])
        let notices = broadcast.notices
        answer(nil, &broadcast)
        broadcast.wait(.seconds(1))
        #expect(broadcast.described.count == 2 && broadcast.notices == notices)
        let item = queue(&broadcast)[1]
        #expect(item.title == "b" && item.artist == nil && item.duration == nil && !item.hasFailed)
    }

    // MARK: What comes of it

    @Test func theQueueShowsWhatASongSays() {
        var broadcast = playing(["a", "b"])
        answer(Self.pavane, &broadcast)
        let item = queue(&broadcast)[1]
        #expect(item.headline == "Pavane - Fauré" && item.album == "Op. 50" && item.duration == .seconds(400))
        #expect(item.hasPicture == true)
    }

    @Test func theSongThatPlaysHasItsPicture() {
        var broadcast = waiting(["a", "b"])
        broadcast.say(WireEncoder.follow(), 3)
        #expect(queue(&broadcast)[0].hasPicture == nil)
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(800))
        answer(Self.pavane, &broadcast)
        broadcast.handle(.tick)
        var state: ProgrammeState?
        for message in broadcast.heard[3]?.messages ?? [] {
            switch message {
            case .programmeState(let whole): state = whole
            case .programmeChange(let change): #expect(state?.apply(change) == true)
            default: break
            }
        }
        let current = state?.status.current
        #expect(current?.hasPicture == true && current?.title == "Song" && current?.artist == nil)
        broadcast.wait(.seconds(1))
        #expect(asked(broadcast) == ["/a", "/b"], "each is asked once")
    }

    @Test func followersAndListenersAreTold() {
        var broadcast = playing(["a", "b", "c"])
        broadcast.say(WireEncoder.follow(), 3)
        answer(Self.pavane, &broadcast)
        answer(ItemDescription(title: "Gymnopédie"), &broadcast)
        broadcast.handle(.tick)
        var state: ProgrammeState?
        var told: [QueueItem] = []
        for message in broadcast.heard[3]?.messages ?? [] {
            if case .programmeState(let whole) = message { state = whole }
            guard case .programmeChange(let change) = message else { continue }
            #expect(state?.apply(change) == true)
            if case .item(let item) = change.kind { told.append(item) }
        }
        #expect(told.map(\.headline) == ["Pavane - Fauré", "Gymnopédie"])
        #expect(state?.status.next?.artist == "Fauré" && state?.status.current?.title == "Song")
        let titles = broadcast.heard[1]?.messages.compactMap { message in
            if case .nextTitle(let title) = message { title } else { nil }
        }
        #expect(titles == ["b", "Pavane"])
    }

    @Test func whatASongSaysWhenItIsOpenedStands() throws {
        var broadcast = playing(["a", "b", "c"])
        // It is opened before the answer comes.
        perform(.next, &broadcast)
        let epoch = try #require(broadcast.opened.last?.epoch)
        broadcast.give(seconds: 10, of: epoch)
        answer(Self.pavane, &broadcast)
        #expect(queue(&broadcast)[1].title == "Song" && queue(&broadcast)[1].artist == nil)
        #expect(queue(&broadcast)[1].hasPicture == true, "nobody looked for one when it was opened")
        broadcast.wait(.milliseconds(60))
        #expect(asked(broadcast) == ["/a", "/b", "/c"], "the answer let the next one be asked")
        // The answer came before it is opened.
        answer(Self.pavane, &broadcast)
        perform(.next, &broadcast)
        let next = try #require(broadcast.opened.last?.epoch)
        broadcast.give(seconds: 10, of: next)
        let item = queue(&broadcast)[2]
        #expect(item.title == "Song" && item.artist == "Fauré" && item.duration == .seconds(400))
    }

    @Test func anAnswerThatNobodyAskedForIsIgnored() {
        var broadcast = playing(["a", "b", "c"])
        let item = queue(&broadcast)[2].id
        broadcast.handle(.described(item, Self.pavane))
        #expect(queue(&broadcast).map(\.title) == ["Song", "b", "c"] && asked(broadcast) == ["/a", "/b"])
    }
}
