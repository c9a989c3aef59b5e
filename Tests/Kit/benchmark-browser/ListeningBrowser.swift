import BrowserKit
import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit

/// A broadcast with a native listener and a browser, whose page is loaded again and again.
final class ListeningBrowser {
    /// One load of the page: true times, in nanoseconds.
    struct Load {
        var tapped: Double
        var ended: Double
    }

    let testbed: Testbed
    private let page: BrowserPage
    private let browser: Browser
    private let processes: [LANProcess]
    private let address: String
    private static let browserHost = 1
    private static let nativeHost = 2
    /// Silence after a load, so that the next one is another run of the card.
    private static let pause = 1.0

    /// - Parameter seconds: of song.
    init(_ options: Options, seconds: Double) throws {
        testbed = try Testbed(program: options.common.program)
        let song = testbed.lan.path("song.wav")
        try MeasuringSong(seconds: seconds).write(to: song)
        let native = try testbed.start(["join", "--once"], on: Self.nativeHost)
        Testbed.letAnnouncementsPass()
        let broadcast = try testbed.start(["broadcast", song], on: 0)
        processes = [broadcast, native]
        try testbed.waitForSound(on: Self.nativeHost)
        address = "http://\(testbed.lan[0].address):28885/"
        browser = try Browser(
            options.browser, on: testbed.lan[Self.browserHost], card: testbed.cards[Self.browserHost])
        page = try browser.openPage(address, device: .phone)
    }

    /// Loads the page, taps, and listens for so long.
    /// - Parameter disturbance: JavaScript that is run in the page once it sounds.
    func listen(seconds: Double, disturbance: String? = nil) throws -> Load {
        try page.load("about:blank")
        try page.pause(seconds: Self.pause)
        try page.load(address)
        try page.wait(for: "document.querySelector('#listen-button')?.checkVisibility()", within: 10)
        let tapped = Double(trueNow())
        try page.tap(on: "#listen-button")
        try page.wait(for: "document.getElementById('listen-state').textContent.startsWith('In step')", within: 20)
        if let disturbance { try page.evaluate(disturbance) }
        try page.pause(seconds: max(0, seconds - (Double(trueNow()) - tapped) * 1e-9))
        return Load(tapped: tapped, ended: Double(trueNow()))
    }

    /// Listens once, and takes the constant away that is heard from the second second on.
    /// - Returns: that constant, in seconds, and from the tap to the first sound.
    func calibrate() throws -> (constant: Double, firstSound: Double) {
        let load = try listen(seconds: 12)
        let heard = try heard(load)
        guard let constant = heard.constant, let firstSound = heard.firstSound else {
            throw LANError.commandFailed("a first listening: nothing was heard; \(account)")
        }
        tell("  before calibration: \(fixed(constant * 1e3, 1)) ms, positive where the browser is later")
        let process = try testbed.lan[0].spawn([
            testbed.program, "offset", try name(), "\(Int((-constant * 1e6).rounded()))",
        ])
        guard try process.wait(within: 10) == .exited(0) else {
            throw LANError.commandFailed("tutti offset: \(process.errors)")
        }
        try page.pause(seconds: 2)
        return (constant, firstSound)
    }

    /// The browser's name among the listeners.
    private func name() throws -> String {
        let said = try testbed.lan[0].run([testbed.program, "status", "--json"]).output
        let listeners = JSON(parsing: said.utf8)?["listeners"].elements ?? []
        guard let name = listeners.first(where: { $0["browser"] == true })?["name"].string else {
            throw LANError.commandFailed("tutti status --json: no browser in \(said)")
        }
        return name
    }

    func heard(_ load: Load) throws -> HeardLoad {
        HeardLoad(
            load, native: try testbed.recording(of: Self.nativeHost),
            browser: try testbed.recording(of: Self.browserHost), stalls: testbed.stalls.stalls)
    }

    func end() throws {
        browser.end()
        processes[0].signal(SIGINT)
        for process in processes { _ = try process.wait(within: 10) }
    }

    var account: String { "\(page.errors) \(testbed.account(of: processes))" }
}
