import AudioCore
import MusicLibrary
import TerminalIO
import Testing
import WireProtocol

@testable import PlayerScreen

/// The library's page while nothing is typed: all albums.
@Suite(.timeLimit(.minutes(5))) struct AlbumBrowsingTests {
    private static let albums: [Album] = [
        .init(id: 4, title: "Waterloo", artist: "Abba", year: 1974, songCount: 11),
        .init(id: 2, title: "Hits", year: 1999, songCount: 1),
        .init(id: 9, title: "Blue", artist: "Nina Simone", songCount: 12),
    ]

    /// One that shows these albums.
    private func browsing(
        _ list: AlbumList = AlbumList(albums), _ width: Int = 80, _ height: Int = 24
    ) -> PlayerScene {
        var scene = PlayerScene.playing(width, height)
        scene.press(.character("2"))
        scene.handle(.reading(songCount: 24, isDone: true))
        scene.handle(.albums(list))
        _ = scene.takeActions()
        return scene
    }

    private func files(_ names: String...) -> [ItemSource] { names.map { .file("/music/\($0).mp3") } }

    /// The albums that are asked for.
    private func requests(_ scene: inout PlayerScene) -> [AlbumRequest] {
        scene.takeActions().compactMap { if case .songs(let request) = $0 { request } else { nil } }
    }

    // MARK: How it looks

    @Test func albumsIn80Columns() {
        var scene = browsing()
        let lines = scene.lines()
        #expect(lines[6] == "find: " + String(repeating: " ", count: 66) + "3 albums")
        #expect(lines[7] == "Abba - Waterloo" + String(repeating: " ", count: 49) + "1974    11 songs")
        #expect(lines[8] == "Hits" + String(repeating: " ", count: 60) + "1999      1 song")
        #expect(lines[9] == "Nina Simone - Blue" + String(repeating: " ", count: 53) + " 12 songs")
        #expect(lines[10].allSatisfy { $0 == " " } && lines[23].contains("enter adds the album"))
    }

    @Test func albumsIn40Columns() {
        var scene = browsing(AlbumList(Self.albums, looseSongCount: 3), 40, 12)
        let lines = scene.lines()
        #expect(lines[4] == "find: " + String(repeating: " ", count: 10) + "3 songs without an album")
        #expect(lines[5] == "Abba - Waterloo" + String(repeating: " ", count: 21) + "1974")
        #expect(lines[6] == "Hits" + String(repeating: " ", count: 32) + "1999")
    }

    @Test func songsWithoutAnAlbumAreTold() {
        var scene = browsing(AlbumList(Self.albums, looseSongCount: 3))
        #expect(scene.lines()[6].hasSuffix("3 albums  3 songs without an album: / finds them"))
        scene.press(.character("/"))
        #expect(scene.lines()[6].hasSuffix("3 albums  3 songs without an album: type to find them"))
        let many = (0..<PlayerModel.albumLimit).map { Album(id: Int64($0), title: "x", songCount: 1) }
        scene.handle(.albums(AlbumList(many)))
        #expect(scene.lines()[6].hasSuffix(" 5000+ albums"))
    }

    /// Tags may say anything.
    @Test(arguments: [80, 40, 3]) func namesOfAnyScriptFit(width: Int) {
        let names = [
            String(repeating: "音楽室の午後", count: 90), "e\u{301}\u{1B}[2J\u{202E}x\n", "שלום", "", "\u{9B}31m\u{7}\r\t",
        ]
        let albums = names.enumerated().map { number, name in
            Album(id: Int64(number), title: name, artist: name, year: .min, songCount: .max)
        }
        var scene = browsing(AlbumList(albums, looseSongCount: .max), width, 12)
        for line in scene.lines() {
            #expect(line.cellWidth <= width)
            #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control || $0 == "\u{202E}" })
        }
    }

    @Test(arguments: [24, 12]) func manyAlbumsScroll(height: Int) {
        let albums = (0..<500).map { Album(id: Int64(1_000 - $0), title: "Album \($0)!", songCount: 1) }
        var scene = browsing(AlbumList(albums), 80, height)
        let pageHeight = height == 24 ? 14 : 5
        let wheel = Key.mouse(.wheelDown, column: 0, row: 0)
        for (key, row) in [(Key.end, 499), (.up, 498), (.home, 0), (.pageDown, pageHeight), (wheel, pageHeight + 3)] {
            scene.press(key)
            let frame = scene.model.frame(scene.size, now: scene.now, glyphs: .ascii)
            let selected = frame.filter { $0.pieces.map(\.style) == [.selected] }
            #expect(selected.map { $0.text.contains("Album \(row)!") } == [true], "\(key)")
        }
    }

    // MARK: What is asked for

    /// Once when they are seen first, and again when there may be others.
    @Test func albumsAreListedWhenTheyAreSeen() {
        var scene = PlayerScene.playing()
        scene.handle(.reading(songCount: 24, isDone: true))
        #expect(scene.takeActions() == [])
        scene.press(.character("2"), .character("1"), .character("2"))
        #expect(scene.takeActions() == [.listAlbums])
        scene.handle(.albums(AlbumList(Self.albums)))
        scene.handle(.reading(songCount: 25, isDone: false))
        #expect(scene.takeActions() == [])
        scene.handle(.reading(songCount: 26, isDone: true))
        #expect(scene.takeActions() == [.listAlbums])
        scene.press(.character("1"))
        scene.handle(.reading(songCount: 27, isDone: true))
        #expect(scene.takeActions() == [])
        scene.press(.character("/"))
        #expect(scene.takeActions() == [.listAlbums])
        // While songs are seen instead, albums need not be.
        scene.type("x")
        scene.handle(.reading(songCount: 28, isDone: true))
        #expect(scene.takeActions() == [.search("x"), .search("x")])
        scene.press(.backspace)
        #expect(scene.takeActions() == [.search(""), .listAlbums])
    }

    @Test func theSelectionStaysOnItsAlbum() {
        var scene = browsing()
        scene.press(.end)
        scene.handle(.albums(AlbumList(Self.albums.reversed())))
        scene.press(.enter)
        #expect(requests(&scene).map(\.album) == [9])
    }

    @Test func anAlbumIsAddedOrPlayedNextOrNow() {
        for (key, expected) in [
            (Key.enter, [ProgrammeOperation.add(files("B", "A"))]), (.character("a"), [.add(files("B", "A"))]),
            (.character("i"), [.insert(files("B", "A"), at: 1)]),
            (.character("o"), [.insert(files("B", "A"), at: 1), .jump(to: .position(1))]),
        ] {
            var scene = browsing()
            scene.press(.down, key)
            let requests = requests(&scene)
            #expect(requests.map(\.album) == [2])
            for request in requests { scene.handle(.songs([FoundSong("B"), FoundSong("A")], of: request)) }
            #expect(scene.takeOperations() == expected.map { .programme($0) }, "\(key)")
            for request in requests { scene.handle(.songs([FoundSong("B")], of: request)) }
            #expect(scene.takeOperations() == [], "it is answered once")
        }
    }

    @Test func anAlbumBeginsWhereNothingPlays() {
        var scene = PlayerScene()
        scene.connect([], .idle)
        scene.press(.character("2"))
        scene.handle(.albums(AlbumList(Self.albums)))
        _ = scene.takeActions()
        scene.press(.enter)
        for request in requests(&scene) { scene.handle(.songs([FoundSong("A")], of: request)) }
        #expect(
            scene.takeOperations() == [.programme(.add(files("A"))), .programme(.jump(to: .position(0)))])
    }

    /// More songs than one command holds come one after the other, and the first one is played.
    @Test func aLongAlbumIsInsertedInItsOrder() {
        var scene = browsing()
        let songs = (0..<WireLimits.sourcesPerCommand + 2).map { FoundSong("\($0)") }
        scene.press(.character("o"))
        for request in requests(&scene) { scene.handle(.songs(songs, of: request)) }
        let sources = songs.map { ItemSource.file($0.path) }
        let batches = ItemSource.batches(of: sources)
        #expect(batches.count > 1 && batches.flatMap(\.self) == sources)
        var (expected, position) = ([ProgrammeOperation](), 1)
        for batch in batches {
            expected.append(.insert(batch, at: position))
            if position == 1 { expected.append(.jump(to: .position(1))) }
            position += batch.count
        }
        #expect(scene.takeOperations() == expected.map { .programme($0) })
    }

    @Test func aClickOnTheSelectedAlbumAddsIt() {
        var scene = browsing()
        scene.press(.mouse(.press, column: 3, row: 9))
        #expect(requests(&scene) == [])
        scene.press(.mouse(.press, column: 3, row: 9))
        #expect(requests(&scene).map(\.album) == [9])
    }

    @Test func rightStillSeeks() {
        var scene = browsing()
        scene.press(.right)
        #expect(scene.takeOperations() == [.programme(.skip(by: .seconds(10)))])
    }

    // MARK: Answers that come late

    /// Each of several albums is added, though the first one's songs come after the second one was asked for.
    @Test func severalAlbumsAreAdded() {
        var scene = browsing()
        scene.press(.enter, .down, .enter)
        let requests = requests(&scene)
        #expect(requests.map(\.album) == [4, 2])
        for request in requests { scene.handle(.songs([FoundSong("\(request.album)")], of: request)) }
        #expect(scene.takeOperations() == [.programme(.add(files("4"))), .programme(.add(files("2")))])
    }

    @Test func whatWasToBePlayedIsNotOnceSomethingElseIs() {
        for keys in [[Key.down, .character("o")], [.character("n")], [.character("s")], [.character(" ")]] {
            var scene = browsing()
            scene.press(.character("o"))
            let late = requests(&scene)
            for key in keys { scene.press(key) }
            _ = scene.takeActions()
            for request in late { scene.handle(.songs([FoundSong("A")], of: request)) }
            #expect(late.count == 1 && scene.takeOperations() == [], "\(keys)")
        }
    }

    @Test func nothingIsAddedToAQueueThatWasEmptiedOrLost() {
        var scene = browsing()
        scene.press(.enter)
        var late = requests(&scene)
        scene.press(.character("1"), .character("c"), .character("c"))
        #expect(scene.takeOperations() == [.programme(.clear)])
        scene.press(.character("2"), .enter)
        late += requests(&scene)
        scene.handle(.lost("lost Den"))
        scene.connect(PlayerScene.songs(2))
        _ = scene.takeActions()
        for request in late { scene.handle(.songs([FoundSong("A")], of: request)) }
        #expect(late.count == 2 && scene.takeOperations() == [])
    }

    @Test func anAlbumThatIsGoneIsTold() {
        var scene = browsing()
        scene.press(.enter)
        for request in requests(&scene) { scene.handle(.songs([], of: request)) }
        #expect(scene.takeOperations() == [] && scene.lines().contains("the album is no longer there"))
    }

    /// However long a key is held.
    @Test func fewRequestsWait() {
        var requests = AlbumRequests()
        let all = (0..<100).map { requests.ask($0, .last) }
        let taken = all.filter { requests.take($0) }
        #expect(taken == all.suffix(AlbumRequests.limit))
    }

    // MARK: Typing

    /// It begins by itself only where there is no album to choose.
    @Test func typingBeginsByItselfWhereThereIsNoAlbum() {
        var scene = browsing()
        #expect(!scene.model.library.isTyping)
        scene.press(.character("/"))
        scene.type("nina")
        scene.handle(.found([FoundSong("A")], for: "nina"))
        #expect(scene.takeActions().last == .search("nina") && scene.lines()[7].hasPrefix("A "))
        scene.press(.control("u"))
        #expect(scene.lines()[7].hasPrefix("Abba - Waterloo"))
        scene.press(.down, .enter)
        #expect(requests(&scene).map(\.album) == [2], "albums are chosen while nothing is typed yet")
        scene.press(.character("n"), .escape, .escape)
        #expect(scene.model.library.query.isEmpty && !scene.model.library.isTyping)
        var loose = browsing(AlbumList([], looseSongCount: 2))
        #expect(loose.model.library.isTyping)
        // Who ends it is left alone.
        loose.press(.escape)
        loose.handle(.albums(AlbumList([], looseSongCount: 3)))
        #expect(!loose.model.library.isTyping)
        loose.press(.character("1"), .character("2"))
        #expect(loose.model.library.isTyping)
        #expect(!browsing(AlbumList([])).model.library.isTyping, "there is nothing to find")
    }
}
