import Glibc
import LANKit
import TestbedKit
import Testing

/// One machine's library, searched from another one of its household.
@Suite(
    .serialized, .timeLimit(.minutes(5)), .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"))
struct LibraryLookupTests {
    private let testbed: Testbed

    init() throws {
        testbed = try Testbed()
        // The library is the second host's.
        let music = testbed.lan.path("host2/Music")
        mkdir(music, 0o755)
        for title in ["Little Girl Blue", "Mood Indigo", "Tab\tand 音楽"] {
            let tags = ["title=\(title)", "artist=Nina Simone"].flatMap { ["-metadata", $0] }
            let tone = ["-f", "lavfi", "-i", "sine=frequency=440:duration=2:sample_rate=44100"]
            let made = try testbed.lan[1].run(
                ["ffmpeg", "-nostdin", "-loglevel", "error"] + tone + tags + ["\(music)/\(title.count).mp3"], within: 30
            )
            try #require(made.status == .exited(0))
        }
    }

    private func tutti(_ words: String..., on host: Int, code: Int32 = 0) throws -> String {
        let process = try testbed.lan[host].spawn([testbed.program] + words)
        let status = try process.wait(within: 30)
        #expect(status == .exited(code), "tutti \(words): \(process.output)\(process.errors)")
        return process.output + process.errors
    }

    private func letIn() throws {
        _ = try tutti("household", "create", on: 0)
        let invitation = testbed.lan.path("invitation")
        let command = ["sh", "-c", "'\(testbed.program)' household invite > '\(invitation)'"]
        #expect(try testbed.lan[0].run(command).status == .exited(0))
        let founder = try testbed.start(["broadcast", "--idle"], on: 0)
        try founder.waitForLine(containing: "members of the household Home", within: 10)
        let newcomer = try testbed.start(["join", "--household", invitation], on: 1)
        try newcomer.waitForLine(containing: "members of the household Home", within: 20)
        for process in [founder, newcomer] {
            process.signal(SIGINT)
            _ = try process.wait(within: 10)
        }
    }

    @Test func aMemberSearchesAndAStrangerDoesNot() throws {
        try letIn()
        for role in [["join"], ["broadcast", "--idle"]] {
            let process = try testbed.start(role, on: 1)
            try process.waitForLine(containing: "members of the household Home", within: 20)
            Testbed.letAnnouncementsPass()
            let found = try tutti("search", "--at", "host2", "girl", on: 0)
            #expect(
                found.contains("Little Girl Blue") && found.contains("0:02") && !found.contains("Indigo"), "\(found)")
            let lines = try tutti("search", "--at", "host2", "--tabs", "artist:nina simone", on: 0).split(
                separator: "\n")
            #expect(lines.count == 3 && lines.allSatisfy { $0.contains("/host2/Music/") && $0.contains("Nina Simone") })
            let one = try tutti("search", "--at", "host2", "--json", "--limit", "1", "nina", on: 0)
            #expect(one.contains(#""artist":"Nina Simone""#) && one.contains("there are more"))
            #expect(try tutti("search", "--at", "host2", "nothing", on: 0, code: 1).contains("no song there fits"))
            let refused = try tutti("search", "--at", "host2", "girl", on: 2, code: 69)
            #expect(!refused.contains("Little Girl Blue") && refused.contains("household"), "\(refused)")
            process.signal(SIGINT)
            _ = try process.wait(within: 10)
        }
        _ = try tutti("search", "--at", "nowhere", "girl", on: 0, code: 68)
    }

    /// An open machine shows its library to nobody else, and to its own programs.
    @Test func theLibraryOfAnOpenMachineIsItsOwn() throws {
        let process = try testbed.start(["broadcast", "--idle"], on: 1)
        try process.waitForLine(containing: "this machine is open", within: 10)
        Testbed.letAnnouncementsPass()
        let refused = try tutti("search", "--at", "host2", "girl", on: 0, code: 69)
        #expect(refused.contains("its library is for members of its household"), "\(refused)")
        #expect(try tutti("search", "--at", "host2", "girl", on: 1).contains("Little Girl Blue"))
        process.signal(SIGINT)
        _ = try process.wait(within: 10)
    }
}
