import BrowserKit
import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit
import Testing

/// A browser that listens beside a native listener: what counts is what came out of their sound cards.
@Suite(
    .serialized, .enabled(if: mayBrowse, "needs root, and Debian's chromium"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"),
    .timeLimit(.minutes(5)))
struct BrowserListeningTests {
    /// How far it may be before anybody set its offset, in seconds.
    private static let constantLimit = 0.010
    /// How far that may move, in seconds.
    private static let driftLimit = 0.001
    /// What Chromium holds at the card: so long after the machine stood still there may be a gap, in seconds.
    private static let browserBuffer = 0.1
    /// How exactly an offset must be followed, in seconds.
    private static let offsetLimit = 0.002
    private static let offset = 30_000

    /// What was heard of a run, in seconds of skew of the browser beside the native listener.
    private struct Run {
        var before: SkewReport
        var after: SkewReport
        /// Those before the offset that no stall of the machine explains.
        var silences: [ClosedRange<Double>]
        var testbed: Testbed
        var processes: [LANProcess]

        var account: String { testbed.account(of: processes) }
    }

    /// By https, in a secure context, it plays on the sound's own thread.
    @Test(arguments: [false, true]) func aBrowserPlaysInStep(isSecure: Bool) throws {
        let run = try undisturbed { try listen(isSecure: isSecure) }
        let constant = try #require(run.before.percentile(0.5), "\(run.before.summary) \(run.account)")
        let skews = run.before.windows.map(\.skew)
        let middle = skews.sorted()[skews.count / 2]
        print("browser: \(run.before.summary); by the offset \(run.after.summary)")
        #expect(constant < Self.constantLimit, "\(run.before.summary) \(run.account)")
        #expect(run.before.windows.count >= 20 && run.before.unlikeWindows.isEmpty, "\(run.account)")
        for skew in skews { #expect(abs(skew - middle) < Self.driftLimit, "\(run.before.summary) \(run.account)") }
        #expect(run.silences.isEmpty, "gaps: \(run.silences) \(run.account)")
        let moved = run.after.windows.map(\.skew).sorted()
        try #require(!moved.isEmpty, "\(run.account)")
        let way = moved[moved.count / 2] - middle
        #expect(abs(way - Double(Self.offset) * 1e-6) < Self.offsetLimit, "moved by \(way) s \(run.account)")
    }

    private func listen(isSecure: Bool) throws -> Run {
        let scene = try PageScene(isSecure: isSecure)
        let testbed = scene.testbed
        let song = try SongFile(.constantBitRate, seconds: 60, in: testbed.lan)
        let native = try testbed.start(["join", "--once"], on: PageScene.native)
        Testbed.letAnnouncementsPass()
        let broadcast = try scene.broadcast([song.path])
        let browser = try Browser(
            on: testbed.lan[PageScene.browser], card: testbed.cards[PageScene.browser],
            flags: isSecure ? ["--ignore-certificate-errors"] : [])
        let page = try browser.openPage(scene.address, device: .phone)
        try testbed.waitForSound(on: PageScene.native)
        try page.waitUntilShown("#listen-button")
        try page.evaluate(
            """
            globalThis.workletNodes = 0;
            globalThis.AudioWorkletNode = class extends (globalThis.AudioWorkletNode ?? Object) {
                constructor(...parts) { super(...parts); globalThis.workletNodes += 1; }
            };
            """)
        let tapped = trueNow()
        try page.tap(on: "#listen-button")
        try page.wait(for: "document.getElementById('listen-state').textContent.startsWith('In step')", within: 10)
        try testbed.waitForSound(on: PageScene.browser)

        #expect(try page.evaluate("globalThis.workletNodes") == (isSecure ? 1 : 0))

        // Others see it, marked.
        let own = try page.evaluate("document.getElementById('own-name').value").string ?? ""
        let listeners = try scene.status()["listeners"].elements
        #expect(listeners.contains { $0["browser"] == false && $0["state"] == "playing" }, "\(listeners)")
        let browsers = listeners.filter { $0["browser"] == true && $0["state"] == "playing" }
        #expect(browsers.count == 1, "\(listeners)")
        let name = browsers.first?["name"].string ?? ""
        #expect(!own.isEmpty && name.hasPrefix(own) && name.contains("browser"), "\(name)")
        let check = try testbed.lan[0].spawn([testbed.program, "check", "--json", "--for", "5s"])
        _ = try check.wait(within: 20)
        let verdict = JSON(parsing: check.output.utf8) ?? .null
        #expect(verdict["listeners"] == 2 && verdict["browserLimitMicroseconds"] == 10_000, "\(check.output)")
        #expect(verdict["worstOfBrowsers"]["listener"] == .string(name), "\(check.output)")
        // Fifteen seconds, as far as they have not passed.
        try page.pause(seconds: max(0, 16 - Double(trueNow() - tapped) * 1e-9))

        let moved = trueNow()
        try scene.tutti("offset", name, "\(Self.offset)")
        try page.pause(seconds: 5)
        #expect(try page.text(of: "#offset") == "+30.0 ms")
        let ended = trueNow()
        #expect(page.faults.isEmpty, "\(page.faults)")
        broadcast.signal(SIGINT)
        _ = try broadcast.wait(within: 5)
        _ = try native.wait(within: 5)
        browser.end()
        return try judge(testbed, moved: Double(moved), ended: Double(ended), [broadcast, native])
    }

    private func judge(
        _ testbed: Testbed, moved: Double, ended: Double, _ processes: [LANProcess]
    ) throws -> Run {
        let native = try testbed.recording(of: PageScene.native)
        let heard = try testbed.recording(of: PageScene.browser)
        let onset = try #require(heard.firstAudibleTime())
        var options = SkewOptions()
        options.duration = (moved - onset) * 1e-9 - 0.3
        let before = skew(between: native, and: heard, options: options)
        options.duration = (ended - moved) * 1e-9 - 2
        let after = skew(
            between: native.muted(before: moved + 1.5e9), and: heard.muted(before: moved + 1.5e9), options: options)
        let silences = heard.silences().filter { silence in
            silence.lowerBound > onset && silence.upperBound < moved
                && testbed.stalls.seconds(
                    from: Int64(silence.lowerBound - Self.browserBuffer * 1e9), to: Int64(silence.upperBound)) == 0
        }
        return Run(before: before, after: after, silences: silences, testbed: testbed, processes: processes)
    }
}

extension SkewReport {
    fileprivate var summary: String {
        let figures = [0.5, 0.99, 1].map { percentile($0).map { fixed($0 * 1e6, 1) } ?? "-" }
        return "p50 \(figures[0]), p99 \(figures[1]), max \(figures[2]) us in \(windows.count) windows, "
            + "unlike \(unlikeWindows.count)"
    }
}
