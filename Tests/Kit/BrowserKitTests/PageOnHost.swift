import BrowserKit
import Glibc
import LANKit
import Testing

/// A host without a network, with a page on its disk that counts, takes text, and sounds.
struct PageOnHost {
    let lan: LAN
    let address: String

    init(_ clock: HostClock) throws {
        lan = try LAN(hosts: [HostOptions(clock: clock, hasDiscovery: false)])
        let path = lan.path("page.html")
        address = "file://" + path
        let file = try #require(fopen(path, "we"))
        fputs(Self.text, file)
        fclose(file)
    }

    /// Three counts and a name: by touch, mouse and keys.
    func use(_ page: BrowserPage) throws {
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
    }

    /// What fails is told, and the page goes on.
    func seeFailures(of page: BrowserPage) throws {
        #expect(throws: BrowserError.self) { try page.evaluate("nothing.here") }
        #expect(throws: BrowserError.self) { try page.evaluate("Promise.reject(new Error('no'))") }
        #expect(throws: BrowserError.self) { try page.evaluate("new Promise(() => {})", within: 0.2) }
        #expect(throws: BrowserError.self) { try page.click(on: "#none") }
        #expect(throws: BrowserError.self) { try page.load("http://127.0.0.1:9/") }
        #expect(try page.evaluate("1 + 1") == 2)
    }

    /// It plays a sine of 997 Hz from when its context is a second old, and notes when it is heard.
    private static let text = """
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
