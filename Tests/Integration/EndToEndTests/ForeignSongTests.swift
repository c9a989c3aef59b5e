import Glibc
import LANKit
import TestbedKit
import Testing

/// Songs that a library decodes in a process of its own, with the real binary.
@Suite(
    .serialized, .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"),
    .timeLimit(.minutes(5)))
struct ForeignSongTests {
    /// One listener decodes the song itself, the other has its frames decoded by the broadcaster: what they hear is the
    /// same, at the same time.
    @Test func oneDecodesAndOneIsSentPCM() throws {
        let limits = SkewLimits(p50: nil, p99: nil, maximum: nil, first: 100, whole: 100)
        let hearing = try Hearing.ofSteadyMachine(within: limits) {
            let testbed = try Testbed()
            let song = try SongFile(aacOfSeconds: 6, in: testbed.lan)
            let listeners = try [[], ["--codecs", "pcm"]].enumerated().map {
                try testbed.start(["join", "--once", "--no-mdns", testbed.lan[0].address] + $1, on: $0 + 1)
            }
            let broadcast = try testbed.start(["broadcast", song.path, "--wait", "2", "--no-mdns"], on: 0)
            return try Hearing(testbed, song, [broadcast] + listeners, within: 30)
        }
        hearing.expect(within: limits)
        for index in hearing.heard.indices { hearing.expectClean(listener: index) }
        let broadcast = hearing.processes[0]
        let notices = (broadcast.output + broadcast.errors).split(separator: "\n").filter { $0.contains("is sent PCM") }
        #expect(notices.count == 1, "\(hearing.testbed.account(of: hearing.processes))")
        #expect(notices.first?.contains("host3 cannot decode AAC") == true, "\(notices)")
        print("AAC and PCM: \(hearing.figures.summary)")
    }
}
