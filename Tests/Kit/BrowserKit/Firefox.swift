import Glibc
import LANKit
import SoundCardKit

/// How Firefox is started. It takes commands from a WebSocket of its host alone, so a shell there carries them over.
enum Firefox {
    static func start(
        on host: LANHost, card: SoftwareCard?, flags: [String], in directory: String
    ) throws -> Browser.Start {
        // Where it puts what other sessions of a user must not read.
        for path in ["profile", "run"].map({ directory + "/" + $0 }) where mkdir(path, 0o700) != 0 {
            throw LANError.system("mkdir \(path)", errno)
        }
        try writePreferences(to: directory + "/profile/user.js")
        // It opens all channels that a card has before it plays on two: a run of its own, and another recording.
        var card = card
        card?.channels = 2...2
        let process = try host.spawn(
            [BrowserKind.firefox.executable, "--headless", "--no-remote", "--profile", directory + "/profile"]
                + ["--remote-debugging-port", "0"] + flags + ["about:blank"], card: card,
            environment: ["HOME": directory, "XDG_RUNTIME_DIR": directory + "/run"])
        let line = try process.waitForLine(containing: "WebDriver BiDi listening on ws://", within: 20)
        let port = String(line.reversed().prefix { $0.isNumber }.reversed())
        let (channel, relay) = try connect(to: port, on: host)
        return Browser.Start(channel: channel, process: process, relay: relay)
    }

    /// Begins a session, which hears what pages say.
    static func openSession(over channel: CommandChannel) throws(BrowserError) {
        _ = try channel.call("session.new", ["capabilities": [:]], within: 20)
        _ = try channel.call("session.subscribe", ["events": ["log.entryAdded"]])
    }

    private static func connect(to port: String, on host: LANHost) throws -> (CommandChannel, LANProcess) {
        let commands = try makeChannel()
        let messages = try makeChannel()
        let channel = CommandChannel(
            reading: messages.reading, writing: commands.writing, framing: WebSocketFraming())
        defer {
            close(commands.reading)
            close(messages.writing)
        }
        // Ends when either side does.
        let script = "exec 7<>/dev/tcp/127.0.0.1/$1; cat <&5 >&7 6>&- & exec cat <&7 >&6 5<&-"
        let relay = try host.spawn(
            ["/bin/bash", "-c", script, "bash", port], descriptors: [commands.reading: 5, messages.writing: 6])
        try channel.open(by: WebSocketFraming.request(for: "/session", port: port), within: 10)
        return (channel, relay)
    }

    private static func writePreferences(to path: String) throws {
        guard let file = fopen(path, "we") else { throw LANError.system("create \(path)", errno) }
        for (name, value) in preferences { fputs("user_pref(\"\(name)\", \(value.text));\n", file) }
        guard fclose(file) == 0 else { throw LANError.system("write \(path)", errno) }
    }

    private static let preferences: [(name: String, value: JSON)] = [
        ("media.cubeb.backend", "alsa"),
        // Its process for sound does not open ALSA's devices; pages do, which the sandbox would not let them.
        ("media.cubeb.sandbox", false), ("security.sandbox.content.level", 0),
        // As on a phone; without a screen of that kind it would know no fingers.
        ("dom.w3c_touch_events.enabled", 1),
        // Nothing of its own on the network, no questions.
        ("app.normandy.enabled", false), ("app.update.enabled", false), ("browser.aboutwelcome.enabled", false),
        ("browser.shell.checkDefaultBrowser", false), ("datareporting.policy.dataSubmissionEnabled", false),
        ("network.captive-portal-service.enabled", false), ("network.connectivity-service.enabled", false),
        ("toolkit.telemetry.enabled", false),
    ]
}
