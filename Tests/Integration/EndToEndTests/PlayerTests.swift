import Glibc
import LANKit
import TestbedKit
import Testing

/// The player in a terminal, with the real binary: keys are sent, and screens compared.
@Suite(
    .serialized, .timeLimit(.minutes(5)), .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"))
struct PlayerTests {
    private let lan: LAN
    private let program = buildDirectory + "/tutti"

    init() throws {
        lan = try LAN(hosts: [HostOptions(), HostOptions()])
        let music = lan.path("host1/Music")
        mkdir(music, 0o755)
        for (name, title) in [("one", "Little Girl Blue"), ("two", "Blue Prelude"), ("three", "音楽室の午後")] {
            let tags = ["title=\(title)", "artist=Nina Simone", "album=Blue"].flatMap { ["-metadata", $0] }
            let tone = ["-f", "lavfi", "-i", "sine=frequency=440:duration=40:sample_rate=44100"]
            let made = try lan[0].run(
                ["ffmpeg", "-nostdin", "-loglevel", "error"] + tone + tags + ["\(music)/\(name).mp3"], within: 30)
            try #require(made.status == .exited(0))
        }
    }

    /// Opens the player where nothing is broadcast, and waits until it has begun a broadcast of its own.
    private func open(_ width: Int, _ height: Int) throws -> PlayerTerminal {
        let terminal = try PlayerTerminal(
            "'\(program)' player --output null", on: lan[0], in: lan, size: (width, height))
        try terminal.wait(for: "nothing plays", within: 20)
        return terminal
    }

    /// Finds a song and adds it.
    private func add(_ words: String, _ title: String, in terminal: PlayerTerminal) throws {
        try terminal.press("/")
        try terminal.wait(for: "find:")
        try terminal.press("C-u")
        try terminal.type(words)
        try terminal.wait(for: title)
        try terminal.press("Enter")
        try terminal.press("Escape")
        try terminal.wait(for: "a all")
    }

    @Test(arguments: [[80, 24], [40, 12]]) func aSongIsFoundAndPlayedAndCommanded(size: [Int]) throws {
        let terminal = try open(size[0], size[1])
        defer { terminal.close() }
        try add("girl nina", "Little Girl Blue", in: terminal)
        try add("prelude", "Blue Prelude", in: terminal)
        try terminal.press("1")
        try terminal.wait(for: "> 1 Little Girl Blue")
        try terminal.waitUntil("the first row says what plays", within: 10) {
            try terminal.row(0).hasPrefix("host1  playing") && terminal.row(1) == "Little Girl Blue - Nina Simone"
                && terminal.row(2).contains(" / 0:40") && !terminal.row(2).contains(" 0:00 /")
        }
        try terminal.press("Space")
        try terminal.wait(for: "host1  paused")
        try terminal.press("Down", "Enter")
        try terminal.wait(for: "> 2 Blue Prelude")
        try terminal.press("z", "r")
        try terminal.wait(for: size[0] == 80 ? "repeat shuffle  volume 100" : "host1  playing")
        try terminal.press("d")
        try terminal.waitUntil("the song is removed", within: 10) {
            try !terminal.rows().joined().contains("2 Blue Prelude")
        }
        // It ends its own broadcast only when asked twice, and leaves the terminal as it was.
        try terminal.press("q")
        try terminal.wait(for: "press it again")
        try terminal.press("q")
        try terminal.wait(for: "ended with 0")
        #expect(try !terminal.rows().joined().contains("library"))
    }

    /// The album is there to be chosen before anything is typed.
    @Test(arguments: [[80, 24], [40, 12]]) func anAlbumIsChosenAndAdded(size: [Int]) throws {
        let terminal = try open(size[0], size[1])
        defer { terminal.close() }
        try terminal.press("2")
        try terminal.wait(for: "Nina Simone - Blue", within: 20)
        // All of the folder has been read then.
        try terminal.wait(for: "1 album", within: 20)
        try terminal.press("Enter")
        try terminal.press("1")
        // Without track numbers by the names of its files.
        try terminal.wait(for: "> 1 Little Girl Blue")
        try terminal.wait(for: "host1  playing")
        try terminal.waitUntil("all songs of the album", within: 10) {
            // The broadcaster has not played them yet.
            let rows = try terminal.rows()
            return rows.contains { $0.contains("2 音楽室の午後 - Nina") } && rows.contains { $0.contains("3 Blue Prelude") }
        }
    }

    @Test func listenersAreSeenAndTheirVolumesChanged() throws {
        let terminal = try open(80, 24)
        defer { terminal.close() }
        let listener = try lan[1].spawn([program, "join", "--output", "null"])
        try add("girl", "Little Girl Blue", in: terminal)
        try terminal.press("3")
        // Before it is ready nobody knows how it is set.
        try terminal.waitUntil("host2 plays", within: 20) {
            try terminal.rows().contains { $0.hasPrefix("host2") && $0.contains("playing") }
        }
        let list = try terminal.rows().filter { $0.hasPrefix("host") }
        let row = list.dropFirst().firstIndex { $0.hasPrefix("host2") }.map { $0 - 1 } ?? 0
        for _ in 0..<row { try terminal.press("Down") }
        try terminal.type("---")
        try terminal.waitUntil("host2 is quieter", within: 10) {
            try terminal.rows().contains { $0.hasPrefix("host2") && $0.contains("playing") && $0.contains(" 85 ") }
        }
        #expect(try lan[1].run([program, "status"]).output.contains("85"))
        // Another machine's command is seen here.
        #expect(try lan[1].run([program, "pause"]).status == .exited(0))
        try terminal.wait(for: "host1  paused")
        listener.signal(SIGINT)
        try terminal.waitUntil("host2 is gone", within: 10) { try !terminal.rows().contains { $0.hasPrefix("host2") } }
    }

    /// The screen follows the terminal's size, and comes back after the process was stopped.
    @Test func theTerminalMayBeResizedAndTheProcessStopped() throws {
        let terminal = try open(80, 24)
        defer { terminal.close() }
        try add("音楽", "音楽室の午後", in: terminal)
        try terminal.press("1")
        try terminal.wait(for: "1 音楽室の午後")
        try terminal.resize(to: (40, 12))
        try terminal.waitUntil("12 rows", within: 10) {
            let rows = try terminal.rows().filter { !$0.isEmpty }
            return try terminal.row(3).hasPrefix("1 queue") && rows.last?.hasPrefix("? keys") == true
        }
        // Stopped, it gives the terminal back; resumed, it takes it again.
        try terminal.press("C-z")
        try terminal.wait(for: "Stopped")
        try terminal.type("fg")
        try terminal.press("Enter")
        try terminal.resize(to: (80, 24))
        try terminal.waitUntil("24 rows", within: 10) { try terminal.row(5).hasPrefix("1 queue") }
    }

    /// The words stand in a file beside the song; both the file and the song are read by the broadcaster alone.
    @Test(arguments: [0, 1]) func theWordsAreShownInStep(broadcaster: Int) throws {
        let lines = (0..<40).map { "'[00:\($0 < 10 ? "0" : "")\($0)]line \($0 + 1)'" }
        let words = try lan[0].run(
            ["sh", "-c", "printf '%s\\n' \(lines.joined(separator: " ")) > '\(lan.path("host1/Music/one.lrc"))'"])
        try #require(words.status == .exited(0))
        let terminal = try open(80, 24)
        defer { terminal.close() }
        try add("girl", "Little Girl Blue", in: terminal)
        if broadcaster == 1 {
            Testbed.letAnnouncementsPass()
            let other = try PlayerTerminal("'\(program)' player", on: lan[1], in: lan, size: (80, 24))
            defer { other.close() }
            try other.press("l")
            try other.wait(for: "line 3", within: 20)
            return
        }
        try terminal.press("l")
        try terminal.wait(for: "line 3", within: 20)
        // The song's loudness is a picture once it was read: no line any more.
        try terminal.waitUntil("the waveform", within: 20) { try !terminal.row(2).hasPrefix("━") }
        try terminal.waitUntil("the meter", within: 10) { try terminal.row(4).hasPrefix("L ━") }
    }

    /// A broadcast of another machine is shown and commanded, and goes on without the player.
    @Test func anotherMachinesBroadcastIsCommanded() throws {
        let broadcast = try lan[1].spawn(
            [program, "broadcast", "--idle", "--accept-songs", "--play", "--now", "--output", "null"])
        try broadcast.waitForLine(containing: "idle", within: 10)
        Testbed.letAnnouncementsPass()
        let terminal = try PlayerTerminal(
            "NO_COLOR=1 '\(program)' player", on: lan[0], in: lan, size: (80, 24))
        defer { terminal.close() }
        try terminal.wait(for: "host2  idle", within: 20)
        // Its file is sent.
        try add("girl", "Little Girl Blue", in: terminal)
        try terminal.wait(for: " 0:01 / 0:40", within: 20)
        try terminal.press("q")
        try terminal.wait(for: "ended with 0")
        let status = try lan[1].run([program, "status"]).output
        #expect(status.contains("playing: Little Girl Blue"), "\(status)")
    }

    @Test func withoutATerminalItSaysWhatNeedsNone() throws {
        let process = try lan[0].spawn([program, "player"])
        #expect(try process.wait(within: 10) == .exited(64))
        #expect(process.errors.contains("the player needs a terminal"))
    }
}
