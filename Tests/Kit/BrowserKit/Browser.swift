import Glibc
import LANKit
import SoundCardKit

/// BrowserKit: Chromium, without a window, on a host of a ``LANKit/LAN``, led by a test. Needs Debian's package
/// `chromium`.
///
///     let lan = try LAN(hosts: 2)
///     let card = SoftwareCard(ppm: 40, recording: lan.path("heard.wav"))
///     let browser = try Browser(on: lan[1], card: card)
///     let page = try browser.openPage("http://10.77.0.1:8080/", device: .phone)
///     try page.tap(on: "#listen")
///     try page.wait(for: "document.title == 'Playing'", within: 5)
///     #expect(page.errors.isEmpty)
///
/// It plays through ALSA into the host's software card, at the rate of the page's `AudioContext` where the card knows
/// that. It reads the host's clocks, however they stand and drift. Pages are treated as a user's are: no sound before
/// a click, tap or key; coarse timers; timers of pages behind others are slowed while they are silent.
///
/// Used from one thread. Ends with its last reference.
public final class Browser {
    /// Debian's chromium itself; the script in /usr/bin adds options that differ between machines.
    public static let executable = "/usr/lib/chromium/chromium"
    public static var isInstalled: Bool { access(executable, X_OK) == 0 }

    let devTools: DevTools
    private let process: LANProcess
    private let directory: TemporaryDirectory

    /// Starts it, and returns when it can be led: half a second on an idle machine.
    /// - Parameters:
    ///   - card: what it plays on. Without one it plays into nothing, at 44.1 kHz.
    ///   - flags: added to its command line.
    /// - Throws: ``BrowserError``; `LANError` where the host cannot start it.
    public init(on host: LANHost, card: SoftwareCard? = nil, flags: [String] = []) throws {
        guard Self.isInstalled else { throw BrowserError.notInstalled(path: Self.executable) }
        directory = try TemporaryDirectory(kind: "browser")
        let commands = try makeChannel()
        let messages = try makeChannel()
        devTools = DevTools(reading: messages.reading, writing: commands.writing)
        do {
            defer {
                close(commands.reading)
                close(messages.writing)
            }
            // It takes commands from descriptor 3 and answers on 4, of which the host needs the first for itself.
            let shell = ["/bin/sh", "-c", "exec \"$@\" 3<&5 4>&6 5<&- 6>&-", "sh"]
            process = try host.spawn(
                shell + [Self.executable] + Self.flags(profile: directory.path) + flags + ["about:blank"], card: card,
                environment: ["HOME": directory.path],
                // It plays only where ALSA lists a card.
                preloads: card == nil ? [] : [buildDirectory + "/libCardListing.so"],
                descriptors: [commands.reading: 5, messages.writing: 6])
        }
        devTools.lastWords = { [process] in String(process.errors.suffix(500)) }
        _ = try devTools.call("Browser.getVersion", within: 20)
    }

    deinit { end() }

    /// What it said on standard error.
    public var errors: String { process.errors }

    /// Opens a page in front of the others, and returns when it is loaded.
    /// - Parameter device: on which it is seen; may be changed later.
    public func openPage(
        _ address: String, device: BrowserDevice = .desktop, within seconds: Double = 20
    ) throws(BrowserError) -> BrowserPage {
        let target = try devTools.call("Target.createTarget", ["url": "about:blank"])["targetId"]
        let session = try devTools.call("Target.attachToTarget", ["targetId": target, "flatten": true])
        guard let id = session["sessionId"].string else { throw .malformedMessage }
        let page = try BrowserPage(devTools: devTools, session: id)
        try page.show(on: device)
        try page.load(address, within: seconds)
        return page
    }

    /// Ends it: asks, waits up to 5 s, then kills.
    public func end() {
        guard process.isRunning else { return }
        _ = try? devTools.call("Browser.close", within: 5)
        if (try? process.wait(within: 5)) == nil {
            process.signal(SIGKILL)
            _ = try? process.wait(within: 5)
        }
    }

    private static func flags(profile: String) -> [String] {
        [
            "--headless=new", "--remote-debugging-pipe", "--user-data-dir=\(profile)/profile",
            // Root has no sandbox, and namespaces have no graphics.
            "--no-sandbox", "--disable-gpu",
            // Nothing of its own on the network, no questions, no crash reports.
            "--no-first-run", "--no-default-browser-check", "--no-proxy-server", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-breakpad", "--password-store=basic",
            "--lang=en-US",
        ]
    }
}
