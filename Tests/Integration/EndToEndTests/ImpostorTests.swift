import LANKit
import TestbedKit
import Testing

/// Somebody on the network who says that it is another's process, by mDNS and in its greeting: nobody hears of it.
@Suite(
    .serialized, .timeLimit(.minutes(5)), .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"))
struct ImpostorTests {
    /// Impostors of a listener and of the broadcaster, announced from the fourth second on, while the names of both are
    /// asked for; and one that wants the listener's name.
    @Test(arguments: [false, true]) func nobodyIsTakenOffTheBroadcast(areNamed: Bool) throws {
        try ListeningTest.run(listeners: 3, seconds: 24) { test in
            let (broadcast, listeners) = try test.begin(
                on: 1...2, join: areNamed ? ["--from", "host1"] : [],
                broadcast: areNamed ? ["--to", "host2", "--to", "host3"] : [])
            test.sleep(until: 3)
            let peers = try test.testbed.lan[3].run([test.testbed.program, "peers", "--for", "3", "--json"]).output
            let (victim, source) = try (Self.instance(of: "host3", in: peers), Self.instance(of: "host1", in: peers))
            let (broadcaster, listener) = (test.testbed.lan[0].address, test.testbed.lan[2].address)
            let impostors = try [
                ("Impostor", victim, "listener", broadcaster), ("host3", "1234", "listener", broadcaster),
                ("Pretender", source, "broadcaster", listener),
            ].map { name, instance, role, callee in
                try test.testbed.lan[3].spawn([
                    buildDirectory + "/impostor", "--name", name, "--instance", instance, "--role", role, "--call",
                    callee + ":28884",
                ])
            }
            for impostor in impostors { try impostor.waitForLine(containing: "ADVERTISED", within: 10) }
            try test.end(broadcast, listeners, within: 40)
            for host in 1...2 { try test.checkWhole(on: host) }
            for listener in listeners {
                test.check(!listener.output.contains("lost") && !listener.errors.contains("lost"), listener.output)
            }
            // They did what they could. Whoever may listen is fed, whatever its number, but as somebody else.
            for impostor in [impostors[2]] + (areNamed ? [impostors[0], impostors[1]] : []) {
                test.check(impostor.lines.contains("TURNED-AWAY"), "not turned away: \(impostor.output)")
                test.check(!impostor.lines.contains("FED"), "fed: \(impostor.output)")
            }
        }
    }

    /// The process that mDNS knows under a name, as `tutti peers --json` tells: an object a line.
    private static func instance(of name: String, in peers: String) throws -> String {
        let line = try #require(peers.split(separator: "\n").first { $0.contains("\"\(name)\"") }, "\(peers)")
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        let place = try #require(parts.firstIndex(of: "instance"), "\(line)")
        return String(parts[place + 2])
    }
}
