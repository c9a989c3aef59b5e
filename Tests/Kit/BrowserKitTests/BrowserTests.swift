import BrowserKit
import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import Testing

/// Namespaces need root. Under CI=true the tests run regardless, and fail without it.
private let mayBrowse =
    geteuid() == 0 && BrowserKind.chromium.isInstalled || getenv("CI").map { String(cString: $0) } == "true"

@Suite(.serialized, .enabled(if: mayBrowse, "needs root, and Debian's chromium"), .timeLimit(.minutes(5)))
struct BrowserTests {
    private let scene: PageOnHost

    /// The host's clock stands an hour ahead.
    init() throws { scene = try PageOnHost(HostClock(offsetSeconds: 3_600)) }

    @Test func leadsAPage() throws {
        let browser = try Browser(on: scene.lan[0])
        let page = try browser.openPage(scene.address, device: .phone)
        #expect(try page.evaluate("[innerWidth, innerHeight, devicePixelRatio]").text == "[390,844,3]")
        let answer = try page.evaluate("Promise.resolve({a: 'ä\\n', b: [null, 1.5]})")
        #expect(answer.text == #"{"a":"ä\n","b":[null,1.5]}"#)
        #expect(page.errors == ["a complaint 7"])

        try scene.use(page)

        let nodes = try page.accessibilityTree()
        #expect(nodes.first?.role == "RootWebArea")
        #expect(nodes.contains { $0.role == "button" && $0.name == "3" && $0.properties["focusable"] == true })
        #expect(nodes.contains { $0.role == "textbox" && $0.name == "Room" && $0.value == "Küche" })

        let picture = try page.screenshot()
        #expect(picture.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        // Width and height.
        #expect(picture[16..<24] == [0, 0, 5, 0, 0, 0, 3, 0x20])
    }

    @Test func tellsWhatFails() throws {
        let browser = try Browser(on: scene.lan[0])
        let page = try browser.openPage(scene.address)
        try scene.seeFailures(of: page)
        browser.end()
        #expect(throws: BrowserError.self) { try page.evaluate("1 + 1") }
    }

    /// The sine is heard without resampling or break, and getOutputTimestamp tells when: the line through its pairs is
    /// right to some hundredths of a millisecond on an idle machine.
    @Test func aPageIsHeardWhenItSays() throws {
        var attempt = 0
        let sound = try undisturbed(unless: { abs($0.error) > 1e6 || $0.residual > -90 }) {
            attempt += 1
            return try play(into: scene.lan.path("heard\(attempt).wav"))
        }
        #expect(sound.rate == 48_000)
        #expect(sound.residual < -90, "the sine is spoilt: \(sound.residual) dBFS")
        #expect(abs(sound.error) < 1e6, "off by \(sound.error / 1e3) µs")
    }

    /// Has the page play its sine.
    /// - Returns: the context's rate; the level of what is no sine, in dBFS; how far the first sound is from where the
    ///   page says it is, in nanoseconds.
    private func play(into recording: String) throws -> (rate: JSON, residual: Double, error: Double) {
        let card = SoftwareCard(ppm: 40, recording: recording)
        let browser = try Browser(on: scene.lan[0], card: card)
        let page = try browser.openPage(scene.address)
        try page.call("Performance.enable", ["timeDomain": "timeTicks"])
        let metrics = try page.call("Performance.getMetrics")["metrics"].elements
        let origin = try #require(metrics.first { $0["name"] == "NavigationStart" }?["value"].number)

        // Nothing but a gesture lets it sound.
        #expect(try page.evaluate("new AudioContext().state") == "suspended")
        try page.click(on: "#play")
        try page.wait(for: "self.pairs?.length >= 60", within: 20)
        let pairs = try page.evaluate("pairs").elements.map { ($0[0].number ?? 0, $0[1].number ?? 0) }
        let rate = try page.evaluate("context.sampleRate")
        browser.end()

        let heard = try HeardRecording(path: card.recording)
        let first = try #require(heard.firstAudibleFrame())
        let last = try #require(heard.lastAudibleFrame())
        let samples = Array(heard.channel(0)[first..<last - 9_600])
        let residual = SineResidual(of: samples, rate: 48_000, pitch: 997).windows.map(\.level).max() ?? 0

        // The page's milliseconds to the host's seconds, and those to true nanoseconds.
        let predicted = (origin + Self.line(through: pairs, at: 1) / 1e3 - 3_600) * 1e9 + Self.rawAhead()
        return (rate, residual, predicted - (try #require(heard.firstAudibleTime())))
    }

    /// The least-squares line through these points, at x.
    private static func line(through points: [(Double, Double)], at x: Double) -> Double {
        let count = Double(points.count)
        let (meanX, meanY) = (points.map(\.0).reduce(0, +) / count, points.map(\.1).reduce(0, +) / count)
        let spread = points.map { ($0.0 - meanX) * ($0.0 - meanX) }.reduce(0, +)
        let common = points.map { ($0.0 - meanX) * ($0.1 - meanY) }.reduce(0, +)
        return meanY + common / spread * (x - meanX)
    }

    /// By how many nanoseconds true time is ahead of this machine's monotonic clock.
    private static func rawAhead() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Double(trueNow() - Int64(now.tv_sec) * 1_000_000_000 - Int64(now.tv_nsec))
    }
}
