import Glibc
import LANKit
import TestbedKit
import Testing

/// A household with the real binary: founded, joined by machines without screen and keyboard, and left.
@Suite(
    .serialized, .timeLimit(.minutes(5)), .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"))
struct InvitationTests {
    private let testbed: Testbed

    init() throws { testbed = try Testbed() }

    /// Runs `tutti` on a host to its end, and returns what it said.
    private func tutti(_ words: String..., on host: Int, code: Int32 = 0) throws -> String {
        let process = try testbed.lan[host].spawn([testbed.program] + words)
        let status = try process.wait(within: 20)
        #expect(status == .exited(code), "tutti \(words): \(process.output)\(process.errors)")
        return process.output + process.errors
    }

    /// The founder invites, into a file.
    private func invite() throws -> String {
        let path = testbed.lan.path("invitation")
        let command = ["sh", "-c", "umask 022; '\(testbed.program)' household invite > '\(path)'"]
        #expect(try testbed.lan[0].run(command).status == .exited(0))
        return path
    }

    /// What a running process is told, it stores a moment later.
    private func waitForMembers(_ names: [String], on host: Int) throws {
        try waitUntil("members \(names) on host \(host)", within: 10) {
            let list = try tutti("household", "--json", on: host)
            return names == list.split(separator: "{\"name\":\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
        }
    }

    @Test func machinesComeInByInvitationsAndARemovedOneIsRefused() throws {
        #expect(try tutti("household", on: 0).contains("this machine is open"))
        #expect(try tutti("household", "create", on: 0).contains("household Home"))
        _ = try tutti("household", "create", on: 0, code: 73)
        let broadcast = try testbed.start(["broadcast", "--idle"], on: 0)
        try broadcast.waitForLine(containing: "members of the household Home", within: 10)

        let invitation = try invite()
        #expect(try testbed.lan[0].run(["stat", "-c", "%a", invitation]).output == "600\n")
        let listener = try testbed.start(["join", "--household", invitation], on: 1)
        try listener.waitForLine(containing: "waiting for a member of Home", within: 10)
        try broadcast.waitForLine(containing: "let host2 into the household", within: 20)
        try listener.waitForLine(containing: "members of the household Home", within: 20)
        for host in 0...1 { try waitForMembers(["host1", "host2"], on: host) }

        // Used already: the machine waits, and says who does not let it in.
        let late = try testbed.start(["broadcast", "--idle", "--household", invitation], on: 2)
        try late.waitForLine(containing: "host1 does not let this machine in", within: 20)
        late.signal(SIGINT)
        _ = try late.wait(within: 10)

        let other = try testbed.start(["broadcast", "--idle", "--household", try invite()], on: 2)
        try other.waitForLine(containing: "members of the household Home", within: 20)
        let peers = try tutti("peers", "--json", on: 0)
        #expect(peers.contains(#""name":"host3","role":"broadcaster","standing":"member""#), "\(peers)")

        try waitForMembers(["host1", "host2", "host3"], on: 1)
        #expect(try tutti("household", "remove", "hst2", on: 0, code: 68).contains("did you mean 'host2'?"))
        let removal = try tutti("household", "remove", "host2", on: 0)
        #expect(removal.contains("host2 is removed from Home") && removal.contains("told host3"), "\(removal)")
        for host in [0, 2] { try waitForMembers(["host1", "host3"], on: host) }
        try listener.waitForLine(containing: "refuses: this machine was removed from the household Home", within: 30)

        listener.signal(SIGINT)
        #expect(try listener.wait(within: 10) == .exited(0))
        // It does not know of its removal. Nobody takes its own word who has known of that for a while: since before
        // its process began.
        let restarted = try [(0, broadcast), (2, other)].map { host, process in
            process.signal(SIGINT)
            _ = try process.wait(within: 10)
            let next = try testbed.start(["broadcast", "--idle"], on: host)
            try next.waitForLine(containing: "members of the household Home", within: 20)
            return next
        }
        defer { withExtendedLifetime(restarted) {} }
        try waitUntil("host1 is found", within: 10) {
            try tutti("peers", "--json", on: 1).contains(#""name":"host1","role":"broadcaster""#)
        }
        let refused = try tutti("household", "remove", "host3", on: 1, code: 77)
        #expect(refused.contains("nobody was told; host1 does not take it: this machine was removed"), "\(refused)")
        try waitForMembers(["host1", "host3"], on: 0)
        let key = try testbed.lan[1].run(["cat", keyFile(of: 1)]).output
        #expect(try tutti("household", "leave", on: 1).contains("this machine has left Home"))
        #expect(try tutti("household", on: 1).contains("this machine is open"))
        #expect(try testbed.lan[1].run(["cat", keyFile(of: 1)]).output != key)
        #expect(try testbed.lan[1].run(["cat", keyFile(of: 1) + ".former"]).output == key)
    }

    /// Two commands at the same moment, each of which removes the author of the other. Whichever the third machine
    /// hears first, both hold.
    @Test func twoMachinesThatRemoveEachOtherAreBothOut() throws {
        _ = try tutti("household", "create", on: 0)
        let broadcast = try testbed.start(["broadcast", "--idle"], on: 0)
        try broadcast.waitForLine(containing: "members of the household Home", within: 10)
        for host in 1...2 {
            let other = try testbed.start(["broadcast", "--idle", "--household", try invite()], on: host)
            try other.waitForLine(containing: "members of the household Home", within: 20)
            other.signal(SIGINT)
            _ = try other.wait(within: 10)
        }
        // One that was let in before the other hears of it from the first.
        let news = try testbed.start(["join"], on: 1)
        for host in 0...1 { try waitForMembers(["host1", "host2", "host3"], on: host) }
        news.signal(SIGINT)
        _ = try news.wait(within: 10)

        let removals = try [(1, "host3"), (2, "host2")].map { host, name in
            try testbed.lan[host].spawn([testbed.program, "household", "remove", name])
        }
        for removal in removals {
            #expect(try removal.wait(within: 20) == .exited(0), "\(removal.output)\(removal.errors)")
            #expect(removal.output.contains("told host1"), "\(removal.output)")
        }
        try waitForMembers(["host1"], on: 0)
        let late = removals.filter { $0.output.contains("but this machine was removed from the household Home") }
        #expect(!late.isEmpty, "\(removals.map(\.output))")
    }

    @Test func whoLeavesTellsTheOthers() throws {
        _ = try tutti("household", "create", "Cabin", on: 0)
        let broadcast = try testbed.start(["broadcast", "--idle"], on: 0)
        try broadcast.waitForLine(containing: "members of the household Cabin", within: 10)
        let other = try testbed.start(["broadcast", "--idle", "--household", try invite()], on: 2)
        try other.waitForLine(containing: "members of the household Cabin", within: 20)
        #expect(try tutti("household", "leave", on: 2).contains("told host1"))
        try waitForMembers(["host1"], on: 0)
        try other.waitForLine(containing: "this machine is open", within: 10)
    }

    /// Were it taken for none, the machine would be open.
    @Test func aDamagedHouseholdEndsEachCommandUntilTheUserActs() throws {
        _ = try tutti("household", "create", on: 0)
        let file = "\(keyFile(of: 0).dropLast(3))household"
        #expect(try testbed.lan[0].run(["sh", "-c", "printf x >> '\(file)'"]).status == .exited(0))
        for _ in 1...2 {
            let said = try tutti("broadcast", "--idle", on: 0, code: 77)
            #expect(said.contains("household is damaged: 'tutti household leave'"), "\(said)")
        }
        #expect(try tutti("household", "leave", on: 0).contains("household.damaged"))
        #expect(try tutti("household", on: 0).contains("this machine is open"))
    }

    private func keyFile(of host: Int) -> String { testbed.lan.path("host\(host + 1)/state/tutti/key") }
}
