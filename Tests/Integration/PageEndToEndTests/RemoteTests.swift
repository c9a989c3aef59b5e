import BrowserKit
import Glibc
import LANKit
import TestbedKit
import Testing

/// The page as a remote control, in Chromium, of a broadcast by the real binary.
@Suite(.serialized, .enabled(if: mayBrowse, "needs root, and Debian's chromium"), .timeLimit(.minutes(5)))
struct RemoteTests {
    private let scene: PageScene
    private let songs: [String]
    private let browser: Browser
    private static let artist = "Nina Simone"

    init() throws {
        scene = try PageScene()
        songs = try scene.makeSongs()
        browser = try Browser(on: scene.testbed.lan[PageScene.browser])
    }

    /// Opens the page, and returns when it shows what plays.
    private func openPage(_ device: BrowserDevice = .phone, title: String = PageScene.songs[0]) throws -> BrowserPage {
        let page = try browser.openPage(scene.address, device: device)
        try page.wait(for: title, in: "#title")
        return page
    }

    private func start(_ words: [String] = []) throws -> LANProcess {
        try scene.broadcast(["--now", "--idle"] + words + songs)
    }

    @Test func clicksCommandTheBroadcast() throws {
        let broadcast = try start()
        let page = try openPage(.desktop)
        try page.wait(for: Self.artist, in: "#artist")
        try page.wait(for: "document.querySelectorAll('#queue-list > li').length === 4", within: 5)
        #expect(try page.text(of: "#queue-list > li[aria-current] .song") == PageScene.songs[0])

        try page.click(on: "#toggle")
        try scene.wait(for: "paused") { $0["status"]["transport"] == "paused" }
        try page.wait(for: "toggle.getAttribute('aria-label') === 'Play'", within: 5)
        try page.click(on: "#toggle")
        try scene.wait(for: "playing") { $0["status"]["transport"] == "playing" }
        try page.click(on: "#next-button")
        try scene.wait(for: "the next song") { $0["status"]["current"]["title"].string == PageScene.songs[1] }
        try page.wait(for: PageScene.songs[1], in: "#title")
        try page.slide("#seek", to: 40)
        try scene.wait(for: "40 s into the song") {
            (40...48).contains($0["status"]["position"]["seconds"].number ?? 0)
        }
        try page.slide("#group-volume", to: 30)
        try scene.wait(for: "a volume of 30") { $0["volume"]["level"] == 30 }
        try page.click(on: "#group-mute")
        try scene.wait(for: "silence") { $0["volume"]["muted"] == true }
        try page.click(on: "#group-mute")
        try page.click(on: "#repeat-button")
        try scene.wait(for: "repetition") { $0["modes"]["repeat"] == "all" && $0["volume"]["muted"] == false }
        // What others do is seen here.
        try scene.tutti("volume", "55")
        try page.wait(for: "55", in: "#group-level")
        // From its beginning, and then the song before.
        try scene.tutti("previous")
        try scene.tutti("previous")
        try page.wait(for: PageScene.songs[0], in: "#title")

        // By keys: the second song goes up.
        let second = "#queue-list > li:nth-child(2) .grip"
        try page.evaluate("document.querySelector('\(second)').focus()")
        try page.press(.up)
        try scene.wait(for: "the second song before the first") { _ in (try? self.items()) == [2, 1, 3, 4] }
        try page.wait(for: PageScene.songs[1], in: "#queue-list .song")
        #expect(page.faults.isEmpty, "\(page.faults)")
        end(broadcast)
    }

    @Test func songsAreDraggedByMouseAndFinger() throws {
        let broadcast = try start()
        let page = try openPage(.desktop)
        try page.wait(for: "document.querySelectorAll('#queue-list > li').length === 4", within: 5)
        let row = { (number: Int) in "#queue-list > li:nth-child(\(number))" }
        // Above the first song, and below the third one.
        try page.drag("\(row(4)) .grip", onto: row(1), depth: 0.1)
        try scene.wait(for: "the last song before the first") { _ in (try? self.items()) == [4, 1, 2, 3] }
        try page.wait(for: PageScene.songs[3], in: "#queue-list .song")
        try page.show(on: .phone)
        try page.drag("\(row(1)) .grip", onto: row(3), depth: 0.9, by: .finger)
        try scene.wait(for: "it behind the third song") { _ in (try? self.items()) == [1, 2, 4, 3] }
        try page.wait(for: PageScene.songs[0], in: "#queue-list .song")
        #expect(page.faults.isEmpty, "\(page.faults)")
        end(broadcast)
    }

    /// The queue's items by their numbers, as programs see it.
    private func items() throws -> [Double] {
        try scene.curl([scene.address + "api/v1/queue"]).json["items"].elements.compactMap { $0["id"].number }
    }

    private func jump(toPosition position: Int) throws {
        let item = try #require(try items()[safe: position])
        let command = #"{"jump":{"item":\#(Int(item))}}"#
        #expect(try scene.curl(["--json", command, scene.address + "api/v1/commands"]).status == 200)
    }

