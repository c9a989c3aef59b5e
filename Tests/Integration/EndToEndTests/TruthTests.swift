import Glibc
import LANKit
import TestbedKit
import Testing

/// What listeners say of themselves, and what they remember, with the real binary.
@Suite(
    .serialized, .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"),
    .timeLimit(.minutes(5)))
struct TruthTests {
    @Test func aCheckSaysWhetherListenersKeepInStep() throws {
        let testbed = try Testbed()
        let song = try SongFile(.constantBitRate, seconds: 16, in: testbed.lan)
        let listeners = try testbed.startListeners()
        let broadcast = try testbed.start(["broadcast", song.path, "--wait", "2"], on: 0)
        let fair = try testbed.start(["check", "--for", "5s", "--within", "1ms"], on: 1)
        let strict = try testbed.start(["check", "--for", "5s", "--within", "1us", "--json"], on: 2)
        #expect(try fair.wait(within: 15) == .exited(0), "\(testbed.account(of: [fair]))")
        #expect(fair.output.contains("2 listeners stayed within"), "\(fair.output)")
        #expect(try strict.wait(within: 15) == .exited(1), "\(testbed.account(of: [strict]))")
        #expect(strict.output.contains(#""inStep":false"#), "\(strict.output)")
        print(fair.output + strict.output)
        // One that is killed was not in step to the end.
        let shocked = try testbed.start(["check", "--for", "4s", "--within", "1ms"], on: 0)
        usleep(2_000_000)
        listeners[1].signal(SIGKILL)
        #expect(try shocked.wait(within: 15) == .exited(1), "\(testbed.account(of: [shocked]))")
        #expect(shocked.output.contains(" vanished, "), "\(shocked.output)")
        print(shocked.output)
        let processes = [broadcast, listeners[0]]
        for process in processes {
            #expect(try process.wait(within: 30) == .exited(0), "\(testbed.account(of: processes))")
        }
        // Nobody is left to be checked.
        let late = try testbed.start(["check"], on: 0)
        #expect(try late.wait(within: 15) == .exited(68))
        #expect(late.errors.contains("no broadcast was found"), "\(late.errors)")
    }

    /// The rate of the broadcaster's clock, and the offset: each is said again by the next listener of that host. The
    /// card is one of software, and none that ALSA could tell from another: nothing is remembered of its rate.
    @Test func whatAListenerLearnsTheNextOneKnows() throws {
        let testbed = try Testbed()
        // A rate is remembered that was sure for 20 s and steady for the latter 10: a stall may cost one such try.
        let first = try play(testbed, seconds: 45, ["--offset", "5000"])
        #expect(first.output.contains("offset 5000 us, remembered for"), "\(first.output)")
        let memory = try testbed.lan[1].run(["sh", "-c", "cat $XDG_STATE_HOME/tutti/memory"], within: 5).output
        // This host's clock runs 50 ppm fast, the broadcaster's is right.
        #expect(abs(try rate("clock", in: memory) + 50) < 1, "\(memory)")
        #expect(!memory.contains("card"), "\(memory)")
        let second = try play(testbed, seconds: 3, [])
        #expect(second.output.contains("offset 5000 us, remembered for"), "\(second.output)")
        #expect(second.output.contains("the broadcaster's clock ran at -"), "\(second.output)")
        let third = try play(testbed, seconds: 3, ["--offset", "0"])
        #expect(third.output.contains("is forgotten"), "\(third.output)")
    }

    private func play(_ testbed: Testbed, seconds: Double, _ options: [String]) throws -> LANProcess {
        let song = try SongFile(.wave, seconds: seconds, in: testbed.lan)
        let listener = try testbed.start(["join", "--once", "-v"] + options, on: 1)
        let broadcast = try testbed.start(["broadcast", song.path], on: 0)
        for process in [broadcast, listener] {
            #expect(
                try process.wait(within: seconds + 15) == .exited(0), "\(testbed.account(of: [broadcast, listener]))")
        }
        return listener
    }

    private func rate(_ kind: String, in memory: String) throws -> Double {
        let line = try #require(memory.split(separator: "\n").first { $0.hasPrefix(kind + "\t") }, "\(memory)")
        return try #require(Double(line.split(separator: "\t")[1]))
    }
}
