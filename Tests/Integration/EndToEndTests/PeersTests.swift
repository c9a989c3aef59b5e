import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit
import Testing

/// What `tutti peers` shows of a broadcast, and what mDNS does not, with the real binary and real daemons.
@Suite(
    .serialized, .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"),
    .timeLimit(.minutes(5)))
struct PeersTests {
    private static let titles = ["Secret Pavane", "Silent Waltz"]

    /// A broadcast of two songs on the first host, heard on the second; the third asks.
    private struct Scene {
        let testbed: Testbed
        let broadcast: LANProcess
        let listener: LANProcess

        init() throws {
            let testbed = try Testbed()
            let song = try SongFile(.wave, seconds: 60, in: testbed.lan)
            let paths = try titles.enumerated().map { index, title in
                let path = testbed.lan.path("\(index).mp3")
                let encoded = try testbed.lan[0].run(
                    ["lame", "--silent", "--tt", title, song.wavePath, path], within: 60)
                #expect(encoded.status == .exited(0), "\(encoded.output)")
                return path
            }
            self.testbed = testbed
            listener = try testbed.start(["join"], on: 1)
            Testbed.letAnnouncementsPass()
            broadcast = try testbed.start(["broadcast", "-v", "--wait", "1"] + paths, on: 0)
            try testbed.waitForSound(on: 1)
        }

        func tutti(_ words: String..., on host: Int = 2) throws -> String {
            let ended = try testbed.lan[host].run([testbed.program] + words)
            #expect(ended.status == .exited(0), "tutti \(words): \(ended)")
            return ended.output
        }

        /// What `tutti peers` says of the broadcaster and of the listener.
        func peers() throws -> [String] {
            let began = trueNow()
            let lines = try tutti("peers", "--for", "2", "--json").split(separator: "\n").map(String.init)
            let seconds = Double(trueNow() - began) * 1e-9
            print("tutti peers took \(fixed(seconds, 3)) s, 2 s of them to search")
            #expect(seconds < 4)
            return try ["host1", "host2"].map { name in
                try #require(lines.first { $0.contains("\"name\":\"\(name)\"") }, "\(lines)")
            }
        }
    }

    @Test func whatPlaysIsAskedOfTheBroadcast() throws {
        let scene = try Scene()
        for line in try scene.peers() {
            #expect(line.contains(#""activity":"playing","playing":"Secret Pavane""#), "\(line)")
        }
        _ = try scene.tutti("next", on: 0)
        for line in try scene.peers() { #expect(line.contains(#""playing":"Silent Waltz""#), "\(line)") }
        #expect(try scene.tutti("peers").contains("Silent Waltz"))
        // Nobody is told of who asks.
        for said in [scene.broadcast.output, scene.broadcast.errors] { #expect(!said.contains("host3"), "\(said)") }

        scene.broadcast.signal(SIGSTOP)
        let silent = try scene.peers()
        scene.broadcast.signal(SIGCONT)
        #expect(silent[0].contains(#""activity":"unanswered","playing":null"#), "\(silent)")
        #expect(silent[1].contains(#""activity":"unknown","playing":null"#), "\(silent)")
    }

    @Test func whatPlaysIsNotAnnounced() throws {
        let scene = try Scene()
        let capture = try scene.testbed.lan[2].spawn([buildDirectory + "/wire-capture", "--port", "5353"])
        try capture.waitForLine(containing: "CAPTURING", within: 5)
        // Whoever searches has all records told, and a song that begins would change one that says what plays.
        _ = try scene.peers()
        _ = try scene.tutti("next", on: 0)
        _ = try scene.peers()
        let heard = capture.output.utf8
        for text in ["role=broadcaster", "role=listener", "started="] {
            #expect(heard.contains(text.utf8), "\(text) was not captured")
        }
        for text in Self.titles + ["playing", "waiting", "idle", "0.mp3", "1.mp3"] {
            #expect(!heard.contains(text.utf8), "\(text) was announced")
        }
    }
}
