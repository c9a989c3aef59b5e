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
    private let scene: PageOnHost

    /// The host's clock stands an hour ahead and runs 50 ppm fast.
    init() throws {
        let clock = HostClock(offsetSeconds: 3_600, ppm: 50, realtimeOffsetNanoseconds: -20_000_000, realtimePPM: 15)
        scene = try PageOnHost(clock)
    }

    @Test func aPageIsLedAndHeard() throws {
        let card = SoftwareCard(ppm: 40, recording: scene.lan.path("heard.wav"))
        let browser = try Browser(.firefox, on: scene.lan[0], card: card)
        let page = try browser.openPage(scene.address, device: .phone)
        #expect(try page.evaluate("[innerWidth, innerHeight, devicePixelRatio]").text == "[390,844,3]")
        let answer = try page.evaluate("Promise.resolve({a: 'ä\\n', b: [null, 1.5, -0, NaN], c: undefined})")
        #expect(answer.text == #"{"a":"ä\n","b":[null,1.5,0,null],"c":null}"#)
        #expect(page.errors == ["a complaint 7"])

        try scene.use(page)
        #expect(try page.screenshot().prefix(4) == [0x89, 0x50, 0x4E, 0x47])

        try page.click(on: "#play")
        // Three seconds of sound.
        try page.wait(for: "self.context?.currentTime > 4", within: 20)
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
        let browser = try Browser(.firefox, on: scene.lan[0])
        let page = try browser.openPage(scene.address)
        // Only Chromium can.
        #expect(throws: BrowserError.self) { try page.accessibilityTree() }
        try scene.seeFailures(of: page)
        browser.end()
        #expect(throws: BrowserError.self) { try page.evaluate("1 + 1") }
    }
}
