import BrowserKit
import Glibc
import LANKit
import SoundCardKit
import StreamTestKit
import TestbedKit
import Testing

/// Namespaces need root. Under CI=true the tests run regardless, and fail without it.
let mayBrowse = geteuid() == 0 && BrowserKind.chromium.isInstalled || getenv("CI").map { String(cString: $0) } == "true"

/// Whether these tests were built with optimization, and with them what they run.
#if DEBUG
    let isOptimized = false
#else
    let isOptimized = true
#endif

/// A broadcaster, a host with a browser and one with a native listener, each with clocks and a card of its own.
final class PageScene {
    let testbed: Testbed
    static let broadcaster = 0
    /// Its card runs 40 ppm too fast, its clocks stand two hours ahead and run 50 ppm too fast.
    static let browser = 1
    static let native = 2

    /// Some of a broadcast's songs: title, and seconds.
    static let songs = ["Mood Indigo", "Little Girl Blue", "Plain Gold Ring", "Central Park Blues"]

    /// For a page by https; nil for one by http.
    private let certificate: MadeCertificate?
    private let directory = StreamTestKit.TemporaryDirectory()

    init(isSecure: Bool = false) throws {
        testbed = try Testbed()
        certificate = isSecure ? try MadeCertificate([], in: directory) : nil
    }

    var address: String { "\(certificate == nil ? "http" : "https")://\(testbed.lan[Self.broadcaster].address):28885/" }

    /// Writes a tone of a minute as MP3, with tags, into a directory of the LAN.
    func makeSong(_ title: String, by artist: String = "Nina Simone", at name: String) throws -> String {
        let path = testbed.lan.path(name)
        let tags = ["-metadata", "title=\(title)", "-metadata", "artist=\(artist)"]
        let tone = ["-f", "lavfi", "-i", "sine=frequency=440:duration=60:sample_rate=44100"]
        let made = try testbed.lan[0].run(
            ["ffmpeg", "-nostdin", "-y", "-loglevel", "error"] + tone + tags + [path], within: 30)
        try #require(made.status == .exited(0))
        return path
    }

    func makeSongs() throws -> [String] {
        try Self.songs.enumerated().map { try makeSong($1, at: "song\($0).mp3") }
    }

    /// Starts a broadcast, and returns when its page is served and follows it.
    func broadcast(_ words: [String]) throws -> LANProcess {
        let flags = certificate.map { ["--certificate", $0.certificatePath, "--certificate-key", $0.keyPath] }
        let process = try testbed.start(["broadcast"] + (flags ?? []) + words, on: Self.broadcaster)
        try waitForPage()
        try waitUntil("the page's state", within: 10) { try curl([address + "api/v1/status"]).status == 200 }
        return process
    }

    func waitForPage() throws {
        try waitUntil("a page at \(address)", within: 10) {
            try curl([address, "--output", "/dev/null"]).status == 200
        }
    }

    /// Runs `tutti` on the broadcaster's host.
    @discardableResult
    func tutti(_ words: String..., code: Int32 = 0) throws -> String {
        let process = try testbed.lan[Self.broadcaster].spawn([testbed.program] + words)
        let status = try process.wait(within: 30)
        #expect(status == .exited(code), "tutti \(words): \(process.output)\(process.errors)")
        return process.output
    }

    /// What `tutti status --json` says.
    func status() throws -> JSON {
        let said = try tutti("status", "--json")
        return try #require(JSON(parsing: said.utf8), "\(said)")
    }

    /// Waits until `tutti status --json` says so.
    func wait(for what: String, within seconds: Double = 5, _ isSo: (JSON) -> Bool) throws {
        var last = JSON.null
        do {
            try waitUntil(what, within: seconds) {
                last = try status()
                return isSo(last)
            }
        } catch {
            Issue.record("not so: \(what); \(last.text)")
        }
    }

    /// What curl got: the status, 0 for no answer at all, and the body.
    struct Answer {
        var status: Int
        var body: String

        var json: JSON { JSON(parsing: body.utf8) ?? .null }
    }

    /// Runs curl on the browser's host.
    func curl(_ words: [String], within seconds: Double = 10) throws -> Answer {
        let process = try testbed.lan[Self.browser].spawn(
            // Nobody vouches for the certificate.
            ["curl", "--silent", "--insecure", "--max-time", "\(seconds)", "--write-out", "\n%{http_code}"] + words)
        _ = try process.wait(within: seconds + 5)
        var lines = process.output.split(separator: "\n", omittingEmptySubsequences: false)
        let status = lines.popLast().flatMap { Int($0) } ?? 0
        return Answer(status: status, body: lines.joined(separator: "\n"))
    }
}

extension BrowserPage {
    /// Its errors, but for pictures that a song does not have: Chromium tells of each on the console.
    var faults: [String] { errors.filter { !$0.contains("/artwork?ticket=") } }

    /// Waits until an element's text is this.
    func wait(for text: String, in selector: String, within seconds: Double = 5) throws {
        let quoted = JSON.string(text).text
        do {
            try wait(
                for: "document.querySelector(\(JSON.string(selector).text))?.textContent.trim() === \(quoted)",
                within: seconds)
        } catch {
            let shown = try evaluate("document.querySelector(\(JSON.string(selector).text))?.textContent")
            Issue.record("\(selector) does not say \(text) but \(shown.text); \(errors)")
        }
    }

    /// Waits until something is shown.
    func waitUntilShown(_ selector: String, within seconds: Double = 5) throws {
        try wait(
            for: "document.querySelector(\(JSON.string(selector).text))?.checkVisibility()", within: seconds)
    }

    func text(of selector: String) throws -> String {
        try evaluate("document.querySelector(\(JSON.string(selector).text))?.innerText ?? ''").string ?? ""
    }

    /// Gives a slider a value, as somebody's finger does.
    func slide(_ selector: String, to value: Double) throws {
        try evaluate(
            """
            (() => {
                const slider = document.querySelector(\(JSON.string(selector).text));
                slider.value = \(value);
                slider.dispatchEvent(new Event("input", { bubbles: true }));
                slider.dispatchEvent(new Event("change", { bubbles: true }));
            })()
            """)
    }

    /// Chooses files, as somebody does in the dialogue that opens.
    func choose(files: [String], in selector: String) throws {
        let root = try call("DOM.getDocument")["root"]["nodeId"]
        let node = try call("DOM.querySelector", ["nodeId": root, "selector": .string(selector)])["nodeId"]
        try call("DOM.setFileInputFiles", ["files": .array(files.map { .string($0) }), "nodeId": node])
    }
}
