import AudioCore
import MusicLibrary
import TerminalIO
import Testing
import WireProtocol

@testable import PlayerScreen

/// How the player looks.
@Suite(.timeLimit(.minutes(5))) struct PlayerFrameTests {
    /// The lines of a frame, without the spaces at their ends.
    private func shown(_ scene: inout PlayerScene) -> [String] {
        scene.lines().map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
    }

    @Test func theQueueIn80Columns() {
        var scene = PlayerScene.playing()
        scene.now += .seconds(2)
        #expect(
            shown(&scene) == [
                "Den  playing                                                          volume 100", "Song 1",
                String(repeating: "#", count: 20) + String(repeating: ".", count: 48) + " 1:25 / 4:56", "next: Song 2",
                "",
                "1 queue   2 library   3 listeners   4 lyrics",
                "> 1 Song 1" + String(repeating: " ", count: 66) + "4:56",
                "  2 Song 2" + String(repeating: " ", count: 66) + "4:56",
                "  3 Song 3" + String(repeating: " ", count: 66) + "4:56", "", "", "", "", "", "", "", "", "", "", "",
                "",
                "", "", "? keys  q quits  enter plays  space pauses  / finds music  d removes  + - volume",
            ])
    }

    @Test func whatBecomesKnownOfSongsIsShown() {
        var scene = PlayerScene.playing()
        for index in 0..<2 {
            var item = PlayerScene.songs(2)[index]
            (item.title, item.artist) = (index == 0 ? "Pavane" : "Gymnopédie", index == 0 ? "Fauré" : "Satie")
            scene.change(.item(item))
        }
        let lines = shown(&scene)
        #expect(lines[1] == "Pavane - Fauré" && lines[3] == "next: Gymnopédie - Satie")
        #expect(lines[6].hasPrefix("> 1 Pavane - Fauré  ") && lines[7].hasPrefix("  2 Gymnopédie - Satie  "))
    }

    /// Pages come one after another, and changes between them.
    @Test func whatBecomesKnownWhileTheQueueComesIsShown() {
        var scene = PlayerScene()
        let songs = PlayerScene.songs(4)
        scene.handle(.answer(.connected("Den")))
        let state = ProgrammeState(
            sequence: 1, sent: SessionTime(nanoseconds: 0), status: PlayerScene.status(songs), itemCount: 4)
        scene.handle(.answer(.state(state, nil)))
        scene.handle(.answer(.page(QueuePage(sequence: 1, itemCount: 4, first: 0, items: Array(songs[..<2])))))
        var second = songs[1]
        second.title = "Pavane"
        scene.change(.item(second))
        scene.handle(.answer(.page(QueuePage(sequence: 2, itemCount: 4, first: 2, items: Array(songs[2...])))))
        #expect(shown(&scene)[6...9].map { $0.split(separator: " ").dropLast().last } == ["1", "Pavane", "3", "4"])
    }

    @Test func theQueueIn40Columns() {
        var scene = PlayerScene.playing(40, 12)
        #expect(
            shown(&scene) == [
                "Den  playing                  volume 100", "Song 1",
                "########.................... 1:23 / 4:56",
                "1 queue 2 library 3 listeners 4 lyrics", "> 1 Song 1" + String(repeating: " ", count: 26) + "4:56",
                "  2 Song 2" + String(repeating: " ", count: 26) + "4:56",
                "  3 Song 3" + String(repeating: " ", count: 26) + "4:56", "", "", "", "",
                "? keys  q quits  enter plays  space pau…",
            ])
    }

    @Test func theLibraryAtBothSizes() {
        for (width, expected) in [
            (
                80,
                "Little Girl Blue" + String(repeating: " ", count: 9) + "Nina Simone"
                    + String(repeating: " ", count: 14)
                    + "Little Girl Blue" + String(repeating: " ", count: 9) + "2:30"
            ), (40, "Little Girl Blue - Nina Simone" + String(repeating: " ", count: 6) + "2:30"),
        ] {
            var scene = PlayerScene.playing(width, 12)
            scene.press(.character("/"))
            scene.type("girl")
            scene.handle(
                .found([FoundSong("Little Girl Blue", artist: "Nina Simone", album: "Little Girl Blue")], for: "girl"))
            let lines = shown(&scene)
            #expect(lines[4].hasPrefix("find: girl") && lines[4].hasSuffix("1 song"))
            #expect(lines[5].split(separator: " ") == expected.split(separator: " "), "\(lines[5])")
            #expect(lines[5].count == width)
        }
    }

    @Test func listenersShowTheirErrors() {
        var scene = PlayerScene.playing()
        scene.press(.character("3"))
        let lines = shown(&scene)
        #expect(lines[6].split(separator: " ") == ["listener", "state", "volume", "error"])
        #expect(lines[7].split(separator: " ") == ["Kitchen", "playing", "100", "+3", "+/-", "12", "us"])
        #expect(lines[8].split(separator: " ") == ["Attic", "playing", "40", "+3", "+/-", "12", "us"])
        var attic = PlayerScene.listener(2, "Attic", volume: 40)
        attic.settings?.role = .left
        attic.settings?.offset = .milliseconds(-3)
        scene.change(.listener(attic))
        #expect(shown(&scene)[6].split(separator: " ") == ["listener", "state", "volume", "role", "offset", "error"])
        let words = shown(&scene)[8].split(separator: " ")
        #expect(words[3] == "left" && words[4].hasPrefix("-3"), "\(words)")
    }

    @Test func whereNothingIsItSaysWhatToDo() {
        var scene = PlayerScene()
        #expect(shown(&scene)[0] == "looking for a broadcast" && shown(&scene)[1] == "b begins one here")
        scene.connect([], .idle)
        #expect(shown(&scene)[1] == "nothing plays" && shown(&scene)[6].contains("/ finds music"))
        scene.press(.character("3"))
        #expect(shown(&scene)[6].contains("tutti join"))
        scene.press(.character("2"))
        scene.handle(.reading(songCount: 0, isDone: true))
        #expect(shown(&scene)[6].hasSuffix("no music: 'tutti library add FOLDER'"))
        scene.handle(.reading(songCount: 70, isDone: false))
        #expect(shown(&scene)[6].hasSuffix("reading music: 70 songs"))
    }

    @Test func aNoteGoesAfterAWhile() {
        for height in [24, 12] {
            var scene = PlayerScene.playing(80, height)
            scene.handle(.note("the card is gone"))
            #expect(shown(&scene).contains("the card is gone"))
            scene.now += PlayerModel.noteTime
            #expect(!shown(&scene).contains("the card is gone"))
        }
    }

    /// The selected row is always among those that are shown.
    @Test(arguments: [24, 12, 6]) func longListsScroll(height: Int) {
        var scene = PlayerScene(60, height)
        scene.connect(PlayerScene.songs(500))
        for keys in [[Key.end], [.up, .up], [.home], [.pageDown, .pageDown], [.pageUp]] {
            for key in keys { scene.press(key) }
            let frame = scene.model.frame(scene.size, now: scene.now, glyphs: .ascii)
            let selected = frame.filter { $0.pieces.map(\.style) == [.selected] }
            #expect(selected.map { $0.text.contains("Song \(scene.model.queueCursor.selected + 1) ") } == [true])
        }
    }

    /// Wide and right-to-left names, and what would steer a terminal.
    @Test func namesOfAnyScriptFit() {
        for title in ["音楽室の午後".repeated(8), "שלום עולם ".repeated(12), "e\u{301}\u{1B}[2J\u{202E}x", "👩‍👩‍👧‍👦".repeated(60)] {
            var scene = PlayerScene(40, 12)
            scene.connect([QueueItem(id: ItemID(1), title: title, duration: .seconds(60))])
            for line in scene.lines() {
                #expect(line.cellWidth <= 40 && !line.contains("\u{1B}") && !line.contains("\u{202E}"))
            }
        }
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