    @Test func songsAreAddedWhereTheyAreAccepted() throws {
        let music = scene.testbed.lan.path("host1/Music")
        mkdir(music, 0o755)
        _ = try scene.makeSong("Wild Is the Wind", at: "host1/Music/wild.mp3")
        let upload = try scene.makeSong("Four Women", at: "Four Women.mp3")
        let broadcast = try start(["--accept-songs"])
        let page = try openPage()
        try page.tap(on: "#tab-songs")
        try page.evaluate("search.focus()")
        try page.type("wild")
        try page.wait(for: "document.querySelectorAll('#found > li').length === 1", within: 15)
        try page.tap(on: "#found button")
        try scene.wait(for: "a fifth song") { $0["items"] == 5 }
        try jump(toPosition: 4)
        try page.wait(for: "Wild Is the Wind", in: "#title")
        try page.choose(files: [upload], in: "#files")
        try scene.wait(for: "a sixth song", within: 10) { $0["items"] == 6 }
        try jump(toPosition: 5)
        try page.wait(for: "Four Women", in: "#title")
        // What is no song is refused, with a reason.
        let text = scene.testbed.lan.path("text.mp3")
        let file = try #require(fopen(text, "we"))
        fputs("no song at all\n", file)
        fclose(file)
        try page.choose(files: [text], in: "#files")
        try page.wait(for: "document.querySelector('#uploads .warning')?.textContent.length > 5", within: 10)
        #expect(try scene.status()["items"] == 6)
        #expect(page.faults.allSatisfy { $0.contains("/api/v1/songs") }, "\(page.faults)")
        end(broadcast)
    }

    @Test func noneAreAddedWhereTheyAreNot() throws {
        let broadcast = try start()
        let page = try openPage()
        #expect(try page.evaluate("document.getElementById('tab-songs').hidden") == true)
        let refused = try scene.curl(
            ["--data-binary", "@" + songs[0], scene.address + "api/v1/songs?name=again.mp3"])
        #expect(refused.status == 403 && refused.json["error"].string?.isEmpty == false, "\(refused)")
        #expect(try scene.status()["items"] == 4)
        end(broadcast)
    }

    /// Two pages see each other's commands; both come back by themselves to a broadcaster that was killed.
    @Test func pagesFollowEachOtherAndComeBack() throws {
        let broadcast = try start()
        let phone = try openPage()
        let desktop = try openPage(.desktop)
        try desktop.click(on: "#next-button")
        try phone.wait(for: PageScene.songs[1], in: "#title")
        try phone.bringToFront()
        try phone.tap(on: "#toggle")
        try desktop.wait(for: "toggle.getAttribute('aria-label') === 'Play'", within: 5)

        broadcast.signal(SIGKILL)
        _ = try broadcast.wait(within: 5)
        for page in [phone, desktop] {
            try page.wait(for: "phase.textContent.startsWith('Connection lost')", within: 10)
        }
        // What is pressed now is not done, and that is said.
        try phone.tap(on: "#toggle")
        try phone.wait(for: "toast.textContent.length > 0", within: 5)
        let comeback = try start()
        for page in [phone, desktop] {
            try page.wait(for: PageScene.songs[0], in: "#title", within: 20)
            try page.wait(for: "", in: "#phase", within: 20)
        }
        try phone.tap(on: "#next-button")
        try desktop.wait(for: PageScene.songs[1], in: "#title")
        end(comeback)
    }

    @Test func thePageFitsPhonesAndDesktopsAndIsReadOut() throws {
        let broadcast = try start(["--accept-songs"])
        let page = try openPage()
        for device in [BrowserDevice(width: 320, height: 568, scale: 2, isPhone: true), .phone, .desktop] {
            try page.show(on: device)
            for tab in ["queue", "songs", "listeners", "lyrics"] {
                try page.evaluate("document.getElementById('tab-\(tab)').click()")
                let excess = try page.evaluate("document.documentElement.scrollWidth - innerWidth").number ?? 1
                #expect(excess <= 0, "\(tab) is \(excess) pixels too wide on \(device.width)")
                try expectNames(page, tab: tab)
            }
        }
        // Fingers need room.
        try page.show(on: .phone)
        let small = try page.evaluate(
            """
            [...document.querySelectorAll("#transport button, #listen-button, [role=tab]")].filter((b) => {
                const box = b.getBoundingClientRect();
                return box.width > 0 && (box.width < 40 || box.height < 40);
            }).map((b) => b.id)
            """)
        #expect(small.elements.isEmpty, "too small for a finger: \(small.text)")
        // Nothing comes from anywhere else, and no cookie is set.
        let foreign = try page.evaluate(
            """
            performance.getEntriesByType("resource").map((r) => r.name)
                .filter((name) => !name.startsWith(location.origin) && !name.startsWith("data:"))
            """
        )
        #expect(foreign.elements.isEmpty, "\(foreign.text)")
        #expect(try page.evaluate("document.cookie") == "")
        #expect(page.faults.isEmpty, "\(page.faults)")
        end(broadcast)
    }

    /// Whatever can be used has a name.
    private func expectNames(_ page: BrowserPage, tab: String) throws {
        let nodes = try page.accessibilityTree()
        let used = nodes.filter {
            ["button", "slider", "tab", "checkbox", "combobox", "textbox", "searchbox", "img"].contains($0.role)
        }
        #expect(used.count > 8, "\(tab): \(used.count)")
        let nameless = used.filter { $0.name.isEmpty }
        #expect(nameless.isEmpty, "\(tab): \(nameless)")
        #expect(nodes.contains { $0.role == "heading" && $0.name == PageScene.songs[0] })
    }

    private func end(_ broadcast: LANProcess) {
        broadcast.signal(SIGINT)
        _ = try? broadcast.wait(within: 5)
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
