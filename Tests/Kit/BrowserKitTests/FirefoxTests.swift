import BrowserKit
import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import Testing

private let mayLeadFirefox = geteuid() == 0 && BrowserKind.firefox.isInstalled

/// Where it is installed; no other test needs it.
@Suite(.serialized, .enabled(if: mayLeadFirefox, "needs root, and Debian's firefox-esr"), .timeLimit(.minutes(5)))
struct FirefoxTests {
    /// A host whose clock stands an hour ahead and runs 50 ppm fast, with a page on its disk.
    private let lan: LAN
    private let address: String

    init() throws {
        let clock = HostClock(offsetSeconds: 3_600, ppm: 50, realtimeOffsetNanoseconds: -20_000_000, realtimePPM: 15)
        lan = try LAN(hosts: [HostOptions(clock: clock, hasDiscovery: false)])
        let path = lan.path("page.html")
        address = "file://" + path
        let file = try #require(fopen(path, "we"))
        fputs(Self.page, file)
        fclose(file)
    }

    @Test func aPageIsLedAndHeard() throws {
        let card = SoftwareCard(ppm: 40, recording: lan.path("heard.wav"))
        let browser = try Browser(.firefox, on: lan[0], card: card)
        let page = try browser.openPage(address, device: .phone)
        #expect(try page.evaluate("[innerWidth, innerHeight, devicePixelRatio]").text == "[390,844,3]")
        let answer = try page.evaluate("Promise.resolve({a: 'ä\\n', b: [null, 1.5, -0, NaN], c: undefined})")
        #expect(answer.text == #"{"a":"ä\n","b":[null,1.5,0,null],"c":null}"#)
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
        #expect(try page.screenshot().prefix(4) == [0x89, 0x50, 0x4E, 0x47])

        try page.click(on: "#play")
        try page.wait(for: "self.context?.currentTime > 3", within: 20)
        browser.end()
        let heard = try HeardRecording(path: card.recording)
        let first = try #require(heard.firstAudibleFrame())
        let rate = heard.sampleRate
        // A second of it, from the second second on.
        let samples = Array(heard.channel(0)[(first + Int(rate))..<(first + Int(2 * rate))])
        let worst = SineResidual(of: samples, rate: rate, pitch: 997).windows.map(\.level).max() ?? 0
        #expect(worst < -90, "the sine is spoilt: \(worst) dBFS")
    }

    @Test func tellsWhatFails() throws {
        let browser = try Browser(.firefox, on: lan[0])
        let page = try browser.openPage(address)
        #expect(throws: BrowserError.self) { try page.evaluate("nothing.here") }
        #expect(throws: BrowserError.self) { try page.evaluate("Promise.reject(new Error('no'))") }
        #expect(throws: BrowserError.self) { try page.evaluate("new Promise(() => {})", within: 0.2) }
        #expect(throws: BrowserError.self) { try page.click(on: "#none") }
        #expect(throws: BrowserError.self) { try page.load("http://127.0.0.1:9/") }
        // Only Chromium can.
        #expect(throws: BrowserError.self) { try page.accessibilityTree() }
        // It goes on.
        #expect(try page.evaluate("1 + 1") == 2)
        browser.end()
        #expect(throws: BrowserError.self) { try page.evaluate("1 + 1") }
    }

    private static let page = """
        <!doctype html><html lang=en><meta charset=utf-8><title>x</title>
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
            source.start();
        };
        </script>
        """
}
