import Glibc
import LANKit
import TestbedKit
import Testing

/// What the desktop sees of a broadcaster and of a listener, and what its keys do: `playerctl` on a session bus of the
/// test's own.
@Suite(
    .serialized, .timeLimit(.minutes(5)), .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"))
struct DesktopTests {
    private let lan: LAN
    private let program = buildDirectory + "/tutti"
    private let bus: LANProcess
    private let environment: [String: String]
    private var song: String { lan.path("song.mp3") }

    init() throws {
        lan = try LAN(hosts: [HostOptions(hasDiscovery: false)])
        let address = "unix:path=" + lan.path("session-bus")
        environment = ["DBUS_SESSION_BUS_ADDRESS": address]
        bus = try lan[0].spawn(["dbus-daemon", "--session", "--nofork", "--print-address", "--address", address])
        try bus.waitForLine(containing: "unix:path=", within: 5)
        let tags = ["-metadata", "title=Little Girl Blue", "-metadata", "artist=Nina Simone"]
        let tone = ["-f", "lavfi", "-i", "sine=frequency=440:duration=60:sample_rate=44100"]
        let made = try lan[0].run(["ffmpeg", "-nostdin", "-loglevel", "error"] + tone + tags + [song], within: 30)
        try #require(made.status == .exited(0))
    }

    private func playerctl(_ words: String...) throws -> String {
        let process = try lan[0].spawn(["playerctl"] + words, environment: environment)
        #expect(try process.wait(within: 10) == .exited(0), "playerctl \(words): \(process.errors)")
        return String(process.output.dropLast())
    }

    private func wait(for expected: String, _ words: String...) throws {
        try waitUntil("\(words) says \(expected)", within: 10) {
            let process = try lan[0].spawn(["playerctl"] + words, environment: environment)
            _ = try process.wait(within: 10)
            return String(process.output.dropLast()) == expected
        }
    }

    @Test func aBroadcasterIsShownAndCommanded() throws {
        let broadcast = try lan[0].spawn(
            [program, "broadcast", song, "--play", "--output", "null", "--now", "--no-mdns"], environment: environment)
        try wait(for: "Playing", "status")
        #expect(
            try playerctl("metadata", "--format", "{{title}}, {{artist}}, {{mpris:length}}").hasPrefix(
                "Little Girl Blue, Nina Simone, 60"))
        #expect(try playerctl("--list-all") == "tutti")
        _ = try playerctl("pause")
        try wait(for: "Paused", "status")
        _ = try playerctl("play")
        try wait(for: "Playing", "status")
        // Whoever follows is told of a jump, and of no position else.
        let follower = try lan[0].spawn(
            ["dbus-monitor", "--session", "path=/org/mpris/MediaPlayer2"], environment: environment)
        try follower.waitForLine(containing: "NameAcquired", within: 5)
        _ = try playerctl("position", "30")
        try follower.waitForLine(containing: "member=Seeked", within: 5)
        try waitUntil("the song is at 30 s", within: 5) {
            try playerctl("position").split(separator: ".").first.flatMap { Int($0) }.map { (30...35).contains($0) }
                ?? false
        }
        _ = try playerctl("volume", "0.4")
        try wait(for: "0.400000", "volume")
        #expect(!follower.output.contains("\"Position\""))
        // The order of the songs.
        #expect(try playerctl("loop") == "None" && playerctl("shuffle") == "Off")
        _ = try playerctl("loop", "Playlist")
        try wait(for: "Playlist", "loop")
        _ = try playerctl("shuffle", "On")
        try wait(for: "On", "shuffle")
        try follower.waitForLine(containing: "\"LoopStatus\"", within: 5)
        // Another player of the same user has a name of its own.
        let other = try lan[0].spawn(
            [program, "play", song, "--output", "null"], environment: environment)
        try waitUntil("two players", within: 10) { try playerctl("--list-all").split(separator: "\n").count == 2 }
        other.signal(SIGINT)
        _ = try other.wait(within: 10)
        let end = try lan[0].spawn(
            [
                "dbus-send", "--session", "--print-reply", "--dest=org.mpris.MediaPlayer2.tutti",
                "/org/mpris/MediaPlayer2",
                "org.mpris.MediaPlayer2.Quit",
            ], environment: environment)
        _ = try end.wait(within: 5)
        #expect(try broadcast.wait(within: 10) == .exited(130))
    }

    @Test func aSongThatBeginsIsNotifiedOf() throws {
        let server = try NotificationServer.start(
            on: lan[0], bus: lan.path("session-bus"), script: lan.path("notifications.py"))
        let watcher = try lan[0].spawn(
            ["dbus-monitor", "--session", "interface=org.freedesktop.Notifications"], environment: environment)
        try watcher.waitForLine(containing: "NameAcquired", within: 5)
        let play = try lan[0].spawn(
            [program, "play", song, song, "--notify", "--output", "null"], environment: environment)
        try watcher.waitForLine(containing: "member=Notify", within: 10)
        try watcher.waitForLine(containing: "string \"Nina Simone\"", within: 5)
        #expect(watcher.output.contains("string \"Little Girl Blue\""))
        // Neither a pause nor a jump is another beginning.
        _ = try playerctl("pause")
        try wait(for: "Paused", "status")
        _ = try playerctl("play")
        try wait(for: "Playing", "status")
        _ = try playerctl("position", "30")
        play.signal(SIGINT)
        _ = try play.wait(within: 10)
        #expect(watcher.lines.count { $0.contains("member=Notify") } == 1)
        #expect(server.isRunning)
    }

    @Test func withoutANotificationServerItPlaysOn() throws {
        let play = try lan[0].spawn([program, "play", song, "--notify", "--output", "null"], environment: environment)
        try play.waitForLine(containing: "no notifications of songs", within: 10)
        try wait(for: "Playing", "status")
        play.signal(SIGINT)
        _ = try play.wait(within: 10)
        #expect(play.errors.split(separator: "\n").count { $0.contains("no notifications") } == 1)
    }

    /// At the default port it would find itself.
    @Test func aListenerThatComesFirstLeavesThePortToTheBroadcast() throws {
        let listener = try lan[0].spawn([program, "join", "localhost", "--no-mdns", "--output", "null"])
        try listener.waitForLine(containing: "no broadcaster answers at localhost", within: 10)
        let broadcast = try lan[0].spawn([program, "broadcast", song, "--no-mdns"])
        try listener.waitForLine(containing: "Little Girl Blue", within: 20)
        for process in [listener, broadcast] {
            process.signal(SIGINT)
            _ = try process.wait(within: 10)
        }
    }

    /// A lid or a call pauses this listener, and not the house.
    @Test func aListenerPausesAlone() throws {
        let broadcast = try lan[0].spawn([program, "broadcast", song, "--no-mdns", "--no-media-keys"])
        try broadcast.waitForLine(containing: "waiting for 1 listener", within: 10)
        let listener = try lan[0].spawn(
            [program, "join", "localhost", "--no-mdns", "--output", "null"], environment: environment)
        try wait(for: "Playing", "status")
        #expect(try playerctl("metadata", "title") == "Little Girl Blue")
        _ = try playerctl("pause")
        try wait(for: "Paused", "status")
        let status = try lan[0].run([program, "status"]).output
        #expect(status.contains("playing: Little Girl Blue") && status.contains("100 muted"), "\(status)")
        _ = try playerctl("play-pause")
        try wait(for: "Playing", "status")
        // A pause is not remembered, as a mute is.
        _ = try playerctl("pause")
        try wait(for: "Paused", "status")
        listener.signal(SIGINT)
        #expect(try listener.wait(within: 10) == .exited(0))
        let next = try lan[0].spawn(
            [program, "join", "localhost", "--no-mdns", "--output", "null"], environment: environment)
        try wait(for: "Playing", "status")
        next.signal(SIGINT)
        _ = try next.wait(within: 10)
        broadcast.signal(SIGINT)
        _ = try broadcast.wait(within: 10)
    }
}
