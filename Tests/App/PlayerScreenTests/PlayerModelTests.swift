import AudioCore
import Controlling
import MusicLibrary
import TerminalIO
import Testing
import WireProtocol

@testable import PlayerScreen

/// What keys do, and what becomes known.
@Suite(.timeLimit(.minutes(5))) struct PlayerModelTests {
    private let songs = PlayerScene.songs(3)

    // MARK: Commands

    @Test func keysCommandTheBroadcast() {
        var scene = PlayerScene.playing()
        scene.press(
            .character(" "), .left, .right, .character("n"), .character("p"), .character("s"), .character("r"),
            .character("z"))
        #expect(
            scene.takeOperations() == [
                .programme(.toggle), .programme(.skip(by: .seconds(-10))), .programme(.skip(by: .seconds(10))),
                .programme(.next), .programme(.previous), .programme(.stop), .programme(.setRepeat(.all)),
                .programme(.setShuffle(true)),
            ])
    }

    @Test func repeatGoesThroughItsModes() {
        var scene = PlayerScene.playing()
        for (mode, next) in [(RepeatMode.all, RepeatMode.one), (.one, .off), (.off, .all)] {
            scene.change(.modes(PlayModes(repeats: mode)))
            scene.press(.character("r"))
            #expect(scene.takeOperations() == [.programme(.setRepeat(next))])
        }
    }

    /// Of all, or of the listener that is selected on their page.
    @Test func volumeIsOfWhatIsSelected() {
        var scene = PlayerScene.playing()
        scene.press(.character("+"), .character("3"), .down, .character("-"), .character("m"))
        #expect(
            scene.takeOperations() == [
                .listeners(.volume(.step(5)), of: .all), .listeners(.volume(.step(-5)), of: .named("Attic")),
                .listeners(.volume(.toggleMute), of: .named("Attic")),
            ])
    }

    /// Several keys add up, though the listener has not told yet how it plays.
    @Test func aListenerIsShiftedAndGetsAChannel() {
        var scene = PlayerScene.playing()
        scene.press(
            .character("3"), .character("]"), .character("]"), .character("}"), .character("["), .character("x"))
        let kitchen = ListenerTarget.named("Kitchen")
        #expect(
            scene.takeOperations() == [
                .listeners(.offset(.milliseconds(1)), of: kitchen), .listeners(.offset(.milliseconds(2)), of: kitchen),
                .listeners(.offset(.milliseconds(12)), of: kitchen),
                .listeners(.offset(.milliseconds(11)), of: kitchen), .listeners(.role(.left), of: kitchen),
            ])
        // Another one begins at its own.
        scene.press(.down, .character("{"))
        #expect(scene.takeOperations() == [.listeners(.offset(.milliseconds(-10)), of: .named("Attic"))])
        // What was asked for long ago was not done.
        scene.press(.up)
        scene.now += .seconds(3)
        scene.press(.character("]"))
        #expect(scene.takeOperations() == [.listeners(.offset(.milliseconds(1)), of: kitchen)])
        var shifted = PlayerScene.listener(1, "Kitchen")
        shifted.settings?.offset = LoudspeakerSettings.offsetRange.upperBound
        shifted.settings?.role = .mono
        scene.change(.listener(shifted))
        scene.now += .seconds(3)
        scene.press(.character("}"), .character("x"))
        #expect(
            scene.takeOperations() == [
                .listeners(.offset(.seconds(1)), of: kitchen), .listeners(.role(.stereo), of: kitchen),
            ])
        // They are keys of this page alone.
        scene.press(.character("1"), .character("]"), .character("x"))
        #expect(scene.takeOperations() == [])
    }

    @Test func withoutABroadcastNothingIsAsked() {
        var scene = PlayerScene()
        scene.press(.character(" "), .character("+"), .enter, .character("d"), .character("3"), .character("m"))
        #expect(scene.takeActions() == [])
    }

    // MARK: The queue

    @Test func theQueueIsChangedWhereTheSelectionIs() {
        var scene = PlayerScene.playing()
        scene.press(.down, .enter, .character("J"))
        #expect(
            scene.takeOperations() == [
                .programme(.jump(to: .id(songs[1].id))), .programme(.move(.id(songs[1].id), to: 2)),
            ])
        // A key that is held waits until the last edit is seen.
        scene.press(.character("J"), .character("d"))
        #expect(scene.takeOperations() == [])
        scene.change(.queue(.moved(from: 1, to: 2), itemCount: 3))
        #expect(scene.model.queueCursor.selected == 2, "the selection goes with the song")
        scene.press(.character("J"), .character("K"))
        #expect(scene.takeOperations() == [.programme(.move(.id(songs[1].id), to: 1))])
        scene.handle(.answer(.failed(.refused(by: "Den", .noSuchItem))))
        scene.press(.delete)
        #expect(scene.takeOperations() == [.programme(.remove(.id(songs[1].id)))])
    }

    /// Others edit the queue, too.
    @Test func theSelectionStaysOnItsSong() {
        var scene = PlayerScene.playing()
        scene.press(.end)
        scene.change(.queue(.removed(at: 0), itemCount: 2))
        #expect(scene.model.queueCursor.selected == 1)
        scene.press(.character("d"))
        #expect(scene.takeOperations() == [.programme(.remove(.id(songs[2].id)))])
        scene.change(.queue(.removed(at: 1), itemCount: 1))
        #expect(scene.model.queueCursor.selected == 0)
        scene.press(.character("3"), .down)
        scene.change(.listenerGone(instance: 1))
        scene.press(.character("m"))
        #expect(scene.takeOperations() == [.listeners(.volume(.toggleMute), of: .named("Attic"))])
    }

    @Test func theQueueIsEmptiedByTheSameKeyTwice() {
        var scene = PlayerScene.playing()
        scene.press(.character("c"), .down, .character("c"))
        #expect(scene.takeOperations() == [])
        scene.press(.character("c"))
        #expect(scene.takeOperations() == [.programme(.clear)])
        scene.change(.queue(.inserted(at: 0, count: 1), itemCount: 4))
        scene.press(.character("c"))
        scene.now += PlayerModel.noteTime
        scene.press(.character("c"))
        #expect(scene.takeOperations() == [], "the first one is forgotten")
    }

    @Test func editsAreFollowed() {
        var scene = PlayerScene.playing()
        scene.change(.queue(.removed(at: 0), itemCount: 2))
        scene.change(.queue(.moved(from: 1, to: 0), itemCount: 2))
        #expect(scene.model.broadcast?.items == [songs[2], songs[1]])
        #expect(scene.takeActions() == [])
        // What was put in is asked for, once, however much it is.
        scene.change(.queue(.inserted(at: 0, count: 1), itemCount: 3))
        scene.change(.queue(.inserted(at: 1, count: 1), itemCount: 4))
        #expect(scene.takeActions() == [.request(.queue)])
        let four = PlayerScene.songs(4)
        // An answer that is older than the last edit is asked for again.
        scene.show(Array(four.prefix(3)))
        #expect(scene.takeActions() == [.request(.queue)])
        scene.show(four)
        #expect(scene.model.broadcast?.items == four && scene.takeActions() == [])
    }

    @Test func aQueueComesInPages() {
        var scene = PlayerScene()
        let songs = PlayerScene.songs(5)
        scene.connect([])
        scene.change(.queue(.inserted(at: 0, count: 5), itemCount: 5))
        for (first, items) in [(0, songs[0..<2]), (2, songs[2..<4]), (4, songs[4..<5])] {
            scene.handle(.answer(.page(QueuePage(sequence: 2, itemCount: 5, first: first, items: Array(items)))))
        }
        #expect(scene.model.broadcast?.items == songs)
    }

    // MARK: The library

    @Test func whatIsTypedIsLookedFor() {
        var scene = PlayerScene.playing()
        scene.press(.character("/"))
        scene.type("né q")
        scene.press(.backspace, .control("w"), .control("u"), .control("u"))
        #expect(
            scene.takeActions() == [.listAlbums] + ["n", "né", "né ", "né q", "né ", ""].map { .search($0) })
    }

    @Test func onlyTheLastAnswerCounts() {
        var scene = PlayerScene.playing()
        scene.press(.character("/"))
        scene.type("ab")
        scene.handle(.found([FoundSong("A")], for: "a"))
        #expect(scene.model.library.songs == [])
        scene.handle(.found([FoundSong("AB")], for: "ab"))
        #expect(scene.model.library.songs.map(\.title) == ["AB"])
    }

    @Test func songsAreAddedAndPlayedWhereNothingPlays() {
        for (transport, begins) in [(TransportState.playing, false), (.paused, false), (.idle, true), (.stopped, true)]
        {
            var scene = PlayerScene()
            scene.connect(transport == .idle ? [] : songs, transport)
            scene.press(.character("/"))
            scene.type("x")
            scene.handle(.found([FoundSong("A"), FoundSong("B")], for: "x"))
            scene.press(.down, .enter)
            let count = transport == .idle ? 0 : 3
            #expect(
                scene.takeOperations() == [.programme(.add([.file("/music/B.mp3")]))]
                    + (begins ? [.programme(.jump(to: .position(count)))] : []), "\(transport)")
        }
    }

    /// What is added is gone to only if it was added, and once.
    @Test func itBeginsOnce() {
        var scene = PlayerScene()
        scene.connect([], .idle)
        scene.press(.character("/"))
        scene.type("x")
        scene.handle(.found([FoundSong("A"), FoundSong("B")], for: "x"))
        _ = scene.takeActions()
        scene.press(.enter, .down, .enter)
        let added = ["A", "B"].map {
            PlayerAction.request(.command(Command(.programme(.add([.file("/music/\($0).mp3")])))))
        }
        let actions = scene.takeActions()
        #expect(
            actions.count == 3
                && actions.map(\.operation) == [
                    added[0].operation, .programme(.jump(to: .position(0))), added[1].operation,
                ])
        guard case .request(.ifDone) = actions[1] else { Issue.record("\(actions[1])"); return }
        scene.handle(.answer(.failed(.refused(by: "Den", .notAllowed))))
        scene.press(.enter)
        #expect(scene.takeOperations().count == 2, "it was refused, and is tried again")
    }

    /// No command can name it.
    @Test func aPathThatIsTooLongIsLeftOut() {
        var scene = PlayerScene.playing()
        scene.press(.character("/"))
        scene.type("x")
        let long = "/" + String(repeating: "a", count: WireLimits.addressByteCount)
        scene.handle(.found([FoundSong(path: long, title: "x"), FoundSong("B")], for: "x"))
        scene.press(.enter, .escape, .character("i"), .character("o"), .character("a"))
        #expect(scene.takeOperations() == [.programme(.add([.file("/music/B.mp3")]))])
    }

    @Test func whatItIsOpenedWithIsPlayed() {
        var scene = PlayerScene()
        scene.model = PlayerModel(opening: [.file("/a.mp3")])
        scene.connect(songs)
        #expect(
            scene.takeOperations() == [.programme(.add([.file("/a.mp3")])), .programme(.jump(to: .position(3)))])
        scene.change(.modes(PlayModes()))
        #expect(scene.takeOperations() == [])
    }

    @Test func songsComeNextOrNowOrAllAtOnce() {
        var scene = PlayerScene.playing()
        scene.press(.character("/"))
        scene.type("x")
        scene.handle(.found([FoundSong("A"), FoundSong("B")], for: "x"))
        scene.press(.escape, .character("i"), .down, .character("o"), .character("a"))
        #expect(
            scene.takeOperations() == [
                .programme(.insert([.file("/music/A.mp3")], at: 1)),
                .programme(.insert([.file("/music/B.mp3")], at: 1)), .programme(.jump(to: .position(1))),
                .programme(.add([.file("/music/A.mp3"), .file("/music/B.mp3")])),
            ])
    }

    @Test func whatIsNewInTheFoldersIsFound() {
        var scene = PlayerScene.playing()
        scene.handle(.reading(songCount: 10, isDone: true))
        #expect(scene.takeActions() == [])
        scene.press(.character("/"))
        scene.type("x")
        scene.handle(.reading(songCount: 11, isDone: false))
        scene.handle(.reading(songCount: 12, isDone: true))
        #expect(scene.takeActions() == [.listAlbums, .search("x"), .search("x")])
        // While many are read, those that are there already are found.
        for count in 1...10 { scene.handle(.reading(songCount: count * 100, isDone: false)) }
        #expect(scene.takeActions() == [.search("x")])
    }

    @Test func allAreAddedAsAlbumsArePlayed() {
        var scene = PlayerScene.playing()
        scene.press(.character("/"))
        scene.type("x")
        let found = [("e", 4), ("b", 1), ("d", 3), ("a", 0), ("f", 5), ("c", 2)].map { name, place in
            FoundSong(path: "/\(name)", title: name, albumPlace: place)
        }
        scene.handle(.found(found, for: "x"))
        scene.press(.escape, .character("a"))
        #expect(
            scene.takeOperations() == [.programme(.add(["a", "b", "c", "d", "e", "f"].map { .file("/\($0)") }))])
    }

    // MARK: The end

    @Test func musicOfItsOwnEndsByTheSameKeyTwice() {
        var scene = PlayerScene.playing()
        scene.model.ownsBroadcast = true
        scene.press(.character("q"))
        #expect(scene.takeActions() == [])
        scene.press(.control("c"))
        #expect(scene.takeActions() == [.quit])
        scene.change(.status(PlayerScene.status(songs, .paused)))
        scene.press(.character("q"))
        #expect(scene.takeActions() == [.quit])
    }

    @Test func songsOnTheirWayAreAskedFor() {
        var scene = PlayerScene.playing()
        scene.handle(.answer(.sending(fileCount: 3)))
        #expect(scene.lines()[0].contains("sending 3"))
        scene.press(.character("q"))
        #expect(scene.takeActions() == [] && scene.lines().contains { $0.contains("3 songs are still to be sent") })
        scene.press(.character("q"))
        #expect(scene.takeActions() == [.quit])
    }

    @Test func oneIsBegunWhereNoneIsFound() {
        var scene = PlayerScene()
        scene.press(.character("b"))
        #expect(scene.takeActions() == [.begin])
        scene.connect(songs)
        _ = scene.takeActions()
        scene.press(.character("b"))
        #expect(scene.takeActions() == [])
    }

    @Test func othersMusicGoesOn() {
        var scene = PlayerScene.playing()
        scene.press(.character("q"))
        #expect(scene.takeActions() == [.quit])
    }

    @Test func aLostBroadcastIsSaid() {
        var scene = PlayerScene.playing()
        scene.handle(.lost("lost Den"))
        #expect(scene.lines().contains("lost Den") && scene.lines()[0] == "looking for a broadcast")
        #expect(!scene.lines().contains { $0.contains("Song") })
        scene.connect(songs)
        #expect(scene.lines()[0].hasPrefix("Den  playing"))
    }

    // MARK: The mouse

    @Test func theMouseSelectsAndSeeks() {
        var scene = PlayerScene.playing()
        let row = scene.lines().firstIndex { $0.contains("2 Song 2") } ?? 0
        scene.press(.mouse(.press, column: 10, row: row))
        #expect(scene.takeOperations() == [])
        scene.press(.mouse(.press, column: 10, row: row))
        #expect(scene.takeOperations() == [.programme(.jump(to: .id(songs[1].id)))])
        // The bar has 68 columns: half of them is half of the song.
        scene.press(.mouse(.press, column: 34, row: 2))
        #expect(scene.takeOperations() == [.programme(.seek(to: .seconds(148)))])
        scene.press(.mouse(.press, column: 75, row: 2))
        #expect(scene.takeOperations() == [])
        let tabs = scene.lines().firstIndex { $0.hasPrefix("1 queue") } ?? 0
        scene.press(.mouse(.press, column: 23, row: tabs))
        #expect(scene.model.page == .listeners)
        scene.press(.mouse(.wheelDown, column: 0, row: 0), .character("m"))
        #expect(scene.takeOperations() == [.listeners(.volume(.toggleMute), of: .named("Attic"))])
    }

    /// Any keys on any page, in any terminal, with a broadcast and without.
    @Test func anyKeysAreTaken() {
        var generator = SystemRandomNumberGenerator()
        let keys: [Key] =
            [
                .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .enter, .tab, .backTab, .backspace, .delete,
                .escape, .control("u"), .control("w"),
            ]
            + " 123?/npsrz+-mkJKdcaioqé".map { .character($0) }
        for round in 0..<40 {
            var scene = PlayerScene(Int.random(in: 1...120), Int.random(in: 1...40))
            if round % 2 == 0 { scene.connect(PlayerScene.songs(round), listeners: [PlayerScene.listener(1, "A")]) }
            for _ in 0..<200 {
                let mouse = Key.mouse(
                    [.press, .wheelUp, .wheelDown].randomElement() ?? .press, column: .random(in: 0...130),
                    row: .random(in: 0...50))
                scene.press(Int.random(in: 0..<5, using: &generator) == 0 ? mouse : keys.randomElement() ?? .tab)
                scene.handle(
                    .found((0..<Int.random(in: 0...30)).map { FoundSong("\($0)") }, for: scene.model.library.query))
                let albums = (0..<Int64.random(in: 0...30)).map { Album(id: $0, title: "x", songCount: 1) }
                scene.handle(.albums(AlbumList(albums, looseSongCount: .random(in: 0...2))))
                for case .songs(let request) in scene.takeActions() {
                    scene.handle(.songs([FoundSong("y")], of: request))
                }
                let lines = scene.lines()
                #expect(lines.count == scene.size.height && lines.allSatisfy { $0.cellWidth <= scene.size.width })
            }
        }
    }
}

extension PlayerAction {
    fileprivate var operation: CommandOperation? {
        switch self {
        case .request(.command(let command)), .request(.ifDone(let command)): command.operation
        case .request, .search, .listAlbums, .songs, .show, .begin, .quit: nil
        }
    }
}
