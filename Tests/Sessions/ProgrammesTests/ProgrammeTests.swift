import AudioCore
import Programmes
import Testing
import WireProtocol

/// What commands mean, one by one.
@Suite(.timeLimit(.minutes(5))) struct ProgrammeTests {
    private let items = (1...4).map { ItemID(UInt32($0)) }

    /// Four songs of a minute, and nothing plays.
    private func queued(seed: UInt64 = 1) throws -> Programme {
        var programme = Programme(seed: seed)
        let songs = (1...4).map { NewItem(.local("/music/\($0).mp3"), title: "Song \($0)", duration: .seconds(60)) }
        _ = try programme.insert(songs, at: 0)
        return programme
    }

    private func playing(_ position: Int = 0) throws -> Programme {
        var programme = try queued()
        _ = try programme.apply(.jump(to: .position(position)))
        return programme
    }

    private func paused(_ position: Int = 0) throws -> Programme {
        var programme = try playing(position)
        _ = try programme.apply(.pause)
        return programme
    }

    private func stopped(_ position: Int = 0) throws -> Programme {
        var programme = try playing(position)
        _ = try programme.apply(.stop)
        return programme
    }

    private func queue(_ programme: Programme) -> [UInt32] {
        programme.page(QueuePageRequest(first: 0), sequence: 0).items.map(\.id.number)
    }

    // MARK: Lists

    private let listed = [NewItem(.local("/a"), title: "a"), NewItem(.local("/b"), title: "b")]

    @Test func theSongsOfAListTakeItsPlace() throws {
        var programme = try playing(1)
        #expect(programme.replace(items[1], with: listed) == .play(ItemID(5)))
        #expect(queue(programme) == [1, 5, 6, 3, 4])
        #expect(programme.current == ItemID(5) && programme.following == ItemID(6))
        #expect(programme.replace(items[2], with: listed) == .none)
        #expect(queue(programme) == [1, 5, 6, 7, 8, 4] && programme.current == ItemID(5))
    }

    @Test func theSongsOfAListStayTogetherWhenShuffled() throws {
        for seed in 0..<20 {
            var programme = try queued(seed: UInt64(seed))
            _ = try programme.apply(.play)
            _ = try programme.apply(.setShuffle(true))
            let order = programme.playOrder
            _ = programme.replace(order[2], with: listed)
            #expect(programme.playOrder == [order[0], order[1], ItemID(5), ItemID(6), order[3]])
        }
    }

    @Test func anEmptyListIsPassedOver() throws {
        var programme = try playing()
        #expect(programme.replace(items[0], with: []) == .play(items[1]))
        #expect(programme.item(items[0])?.hasFailed == true)
        #expect(programme.replace(ItemID(99), with: listed) == .none && programme.itemCount == 4)
    }

    // MARK: Play, pause, stop

    @Test func addedItemsDoNotBeginToPlay() throws {
        let programme = try queued()
        #expect(programme.transport == .idle && programme.current == nil && programme.following == nil)
        #expect(programme.itemCount == 4)
    }

    @Test func playBeginsWithTheFirst() throws {
        var programme = try queued()
        #expect(try programme.apply(.play).effect == .play(items[0]))
        #expect(programme.transport == .playing && programme.following == items[1])
        #expect(try programme.apply(.play).effect == .none)
    }

    @Test func anEmptyQueueCannotPlay() {
        var programme = Programme(seed: 1)
        for operation in [ProgrammeOperation.play, .toggle, .next, .previous] {
            #expect(throws: CommandRefusal.queueIsEmpty) { try programme.apply(operation) }
        }
    }

    @Test func whatDoesNotPlayCannotBePausedOrResumedOrSought() throws {
        for var programme in [try queued(), try stopped()] {
            for operation in [ProgrammeOperation.pause, .resume, .seek(to: .zero), .skip(by: .zero)] {
                #expect(throws: CommandRefusal.nothingPlays) { try programme.apply(operation) }
            }
        }
    }

    @Test func resumeGoesOnWhereItWasPaused() throws {
        var programme = try playing()
        #expect(try programme.apply(.pause).effect == .pause)
        #expect(programme.transport == .paused && programme.current == items[0])
        #expect(try programme.apply(.pause).effect == .none)
        #expect(try programme.apply(.resume).effect == .resume)
        #expect(programme.transport == .playing)
        #expect(try programme.apply(.resume).effect == .none)
    }

    @Test func playResumesToo() throws {
        var programme = try paused()
        #expect(try programme.apply(.play).effect == .resume)
    }

    @Test func togglePausesResumesAndPlays() throws {
        var programme = try queued()
        #expect(try programme.apply(.toggle).effect == .play(items[0]))
        #expect(try programme.apply(.toggle).effect == .pause)
        #expect(try programme.apply(.toggle).effect == .resume)
        _ = try programme.apply(.stop)
        #expect(try programme.apply(.toggle).effect == .play(items[0]))
    }

    @Test func stopKeepsQueueAndPlace() throws {
        var programme = try playing(2)
        #expect(try programme.apply(.stop).effect == .stop)
        #expect(programme.transport == .stopped && programme.current == items[2] && programme.itemCount == 4)
        #expect(try programme.apply(.stop).effect == .none)
        #expect(try programme.apply(.play).effect == .play(items[2]))
    }

    // MARK: Next and previous

    @Test func nextPlaysWhatFollowsAlsoFromAPause() throws {
        for var programme in [try playing(1), try paused(1)] {
            #expect(try programme.apply(.next).effect == .play(items[2]))
            #expect(programme.transport == .playing)
        }
    }

    @Test func nextAfterTheLastEndsTheProgramme() throws {
        var programme = try playing(3)
        #expect(try programme.apply(.next).effect == .stop)
        #expect(programme.transport == .idle && programme.itemCount == 4)
        #expect(throws: CommandRefusal.nothingPlays) { try programme.apply(.next) }
    }

    @Test(arguments: [RepeatMode.one, .all]) func nextAfterTheLastIsTheFirstIfItemsAreRepeated(mode: RepeatMode) throws
    {
        var programme = try playing(3)
        _ = try programme.apply(.setRepeat(mode))
        #expect(try programme.apply(.next).effect == .play(items[0]))
    }

    @Test func previousGoesBack() throws {
        for var programme in [try playing(2), try paused(2)] {
            #expect(try programme.apply(.previous, at: .seconds(3)).effect == .play(items[1]))
            #expect(programme.transport == .playing)
        }
    }

    @Test func previousAfterThreeSecondsStartsTheSongAgain() throws {
        var programme = try playing(2)
        #expect(try programme.apply(.previous, at: .milliseconds(3_001)).effect == .seek(to: .zero))
        #expect(programme.current == items[2])
        _ = try programme.apply(.pause)
        #expect(try programme.apply(.previous, at: .milliseconds(3_001)).effect == .play(items[2]))
    }

    @Test func previousAtTheFirstStartsItAgain() throws {
        var programme = try playing()
        #expect(try programme.apply(.previous, at: .seconds(1)).effect == .seek(to: .zero))
    }

    @Test func previousAtTheFirstIsTheLastIfItemsAreRepeated() throws {
        var programme = try playing()
        _ = try programme.apply(.setRepeat(.all))
        #expect(try programme.apply(.previous).effect == .play(items[3]))
    }

    @Test func whileStoppedOnlyThePlaceMoves() throws {
        var programme = try stopped(1)
        #expect(try programme.apply(.next).effect == .none)
        #expect(programme.current == items[2] && programme.transport == .stopped)
        #expect(try programme.apply(.previous, at: .seconds(9)).effect == .none)
        #expect(programme.current == items[1] && programme.transport == .stopped)
    }

    @Test func aJumpPlaysFromAnyState() throws {
        for var programme in [try queued(), try playing(), try paused(), try stopped()] {
            #expect(try programme.apply(.jump(to: .id(items[2]))).effect == .play(items[2]))
            #expect(programme.transport == .playing && programme.following == items[3])
        }
    }

    // MARK: Seeking

    @Test func aSeekIsAbsoluteOrRelative() throws {
        var programme = try playing()
        #expect(try programme.apply(.seek(to: .seconds(30))).effect == .seek(to: .seconds(30)))
        #expect(try programme.apply(.skip(by: .seconds(10)), at: .seconds(30)).effect == .seek(to: .seconds(40)))
        #expect(try programme.apply(.skip(by: .seconds(-50)), at: .seconds(40)).effect == .seek(to: .zero))
        #expect(throws: CommandRefusal.outOfRange) { try programme.apply(.seek(to: .nanoseconds(-1))) }
    }

    @Test func aSeekWhilePausedStaysPaused() throws {
        var programme = try paused()
        #expect(try programme.apply(.seek(to: .seconds(30))).effect == .seek(to: .seconds(30)))
        #expect(programme.transport == .paused)
    }

    @Test func aSeekPastTheEndGoesToTheNextSongAndSaysSo() throws {
        var programme = try playing()
        let result = try programme.apply(.skip(by: TimeSpan(nanoseconds: .max)), at: .seconds(1))
        #expect(result == ProgrammeResult(.play(items[1]), isPastTheEnd: true))
        #expect(try programme.apply(.seek(to: .seconds(60))).effect == .play(items[2]))
    }

    @Test func aSeekPastTheEndOfAPausedSongLetsNothingSound() throws {
        var programme = try paused()
        #expect(
            try programme.apply(.seek(to: .seconds(61))) == ProgrammeResult(.stop, isPastTheEnd: true))
        #expect(programme.transport == .stopped && programme.current == items[1])
    }

    @Test func theEndOfASongOfUnknownLengthIsNotKnown() throws {
        var programme = Programme(seed: 1)
        _ = try programme.insert([NewItem(.local("a"), title: "a")], at: 0)
        _ = try programme.apply(.play)
        #expect(try programme.apply(.seek(to: .seconds(9_999))).effect == .seek(to: .seconds(9_999)))
        programme.note(ItemDescription(duration: .seconds(10), isDurationEstimated: true), of: items[0])
        #expect(programme.item(items[0])?.duration == .seconds(10))
        #expect(try programme.apply(.seek(to: .seconds(9_999))).effect == .seek(to: .seconds(9_999)), "a guess")
        programme.note(ItemDescription(duration: .seconds(9)), ofOpened: items[0])
        #expect(programme.item(items[0])?.duration == .seconds(9))
        #expect(try programme.apply(.seek(to: .seconds(9_999))).isPastTheEnd)
    }

    // MARK: What items say of themselves

    @Test func allItemsButThoseThatFailedAreAskedOnce() throws {
        var programme = try queued()
        let ids = programme.playOrder
        programme.note(ItemDescription(title: "One"), ofOpened: ids[0])
        _ = programme.fail(ids[2])
        var taken: [ItemID] = []
        while let (item, location) = programme.takeUndescribed() {
            taken.append(item)
            #expect(location == programme.location(of: item))
        }
        #expect(taken == [ids[0], ids[1], ids[3]])
        programme.note(ItemDescription(title: "Three"), of: ids[2])
        programme.note(ItemDescription(title: "", artist: "\u{1B}Four"), of: ids[3])
        #expect(programme.item(ids[2])?.title == "Song 3")
        let last = try #require(programme.item(ids[3]))
        #expect(last.title == "Song 4" && last.artist?.contains("\u{1B}") == false)
    }

    @Test func whatAnItemSaysWhenItIsOpenedStands() throws {
        var programme = try queued()
        let item = programme.playOrder[0]
        programme.note(ItemDescription(title: "Opened", duration: .seconds(9)), ofOpened: item)
        let looked = ItemDescription(title: "Looked at", artist: "a", duration: .seconds(8), hasPicture: true)
        programme.note(looked, of: item)
        let shown = try #require(programme.item(item))
        #expect(shown.title == "Opened" && shown.artist == nil && shown.duration == .seconds(9))
        #expect(shown.hasPicture == true, "nobody looked for one when it was opened")
        programme.note(ItemDescription(title: "Opened again"), ofOpened: item)
        #expect(programme.item(item)?.title == "Opened again" && programme.item(item)?.hasPicture == true)
    }

    @Test func aPictureThatWasFoundIsNotForgotten() throws {
        var programme = try queued()
        let item = programme.playOrder[1]
        #expect(programme.item(item)?.hasPicture == nil)
        programme.note(ItemDescription(hasPicture: true), of: item)
        #expect(programme.item(item)?.hasPicture == true)
        programme.note(ItemDescription(title: "b"), ofOpened: item)
        #expect(programme.item(item)?.hasPicture == true, "whoever opened it did not look for one")
        programme.note(ItemDescription(hasPicture: false), of: item)
        #expect(programme.item(item)?.hasPicture == false)
    }

    @Test func anEstimateGivesWayToWhatItIsAnEstimateOf() throws {
        var programme = try queued()
        _ = try programme.insert([NewItem(.local("a"), title: "a")], at: 0)
        let item = programme.playOrder[0]
        programme.note(ItemDescription(duration: .seconds(7), isDurationEstimated: true), of: item)
        programme.note(ItemDescription(title: "b"), ofOpened: item)
        #expect(programme.item(item)?.duration == .seconds(7), "it was opened, and not measured")
        programme.note(ItemDescription(title: "b"), ofOpened: item, isPart: true)
        #expect(programme.item(item)?.duration == nil)
        let known = programme.playOrder[1]
        programme.note(ItemDescription(duration: .seconds(7), isDurationEstimated: true), of: known)
        #expect(programme.item(known)?.duration == .seconds(60))
    }

    /// In quadratic time this would take minutes.
    @Test func aFullQueueIsAskedInLinearTime() throws {
        var programme = Programme(seed: 1)
        let songs = (0..<ProgrammeLimits.itemCount).map { NewItem(.local("/\($0)"), title: "\($0)") }
        _ = try programme.insert(songs, at: 0)
        var count = 0
        while programme.takeUndescribed() != nil { count += 1 }
        #expect(count == ProgrammeLimits.itemCount)
    }

    // MARK: Live items

    private func live() throws -> Programme {
        var programme = try queued()
        _ = try programme.insert([NewItem(.local("radio"), title: "Radio", isLive: true)], at: 1)
        _ = try programme.apply(.jump(to: .position(1)))
        return programme
    }

    @Test func aLiveItemCannotBeSought() throws {
        var programme = try live()
        #expect(throws: CommandRefusal.liveCannotSeek) { try programme.apply(.seek(to: .zero)) }
        #expect(throws: CommandRefusal.liveCannotSeek) { try programme.apply(.skip(by: .seconds(-1))) }
    }

    @Test func resumeJoinsALiveItemWhereItIsNow() throws {
        var programme = try live()
        #expect(try programme.apply(.pause).effect == .pause)
        #expect(try programme.apply(.resume).effect == .rejoin)
    }

    @Test func previousLeavesALiveItem() throws {
        var programme = try live()
        #expect(try programme.apply(.previous, at: .seconds(600)).effect == .play(items[0]))
    }

    // MARK: The queue

    @Test func itemsAreInsertedBeforeAPosition() throws {
        var programme = try queued()
        let address = try #require(WebAddress("http://me:secret@host/a.mp3"))
        let result = try programme.apply(.insert([.web(address)], at: 1))
        #expect(result == ProgrammeResult(.none, edit: .inserted(at: 1, count: 1)))
        #expect(queue(programme) == [1, 5, 2, 3, 4])
        #expect(programme.item(ItemID(5))?.title == "http://host/a.mp3")
        #expect(programme.location(of: ItemID(5)) == .web(address))
        #expect(throws: CommandRefusal.outOfRange) { try programme.apply(.insert([.web(address)], at: 6)) }
        #expect(try programme.apply(.add([.web(address)])).edit == .inserted(at: 5, count: 1))
    }

    @Test func anItemInsertedBehindTheCurrentOneFollows() throws {
        var programme = try playing()
        _ = try programme.insert([NewItem(.local("x"), title: "x")], at: 1)
        #expect(programme.following == ItemID(5))
    }

    @Test func removingTheCurrentItemIsNext() throws {
        var programme = try playing(1)
        #expect(
            try programme.apply(.remove(.position(1))) == ProgrammeResult(.play(items[2]), edit: .removed(at: 1)))
        #expect(queue(programme) == [1, 3, 4] && programme.transport == .playing)
        #expect(throws: CommandRefusal.noSuchItem) { try programme.apply(.remove(.id(items[1]))) }
    }

    @Test func removingTheLastItemEndsTheProgramme() throws {
        var programme = try playing(3)
        #expect(try programme.apply(.remove(.id(items[3]))).effect == .stop)
        #expect(programme.transport == .idle)
    }

    @Test func removingAPausedItemLetsNothingSound() throws {
        var programme = try paused(1)
        #expect(try programme.apply(.remove(.position(1))).effect == .stop)
        #expect(programme.transport == .stopped && programme.current == items[2])
    }

    @Test func removingTheOnlyItemThatIsRepeatedEndsTheProgramme() throws {
        var programme = Programme(seed: 1)
        _ = try programme.insert([NewItem(.local("a"), title: "a")], at: 0)
        _ = try programme.apply(.setRepeat(.all))
        _ = try programme.apply(.play)
        #expect(try programme.apply(.remove(.position(0))).effect == .stop)
        #expect(programme.transport == .idle && programme.itemCount == 0)
    }

    @Test func removingAnotherItemDisturbsNothing() throws {
        var programme = try playing(2)
        #expect(try programme.apply(.remove(.position(0))).effect == .none)
        #expect(programme.current == items[2] && programme.following == items[3])
        _ = try programme.apply(.remove(.id(items[3])))
        #expect(programme.following == nil)
    }

    @Test func anItemIsMovedToAPosition() throws {
        var programme = try playing()
        #expect(
            try programme.apply(.move(.id(items[3]), to: 1)) == ProgrammeResult(.none, edit: .moved(from: 3, to: 1)))
        #expect(queue(programme) == [1, 4, 2, 3] && programme.following == items[3])
        _ = try programme.apply(.move(.position(0), to: 3))
        #expect(queue(programme) == [4, 2, 3, 1] && programme.following == nil)
        #expect(throws: CommandRefusal.outOfRange) { try programme.apply(.move(.position(0), to: 4)) }
        #expect(throws: CommandRefusal.noSuchItem) { try programme.apply(.move(.position(4), to: 0)) }
    }

    @Test func clearStopsAndEmpties() throws {
        var programme = try playing()
        #expect(try programme.apply(.clear) == ProgrammeResult(.stop, edit: .cleared))
        #expect(programme.transport == .idle && programme.itemCount == 0 && programme.item(items[0]) == nil)
    }

    @Test func aFullQueueTakesAllOrNothing() throws {
        var programme = Programme(seed: 1)
        let song = NewItem(.local("a"), title: "a")
        _ = try programme.insert([NewItem](repeating: song, count: ProgrammeLimits.itemCount - 1), at: 0)
        #expect(throws: CommandRefusal.queueIsFull) { try programme.insert([song, song], at: 0) }
        #expect(programme.itemCount == ProgrammeLimits.itemCount - 1)
        _ = try programme.insert([song], at: 0)
        #expect(throws: CommandRefusal.queueIsFull) { try programme.insert([song], at: 0) }
    }

    @Test func pagesEndWithTheQueue() throws {
        var programme = Programme(seed: 1)
        let song = NewItem(.local("a"), title: "a")
        _ = try programme.insert([NewItem](repeating: song, count: 300), at: 0)
        func ids(_ first: Int, _ count: Int) -> [UInt32] {
            programme.page(QueuePageRequest(first: first, count: count), sequence: 7).items.map(\.id.number)
        }
        #expect(ids(10, 3) == [11, 12, 13])
        #expect(ids(298, 5) == [299, 300])
        #expect(ids(0, 9_999).count == WireLimits.itemsPerPage)
        #expect(ids(301, 1) == [] && ids(.max, .max) == [] && ids(.min, .min) == [])
    }

    // MARK: Ends and failures

    @Test func anItemThatEndsIsFollowedByTheNext() throws {
        var programme = try playing(2)
        #expect(programme.advance() == items[3] && programme.transport == .playing)
        #expect(programme.advance() == nil && programme.transport == .idle)
        #expect(programme.advance() == nil)
    }

    @Test func repeatedItemsGoOn() throws {
        var programme = try playing(3)
        _ = try programme.apply(.setRepeat(.one))
        #expect(programme.following == items[3] && programme.advance() == items[3])
        _ = try programme.apply(.setRepeat(.all))
        #expect(programme.following == items[0] && programme.advance() == items[0])
    }

    @Test func anItemThatFailsAheadIsPassedOver() throws {
        var programme = try playing()
        #expect(programme.fail(items[1]) == .none)
        #expect(programme.following == items[2] && programme.item(items[1])?.hasFailed == true)
        #expect(programme.advance() == items[2])
    }

    @Test func aCurrentItemThatFailsIsLeft() throws {
        var programme = try playing()
        #expect(programme.fail(items[0]) == .play(items[1]))
        #expect(try programme.apply(.previous).effect == .seek(to: .zero))
    }

    @Test(arguments: RepeatMode.allCases) func aProgrammeInWhichEveryItemFailsEnds(mode: RepeatMode) throws {
        var programme = try playing(1)
        _ = try programme.apply(.setRepeat(mode))
        var attempts = 0
        while let current = programme.current {
            _ = programme.fail(current)
            attempts += 1
            try #require(attempts <= 4)
        }
        #expect(programme.transport == .idle && attempts == (mode == .off ? 3 : 4))
    }

    @Test func aFailedItemIsTriedAgainWhenSomebodyAsks() throws {
        var programme = try playing()
        _ = programme.fail(items[2])
        #expect(try programme.apply(.jump(to: .id(items[2]))).effect == .play(items[2]))
        #expect(programme.item(items[2])?.hasFailed == false)
        for _ in 0..<2 { programme.current.map { _ = programme.fail($0) } }
        #expect(programme.transport == .idle)
        #expect(try programme.apply(.play).effect == .play(items[0]))
        #expect(items.allSatisfy { programme.item($0)?.hasFailed == false })
    }

    @Test func aFailureOfAnItemThatIsGoneIsNothing() throws {
        var programme = try playing()
        _ = try programme.apply(.remove(.id(items[1])))
        #expect(programme.fail(items[1]) == .none)
        #expect(programme.following == items[2])
    }
}
