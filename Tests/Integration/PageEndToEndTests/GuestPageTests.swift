import BrowserKit
import Glibc
import LANKit
import TestbedKit
import Testing

/// The page of a household's broadcast: for guests alone, by a code.
@Suite(.serialized, .enabled(if: mayBrowse, "needs root, and Debian's chromium"), .timeLimit(.minutes(5)))
struct GuestPageTests {
    @Test func aHouseholdsPageIsForGuests() throws {
        let scene = try PageScene()
        let songs = try scene.makeSongs()
        try scene.tutti("household", "create")
        let broadcast = try scene.testbed.start(["broadcast", "--now", "--idle"] + songs, on: PageScene.broadcaster)
        try broadcast.waitForLine(containing: "members of the household", within: 10)
        try scene.wait(for: "playing") { $0["status"]["transport"] == "playing" }
        #expect(try scene.curl([scene.address]).status == 0, "a page without a guest")

        let added = try scene.tutti("guests", "add", "Anna", "--json")
        let address = try #require(JSON(parsing: added.utf8)?["page"].string, "\(added)")
        #expect(address.hasPrefix(scene.address + "#"), "\(address)")
        try scene.waitForPage()
        let browser = try Browser(on: scene.testbed.lan[PageScene.browser])

        // Nothing for somebody without a code, in the page or for programs.
        let stranger = try browser.openPage(scene.address, device: .phone)
        try stranger.wait(for: "A code is needed", in: "#gate-title")
        #expect(try stranger.evaluate("stage.hidden") == true)
        for path in ["status", "queue", "songs?query=a"] {
            #expect(try scene.curl([scene.address + "api/v1/" + path]).status == 401)
        }
        let command = try scene.curl(["--json", #"{"pause":{}}"#, scene.address + "api/v1/commands"])
        #expect(command.status == 401, "\(command)")
        let wrong = try browser.openPage(scene.address + "#AAAAAAAAAAAAAAAAAAAAAA", device: .phone)
        try wrong.wait(for: "You were not let in", in: "#gate-title")

        let guest = try browser.openPage(address, device: .phone)
        try guest.wait(for: PageScene.songs[0], in: "#title")
        #expect(guest.faults.isEmpty, "\(guest.faults)")
        try guest.tap(on: "#toggle")
        try scene.wait(for: "paused by a guest") { $0["status"]["transport"] == "paused" }
        // The code is in the address, and in nothing that was asked for.
        let code = address.split(separator: "#").last.map(String.init) ?? ""
        let asked = try guest.evaluate("performance.getEntriesByType('resource').map((r) => r.name)").text
        #expect(!code.isEmpty && !asked.contains(code))

        try scene.tutti("guests", "add", "Ben")
        try scene.tutti("guests", "remove", "Anna")
        let removed = monotonic()
        try guest.wait(for: "You were not let in", in: "#gate-title", within: 6)
        #expect(monotonic() - removed < 3, "the page went on for \(monotonic() - removed) s")
        try scene.tutti("guests", "remove", "Ben")
        try waitUntil("no page any more", within: 6) { try scene.curl([scene.address]).status == 0 }
        broadcast.signal(SIGINT)
        _ = try broadcast.wait(within: 5)
    }

    private func monotonic() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
    }
}
