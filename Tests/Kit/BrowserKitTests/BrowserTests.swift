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
    /// A host whose clock stands an hour ahead, with a page on its disk.
    private let lan: LAN
    private let address: String

    init() throws {
        lan = try LAN(hosts: [HostOptions(clock: HostClock(offsetSeconds: 3_600), hasDiscovery: false)])
        let path = lan.path("page.html")
        address = "file://" + path
        let file = try #require(fopen(path, "we"))
        fputs(Self.page, file)
        fclose(file)
    }

    @Test func leadsAPage() throws {
        let browser = try Browser(on: lan[0])
        let page = try browser.openPage(address, device: .phone)
        #expect(try page.evaluate("[innerWidth, innerHeight, devicePixelRatio]").text == "[390,844,3]")
        let answer = try page.evaluate("Promise.resolve({a: 'ä\\n', b: [null, 1.5]})")
        #expect(answer.text == #"{"a":"ä\n","b":[null,1.5]}"#)
        #expect(page.errors == ["a complaint 7"])

        try page.tap(on: "#count")
        try page.wait(for: "count.textContent == '1'", within: 5)
        try page.show(on: .desktop)
        #expect(try page.evaluate("innerWidth") == 1_280)
        try page.click(on: "#count")
        try page.press(.space)
        try page.wait(for: "count.textContent == '3'", within: 5)
        try page.press(.tab)
        try page.type("Küche")
        #expect(try page.evaluate("room.value") == "Küche")

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
        let browser = try Browser(on: lan[0])
        let page = try browser.openPage(address)
        #expect(throws: BrowserError.self) { try page.evaluate("nothing.here") }
        #expect(throws: BrowserError.self) { try page.evaluate("Promise.reject(new Error('no'))") }
        #expect(throws: BrowserError.self) { try page.evaluate("new Promise(() => {})", within: 0.2) }
        #expect(throws: BrowserError.self) { try page.click(on: "#none") }
        #expect(throws: BrowserError.self) { try page.load("http://127.0.0.1:9/") }
        // It goes on.
        #expect(try page.evaluate("1 + 1") == 2)
        browser.end()
        #expect(throws: BrowserError.self) { try page.evaluate("1 + 1") }
    }

    /// The sine is heard without resampling or break, and getOutputTimestamp tells when: the line through its pairs is
    /// right to some hundredths of a millisecond on an idle machine.
    @Test func aPageIsHeardWhenItSays() throws {
        let card = SoftwareCard(ppm: 40, recording: lan.path("heard.wav"))
        let browser = try Browser(on: lan[0], card: card)
        let page = try browser.openPage(address)
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

        #expect(rate == 48_000)
        let heard = try HeardRecording(path: card.recording)
        let first = try #require(heard.firstAudibleFrame())
        let last = try #require(heard.lastAudibleFrame())
        let samples = Array(heard.channel(0)[first..<last - 9_600])
        let worst = SineResidual(of: samples, rate: 48_000, pitch: 997).windows.map(\.level).max() ?? 0
        #expect(worst < -90, "the sine is spoilt: \(worst) dBFS")

        // The page's milliseconds to the host's seconds, and those to true nanoseconds.
        let predicted = (origin + Self.line(through: pairs, at: 1) / 1e3 - 3_600) * 1e9 + Self.rawAhead()
        let error = predicted - (try #require(heard.firstAudibleTime()))
        #expect(abs(error) < 1e6, "off by \(error / 1e3) µs")
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

    private static let page = """
        <!doctype html><html lang=en><meta charset=utf-8><title>x</title>
        <meta name=viewport content="width=device-width">
        <button id=count>0</button><input id=room aria-label=Room><button id=play>Play</button>
        <script>
        console.error("a complaint", 7);
        count.onclick = () => { count.textContent = Number(count.textContent) + 1; };
        play.onclick = async () => {
            self.context = new AudioContext();
            await context.resume();
            const rate = context.sampleRate, buffer = context.createBuffer(1, rate, rate);
            const samples = buffer.getChannelData(0).map((_, i) => 0.5 * Math.cos(2 * Math.PI * 997 * i / rate));
            buffer.copyToChannel(samples, 0);
            const source = new AudioBufferSourceNode(context, {buffer, loop: true});
            source.connect(context.destination);
            source.start(1);
            const all = [];
            setInterval(() => {
                const {contextTime, performanceTime} = context.getOutputTimestamp();
                // The first pair is from before the card ran.
                if (contextTime > 0.1) all.push([contextTime, performanceTime]);
                self.pairs = all;
            }, 50);
        };
        </script>
        """
}
