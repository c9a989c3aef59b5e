import Glibc
import LANKit
import SoundCardKit

/// BrowserKit: Chromium or Firefox, without a window, on a host of a ``LANKit/LAN``, led by a test. Needs Debian's
/// package `chromium` or `firefox-esr`.
///
///     let lan = try LAN(hosts: 2)
///     let card = SoftwareCard(ppm: 40, recording: lan.path("heard.wav"))
///     let browser = try Browser(on: lan[1], card: card)
///     let page = try browser.openPage("http://10.77.0.1:8080/", device: .phone)
///     try page.tap(on: "#listen")
///     try page.wait(for: "document.title == 'Playing'", within: 5)
///     #expect(page.errors.isEmpty)
///
/// It plays through ALSA into the host's software card: Chromium at the rate of the page's `AudioContext` where the
/// card knows that, Firefox at 44.1 kHz where it does. It reads the host's clocks, however they stand and drift. Pages
/// are treated as a user's are: no sound before a click, tap or key; coarse timers; timers of pages behind others are
/// slowed while they are silent.
///
/// Used from one thread. Ends with its last reference.
public final class Browser {
    public let kind: BrowserKind

    /// A browser that has been started.
    struct Start {
        var channel: CommandChannel
        var process: LANProcess
        /// What carries the commands to it.
        var relay: LANProcess?
    }

    private let started: Start
    private let directory: TemporaryDirectory

    /// Starts it, and returns when it can be led: on an idle machine Chromium after half a second, Firefox after two.
    /// - Parameters:
    ///   - card: what it plays on. Without one it plays into nothing: Chromium at 44.1 kHz, in Firefox no context runs.
    ///   - flags: added to its command line.
    /// - Throws: ``BrowserError``; `LANError` where the host cannot start it.
    public init(
        _ kind: BrowserKind = .chromium, on host: LANHost, card: SoftwareCard? = nil, flags: [String] = []
    ) throws {
        guard kind.isInstalled else { throw BrowserError.notInstalled(kind) }
        self.kind = kind
        directory = try TemporaryDirectory(kind: "browser")
        switch kind {
        case .chromium: started = try Chromium.start(on: host, card: card, flags: flags, in: directory.path)
        case .firefox: started = try Firefox.start(on: host, card: card, flags: flags, in: directory.path)
        }
        started.channel.lastWords = { [process = started.process] in String(process.errors.suffix(500)) }
        switch kind {
        case .chromium: _ = try started.channel.call("Browser.getVersion", within: 20)
        case .firefox: try Firefox.openSession(over: started.channel)
        }
    }

    deinit { end() }

    /// What it said on standard error.
    public var errors: String { started.process.errors }

    /// Opens a page in front of the others, and returns when it is loaded.
    /// - Parameter device: on which it is seen; may be changed later.
    public func openPage(
        _ address: String, device: BrowserDevice = .desktop, within seconds: Double = 20
    ) throws(BrowserError) -> BrowserPage {
        let control: any PageControl =
            switch kind {
            case .chromium: try DevToolsPage(over: started.channel)
            case .firefox: try BiDiPage(over: started.channel)
            }
        let page = BrowserPage(control)
        try page.show(on: device)
        try page.load(address, within: seconds)
        return page
    }

    /// Ends it: asks, waits up to 5 s, then kills.
    public func end() {
        let process = started.process
        guard process.isRunning else { return }
        _ = try? started.channel.call(kind == .chromium ? "Browser.close" : "browser.close", within: 5)
        if (try? process.wait(within: 5)) == nil {
            process.signal(SIGKILL)
            _ = try? process.wait(within: 5)
        }
    }
}
