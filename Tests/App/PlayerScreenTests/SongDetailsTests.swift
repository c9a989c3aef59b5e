import AudioCore
import Controlling
import Songs
import TerminalIO
import Testing
import WireProtocol

@testable import PlayerScreen

/// The words of the song that plays, its picture and its loudness.
@Suite(.timeLimit(.minutes(5))) struct SongDetailsTests {
    private static let first = ItemID(7)
    private static let second = ItemID(8)

    private func lookups(_ actions: [PlayerAction]) -> [LookupSubject] {
        actions.compactMap { if case .request(.lookup(let subject)) = $0 { subject } else { nil } }
    }

    private func lines(_ scene: inout PlayerScene) -> [StyledLine] {
        scene.model.frame(scene.size, now: scene.now, glyphs: .unicode)
    }

    /// Four seconds: a quarter each at -60, -20, -10 dBFS and full scale, as peak and as root mean square.
    private static let levels: [UInt8] = {
        let bytes = [135, 215, 235, 255].flatMap { [UInt8](repeating: $0, count: 20) }.flatMap { [$0, $0] }
        return Array("TLEV".utf8) + [1, 1, 0, 50, 0, 0, 0, 80] + bytes
    }()

    private static let lyrics = Array("[01:20]Sit there\n[01:25]and count your fingers\n[01:30]What can you do?".utf8)

    // MARK: Looking it up

    @Test func aSongIsLookedUpOnce() {
        var scene = PlayerScene()
        scene.connect(PlayerScene.songs(3))
        #expect(lookups(scene.takeActions()) == [.lyrics(of: Self.first), .levels(of: Self.first)])
        scene.change(.status(PlayerScene.status(PlayerScene.songs(3), .paused)))
        #expect(lookups(scene.takeActions()) == [])
        scene.change(.status(PlayerScene.status(Array(PlayerScene.songs(3).dropFirst()))))
        #expect(lookups(scene.takeActions()) == [.lyrics(of: Self.second), .levels(of: Self.second)])
    }

    @Test func aStationHasNothingToLookUp() {
        var scene = PlayerScene()
        scene.connect([QueueItem(id: Self.first, title: "Radio", isLive: true)])
        #expect(lookups(scene.takeActions()) == [])
    }

    @Test func picturesAreForTerminalsThatShowThem() {
        var scene = PlayerScene()
        scene.handle(.picturesArePossible)
        scene.connect(PlayerScene.songs(2))
        #expect(lookups(scene.takeActions()).contains(.artwork(of: Self.first)))
        scene.handle(.answer(.found(.artwork(of: Self.second), [9])))
        #expect(scene.takeActions() == [], "another song's")
        scene.handle(.answer(.found(.artwork(of: Self.first), [1, 2])))
        #expect(scene.takeActions() == [.show(picture: [1, 2])])
        scene.change(.status(PlayerScene.status(Array(PlayerScene.songs(2).dropFirst()))))
        #expect(scene.takeActions().first == .show(picture: nil))
    }

    /// The terminal answers after the song was found.
    @Test func aTerminalMayAnswerLater() {
        var scene = PlayerScene.playing()
        scene.handle(.picturesArePossible)
        scene.handle(.picturesArePossible)
        #expect(scene.takeActions() == [.request(.lookup(.artwork(of: Self.first)))])
    }

    @Test func aPictureTakesItsRoom() {
        var scene = PlayerScene.playing()
        #expect(lines(&scene)[2].cellWidth == 80)
        scene.handle(.picture(isShown: true))
        #expect(lines(&scene).prefix(5).allSatisfy { $0.cellWidth <= 69 })
        #expect(lines(&scene)[2].cellWidth == 69)
        scene.size = ScreenSize(width: 40, height: 12)
        #expect(lines(&scene)[2].cellWidth == 40, "there is no room for one")
    }

    // MARK: Lyrics

    private func singing(_ text: [UInt8]?, _ width: Int = 80, _ height: Int = 24) -> PlayerScene {
        var scene = PlayerScene.playing(width, height)
        scene.press(.character("l"))
        let subject = LookupSubject.lyrics(of: Self.first)
        scene.handle(.answer(text.map { .found(subject, $0) } ?? .foundNothing(subject, reason: "")))
        return scene
    }

    /// 83 s into the song, and five seconds later.
    @Test func theLineThatIsSungStandsOut() {
        for height in [24, 12] {
            var scene = singing(Self.lyrics, 40, height)
            func sung() -> [String] {
                lines(&scene).dropFirst(height > 12 ? 6 : 4).filter { $0.pieces.first?.style == .strong }.map(\.text)
            }
            #expect(sung() == ["Sit there"])
            scene.now += .seconds(5)
            #expect(sung() == ["and count your fingers"])
        }
    }

    @Test func longTextsFollowTheSongAndCanBeScrolled() {
        let text = (0..<100).map { "[00:\($0 < 10 ? "0" : "")\($0 % 60)]line \($0)" }.prefix(60).joined(separator: "\n")
        var scene = singing(Array(text.utf8), 40, 12)
        // Of a song that is past its last line.
        #expect(lines(&scene)[4..<11].map(\.text).last == "line 59")
        scene.press(.up, .up)
        #expect(lines(&scene)[4..<11].map(\.text).last == "line 57")
        scene.press(.home)
        #expect(lines(&scene)[4].text == "line 0")
        // Nobody scrolls beyond the end: one step leads back.
        scene.press(.down)
        #expect(lines(&scene)[4].text == "line 1")
    }

    @Test func longLinesAreBrokenAtSpaces() {
        var scene = singing(Array("aaa bbb ccc ddd eee fff ggg hhh iii jjj kkk lll".utf8), 40, 12)
        #expect(lines(&scene)[4..<6].map(\.text) == ["aaa bbb ccc ddd eee fff ggg hhh iii jjj", "kkk lll"])
    }

    @Test func aSongWithoutWordsSaysSo() {
        var scene = singing(nil)
        #expect(lines(&scene)[6].text.hasPrefix("no words"))
        var empty = singing([])
        #expect(lines(&empty)[6].text.hasPrefix("no words"))
    }

    @Test func wordsOfAPeerSteerNothing() {
        var scene = singing(Array("\u{1B}[2Jhello\u{7}".utf8))
        #expect(!lines(&scene).contains { $0.text.unicodeScalars.contains { $0.value < 0x20 } })
    }

    // MARK: Loudness

    @Test func theBarIsTheSong() {
        var scene = PlayerScene.playing()
        scene.handle(.answer(.found(.levels(of: Self.first), Self.levels)))
        let bar = String(lines(&scene)[2].text.prefix(68))
        #expect(Set(bar) == ["▁", "▃", "▆", "█"] && bar.first == "▁" && bar.last == "█")
        #expect(bar.count == 68 && lines(&scene)[2].text.hasSuffix(" 1:23 / 4:56"))
    }

    @Test func theMeterIsTheMoment() {
        var scene = PlayerScene()
        scene.connect(PlayerScene.songs(1))
        scene.handle(.answer(.found(.levels(of: Self.first), Self.levels)))
        #expect(lines(&scene)[4].text.filter { $0 == "━" }.count == 0, "83 s in, the song is over")
        var status = PlayerScene.status(PlayerScene.songs(1))
        status.position?.frame = FramePosition(0)
        scene.now = HostTime(nanoseconds: 5_000_000_000)
        scene.change(.status(status))
        var counts: [Int] = []
        for _ in 0..<4 {
            scene.now += .milliseconds(500)
            counts.append(lines(&scene)[4].text.filter { $0 == "━" }.count)
            scene.now += .milliseconds(500)
        }
        // -60 dBFS is below the meter's end at -48.
        #expect(counts[0] == 0 && counts[3] == 74 && counts == counts.sorted(), "\(counts)")
        scene.change(.status(PlayerScene.status(PlayerScene.songs(1), .paused)))
        #expect(lines(&scene)[4].text == "")
    }

    @Test func whatIsNoEnvelopeShowsNothing() {
        var scene = PlayerScene.playing()
        scene.handle(.answer(.found(.levels(of: Self.first), [1, 2, 3])))
        #expect(lines(&scene)[4].text == "" && lines(&scene)[2].text.contains("━"))
    }
}
