import ConcertKit
import LANKit
import Testing

/// Somebody on the network who says that it is another's process, by mDNS and in its greeting: nobody hears of it.
@Suite(
    .serialized, .timeLimit(.minutes(5)), .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"))
struct ImpostorTests {
    /// Impostors of a listener and of the broadcaster, announced from the fourth second on, while the names of both are
    /// asked for; and one that wants the listener's name.
    @Test(arguments: [false, true]) func nobodyIsTakenOffTheBroadcast(areNamed: Bool) throws {
        try Ordeal.undergo(listeners: 3, seconds: 24) { ordeal in
            let (broadcast, listeners) = try ordeal.begin(
                on: 1...2, join: areNamed ? ["--from", "host1"] : [],
                broadcast: areNamed ? ["--to", "host2", "--to", "host3"] : [])
            ordeal.sleep(until: 3)
            let peers = try ordeal.concert.lan[3].run([ordeal.concert.program, "peers", "--for", "3", "--json"]).output
            let (victim, source) = try (Self.instance(of: "host3", in: peers), Self.instance(of: "host1", in: peers))
            let (broadcaster, listener) = (ordeal.concert.lan[0].address, ordeal.concert.lan[2].address)
            let impostors = try [
                ("Impostor", victim, "listener", broadcaster), ("host3", "1234", "listener", broadcaster),
                ("Pretender", source, "broadcaster", listener),
            ].map { name, instance, role, callee in
                try ordeal.concert.lan[3].spawn([
                    buildDirectory + "/impostor", "--name", name, "--instance", instance, "--role", role, "--call",
                    callee + ":28884",
                ])
            }
            for impostor in impostors { try impostor.waitForLine(containing: "ADVERTISED", within: 10) }
            try ordeal.end(broadcast, listeners, within: 40)
            for host in 1...2 { try ordeal.checkWhole(on: host) }
            for listener in listeners {
                ordeal.check(!listener.output.contains("lost") && !listener.errors.contains("lost"), listener.output)
            }
            // They did what they could.
            for impostor in [impostors[0], impostors[2]] + (areNamed ? [impostors[1]] : []) {
                ordeal.check(impostor.lines.contains("TURNED-AWAY"), "not turned away: \(impostor.output)")
                ordeal.check(!impostor.lines.contains("FED"), "fed: \(impostor.output)")
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
