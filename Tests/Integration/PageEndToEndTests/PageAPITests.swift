import BrowserKit
import Glibc
import LANKit
import TestbedKit
import Testing

/// The API for programs as its documentation shows it, by curl; and what other sites' pages are refused.
@Suite(.serialized, .enabled(if: mayBrowse, "needs root, and Debian's chromium"), .timeLimit(.minutes(5)))
struct PageAPITests {
    private let scene: PageScene
    private let broadcast: LANProcess
    private let songs: [String]

    init() throws {
        scene = try PageScene()
        songs = try scene.makeSongs()
        broadcast = try scene.broadcast(["--now", "--idle", "--accept-songs"] + songs)
    }

    private func get(_ path: String, _ words: String...) throws -> PageScene.Answer {
        try scene.curl(words + [scene.address + path])
    }

    private func command(_ json: String) throws -> PageScene.Answer {
        try scene.curl(["--json", json, scene.address + "api/v1/commands"])
    }

    @Test func programsSeeAndCommandByCurl() throws {
        let status = try get("api/v1/status")
        #expect(status.status == 200 && status.json["status"]["current"]["title"] == .string(PageScene.songs[0]))
        #expect(status.json["page"]["port"] == 28_885)
        let sequence = try #require(status.json["sequence"].number)
        #expect((status.json["queueSequence"].number ?? .infinity) <= sequence)
        let queue = try get("api/v1/queue?from=1&count=2")
        #expect(queue.json["from"] == 1 && queue.json["count"] == 4 && queue.json["items"].elements.count == 2)
        let schema = try get("api/v1/schema")
        #expect(schema.json["$defs"]["command"] != .null, "\(schema.body.prefix(200))")

        func expect(_ json: String, _ what: String, _ isSo: (JSON) -> Bool) throws {
            let answer = try command(json)
            #expect(answer.status == 200 && answer.json["done"] == true, "\(json): \(answer)")
            try scene.wait(for: what, isSo)
        }
        try expect(#"{"pause":{}}"#, "paused") { $0["status"]["transport"] == "paused" }
        try expect(#"{"play":{}}"#, "playing") { $0["status"]["transport"] == "playing" }
        try expect(#"{"toggle":{}}"#, "paused again") { $0["status"]["transport"] == "paused" }
        try expect(#"{"next":{}}"#, "next") { $0["status"]["current"]["title"] == .string(PageScene.songs[1]) }
        try expect(#"{"previous":{}}"#, "previous") { $0["status"]["current"]["title"] == .string(PageScene.songs[0]) }
        try expect(#"{"seek":{"seconds":30}}"#, "at 30 s") {
            (29...40).contains($0["status"]["position"]["seconds"].number ?? 0)
        }
        try expect(#"{"volume":{"level":40}}"#, "volume") { $0["volume"]["level"] == 40 }
        try expect(#"{"repeat":"one"}"#, "repeat") { $0["modes"]["repeat"] == "one" }
        try expect(#"{"shuffle":true}"#, "shuffle") { $0["modes"]["shuffle"] == true }
        try expect(#"{"shuffle":false}"#, "in order") { $0["modes"]["shuffle"] == false }
        let items = try get("api/v1/queue").json["items"].elements.compactMap { $0["id"].number }
        try #require(items.count == 4)
        let last = Int(items[3])
        try expect(#"{"move":{"item":\#(last),"position":0}}"#, "moved") { _ in
            (try? self.get("api/v1/queue").json["items"][0]["id"].number) == items[3]
        }
        try expect(#"{"jump":{"item":\#(last)}}"#, "jumped") { $0["status"]["current"]["id"].number == items[3] }
        try expect(#"{"remove":{"items":[\#(Int(items[1]))]}}"#, "removed") { $0["items"] == 3 }

        let uploaded = try get("api/v1/songs?name=Four%20Women.mp3", "--data-binary", "@" + songs[0])
        #expect(uploaded.status == 200 && uploaded.json["done"] == true, "\(uploaded)")
        try scene.wait(for: "another song") { $0["items"] == 4 }
        try expect(#"{"clear":{}}"#, "empty") { $0["items"] == 0 }
    }

    @Test func badRequestsAreRefusedWithAReason() throws {
        // No mistake: a page asks for what most songs have.
        #expect(try get("api/v1/items/4000000/artwork").status == 204)
        let refused: [(PageScene.Answer, Int, String)] = [
            (try command("{"), 400, "half an object"), (try command("[]"), 400, "no object"),
            (try command(#"{"explode":{}}"#), 400, "no command"),
            (try command(#"{"jump":{"item":4000000}}"#), 409, "no such item"),
            (try command(#"{"add":{"paths":["/etc/passwd"]}}"#), 409, "a path that was not found"),
            (try get("api/v1/queue?from=x"), 400, "no number"), (try get("api/v1/nothing"), 404, "nothing"),
            (try get("api/v1/items/4000000/lyrics"), 404, "no lyrics"),
            (try get("api/v1/commands"), 405, "GET of commands"),
            (try get("../../etc/passwd", "--path-as-is"), 400, "outside of all"),
            (try get("api/v1/status", "--header", "Host: evil.example"), 421, "a foreign host"),
            (try get("api/v1/status", "--header", "Origin: http://evil.example"), 403, "a foreign origin"),
            (try get("api/v1/status", "--header", "Sec-Fetch-Site: cross-site"), 403, "another site"),
            (
                try scene.curl([
                    "--json", #"{"pause":{}}"#, "--header", "Origin: http://evil.example",
                    scene.address + "api/v1/commands",
                ]), 403, "a command of a foreign origin"
            ),
            (try openSocket("api/v1/events", origin: "http://evil.example"), 403, "a socket of a foreign origin"),
            (try openSocket("listen?ticket=00", origin: nil), 403, "a socket without a ticket"),
        ]
        for (answer, status, what) in refused {
            #expect(answer.status == status, "\(what): \(answer)")
            let reason = answer.json["error"].string ?? answer.json["text"].string ?? ""
            #expect(!reason.isEmpty && !reason.contains("\n"), "\(what): \(answer)")
        }
        let own = scene.address.dropLast()
        #expect(try openSocket("api/v1/events", origin: String(own)).status == 101)
        #expect(try openSocket("api/v1/events", origin: nil).status == 101)
        let named = try get("api/v1/status", "--header", "Host: \(scene.testbed.lan[0].name).local:28885")
        #expect(named.status == 200 || named.status == 421, "\(named)")
        // Nothing of all that did anything.
        let status = try scene.status()
        #expect(status["status"]["transport"] == "playing" && status["items"] == 4)
    }

    /// Asks for a WebSocket; one that is opened stays so until curl gives up.
    private func openSocket(_ path: String, origin: String?) throws -> PageScene.Answer {
        var words = [
            "--http1.1", "--header", "Connection: Upgrade", "--header", "Upgrade: websocket", "--header",
            "Sec-WebSocket-Version: 13", "--header", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        if let origin { words += ["--header", "Origin: " + origin] }
        return try scene.curl(words + [scene.address + path], within: 1)
    }
}
