import Glibc
import HeardAnalysis
import LANKit
import TestbedKit
import Testing

/// Links and processes that fail while a song plays, with the real binary: what counts is what came out of the sound
/// cards. Listeners hold 10 s of the song.
@Suite(
    .serialized, .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"),
    .timeLimit(.minutes(5)))
struct OutageTests {
    /// From the network's return until there is sound again, in seconds: a second until both sides have each other, and
    /// what it takes to learn the clock and to fill up.
    private static let returnTime = 2.0
    /// From the end of a limit of the rate until there is sound again, in seconds: what was queued is lost with the
    /// limit, sent again after a second, and told of half a second later; a listener then goes on with packets that are
    /// due up to 3 s later, if it was placed just before.
    private static let reentryTime = 5.0

    /// Each listener has a trouble of its own, all at the same time.
    @Test func whatBefallsAListenerIsItsOwnAffair() throws {
        try ListeningTest.run(listeners: 7, seconds: 34) { test in
            let (broadcast, listeners) = try test.begin(on: 1...7)
            let lan = test.testbed.lan
            let (brief, long, killed, stopped, moved, slow) = (2, 3, 4, 5, 6, 7)
            try test.perform([
                (4, { try lan[brief].setCable(isIn: false) }),
                (8, { try lan[brief].setCable(isIn: true) }),
                (4.2, { try lan[long].setCable(isIn: false) }),
                (24.2, { try lan[long].setCable(isIn: true) }),
                (4.4, { listeners[killed - 1].signal(SIGKILL) }),
                (4.6, { try lan[moved].changeAddress(to: "10.77.0.77") }),
                // A quarter of what the song needs.
                (4.8, { try lan[slow].limitRate(bitsPerSecond: 48_000) }),
                (22, { try lan[slow].limitRate(bitsPerSecond: nil) }),
                (5, { listeners[stopped - 1].signal(SIGSTOP) }),
                (6, { listeners[stopped - 1].signal(SIGCONT) }),
                (10, { listeners[stopped - 1].signal(SIGSTOP) }),
                (15, { listeners[stopped - 1].signal(SIGCONT) }),
            ])
            let living = listeners.indices.filter { $0 != killed - 1 }.map { listeners[$0] }
            try test.end(broadcast, living, within: 30)
            for host in [1, brief, moved] { try test.checkWhole(on: host) }
            for host in [long, stopped, slow] { try test.checkInStep(host, except: test.silences(on: host)) }
            try test.checkInStep(killed, except: [])
            // What was held was played: the sound went on for 10 s without the network, and no longer.
            let outages = try test.silences(on: long)
            test.check(outages.count == 1, "silent at \(outages)")
            let outage = outages.first ?? 0...0
            test.check((13...15.5).contains(outage.lowerBound), "silent at \(outage)")
            print("cable in: sound again after \(fixed(outage.upperBound - 24.2, 2)) s")
            test.check(outage.upperBound < 24.2 + Self.returnTime, "cable in at 24.2 s, silent at \(outage)")
            let delays = try test.silences(on: slow)
            let (first, last) = (delays.first ?? 0...0, delays.last ?? 0...0)
            print("no limit of rate: sound again after \(fixed(last.upperBound - 22, 2)) s")
            test.check(first.lowerBound > 14, "on a slow link silent at \(delays)")
            test.check(last.upperBound < 22 + Self.reentryTime, "no limit from 22 s, silent at \(delays)")
            let told = listeners[slow - 1].errors + listeners[slow - 1].lines.joined(separator: "\n")
            // What the link keeps back may be so much that nothing is heard for longer than the living are silent.
            let reasons = ["packets of song were dropped: the network from host1", "lost host1"]
            test.check(reasons.contains { told.contains($0) }, told)
            // Stopped, a process leaves its sound card what the card holds.
            let stops = try test.silences(on: stopped)
            test.check(stops.count == 2, "silent at \(stops)")
            for (stop, goesOn) in zip(stops, [6.0, 15]) {
                print("stopped until \(goesOn) s: sound again after \(fixed(stop.upperBound - goesOn, 2)) s")
                test.check(stop.upperBound < goesOn + 0.5, "stopped until \(goesOn) s, sound at \(stop.upperBound)")
            }
        }
    }

    /// Cut off or stopped for less than what listeners hold, a broadcaster is not missed; for longer, they come back in
    /// step.
    @Test func aBroadcasterIsCutOffAndStopped() throws {
        try ListeningTest.run(listeners: 2, seconds: 38) { test in
            let (broadcast, listeners) = try test.begin(on: 1...2)
            let host = test.testbed.lan[0]
            try test.perform([
                (4, { try host.setCable(isIn: false) }),
                (8, { try host.setCable(isIn: true) }),
                (10, { broadcast.signal(SIGSTOP) }),
                (11, { broadcast.signal(SIGCONT) }),
                (12, { broadcast.signal(SIGSTOP) }),
                (17, { broadcast.signal(SIGCONT) }),
                (19, { try host.setCable(isIn: false) }),
                (31, { try host.setCable(isIn: true) }),
            ])
            try test.end(broadcast, listeners, within: 30)
            let silences = try (1...2).map { try test.silences(on: $0) }
            try test.checkInStep(2, except: silences.flatMap { $0 })
            for (silences, listener) in zip(silences, listeners) {
                test.check(silences.count == 1, "silent at \(silences)")
                let silence = silences.first ?? 0...0
                test.check((28...30).contains(silence.lowerBound), "silent at \(silence)")
                print("broadcaster's cable in: sound again after \(fixed(silence.upperBound - 31, 2)) s")
                let losses = listener.errors.split(separator: "\n").count { $0.contains("lost host1") }
                test.check(losses == 3, "lost \(losses) times")
                test.check(silence.upperBound < 31 + Self.returnTime, "cable in at 31 s, silent at \(silence)")
            }
        }
    }

    /// For longer than anything that is held lasts: a listener, then the broadcaster.
    @Test(arguments: isLong ? [30.0] : [12.0]) func stoppedForLongTheyComeBackInStep(seconds: Double) throws {
        try ListeningTest.run(listeners: 3, seconds: 14 + 2 * seconds) { test in
            let (broadcast, listeners) = try test.begin(on: 1...3)
            try test.perform([
                (4, { listeners[1].signal(SIGSTOP) }),
                (4 + seconds, { listeners[1].signal(SIGCONT) }),
                (8 + seconds, { broadcast.signal(SIGSTOP) }),
                (8 + 2 * seconds, { broadcast.signal(SIGCONT) }),
            ])
            try test.end(broadcast, listeners, within: 40)
            let silences = try (1...3).map { try test.silences(on: $0) }
            for host in 2...3 { try test.checkInStep(host, except: silences.flatMap { $0 }) }
            test.check(silences.map(\.count) == [1, 2, 1], "silent at \(silences)")
            let resumed = [8 + 2 * seconds, 4 + seconds, 8 + 2 * seconds]
            for (silences, resumed) in zip(silences, resumed) {
                let end = silences.first?.upperBound ?? .infinity
                print("stopped for \(fixed(seconds, 0)) s: sound again after \(fixed(end - resumed, 2)) s")
                test.check(end < resumed + 3, "stopped until \(resumed), silent at \(silences)")
            }
        }
    }

    private static let isLong = getenv("TUTTI_LONG_TESTS") != nil

    /// Killed, a broadcaster is missed within 3 s and played out; started again, it is followed.
    @Test func aBroadcasterIsKilledAndStartedAgain() throws {
        try ListeningTest.run(listeners: 2, seconds: 22) { test in
            let (first, listeners) = try test.begin(on: 1...2)
            test.sleep(until: 5)
            first.signal(SIGKILL)
            for listener in listeners {
                let told = try test.wait(for: "lost host1: playing what is buffered", from: listener, within: 5)
                print("killed: told after \(fixed(told - 5, 2)) s")
                test.check(told < 8, "told \(told - 5) s after the broadcaster was killed")
            }
            for listener in listeners { try test.wait(for: "waiting for the next", from: listener, within: 15) }
            let second = try test.start(["broadcast", test.song.path, "--wait", "2"], on: 0)
            let began = test.elapsed
            for listener in listeners { try test.wait(for: "joined host1", count: 2, from: listener, within: 5) }
            test.sleep(until: began + 6)
            second.signal(SIGINT)
            try test.end(second, code: 130, listeners, within: 5)
            let silences = try (1...2).map { try test.silences(on: $0) }
            try test.checkInStep(2, except: silences.flatMap { $0 })
            for silences in silences {
                test.check(silences.count == 1, "silent at \(silences)")
                let silence = silences.first ?? 0...0
                test.check((14...16).contains(silence.lowerBound), "silent at \(silence)")
                print("started again: sound after \(fixed(silence.upperBound - began, 2)) s")
                test.check(silence.upperBound < began + 3, "started again at \(began) s, silent at \(silence)")
            }
        }
    }

    /// Nothing that plays hears of it when mDNS goes away, comes back, and finds a host at another address; and who
    /// comes afterwards is found.
    @Test func discoveryGoesAndComesBack() throws {
        try ListeningTest.run(listeners: 4, seconds: 24) { test in
            let waiting = try test.start(["join", "--from", "Attic"], on: 3)
            let (broadcast, listeners) = try test.begin(on: 1...2)
            let lan = test.testbed.lan
            try test.perform([
                (3, { for host in [0, 1, 3] { try lan[host].stopAvahi(with: SIGKILL) } }),
                (4.5, { for host in [0, 1, 3] { try lan[host].startAvahi() } }),
                (7, { for host in [0, 2, 3] { try lan[host].stopBus(with: SIGKILL) } }),
                (8.5, { for host in [0, 2, 3] { try lan[host].startDiscovery() } }),
                (11, { try lan[0].changeAddress(to: "10.77.0.77") }),
            ])
            for listener in listeners { try test.wait(for: "host1 is back", from: listener, within: 10) }
            print("new address: found after \(fixed(test.elapsed - 11, 2)) s")
            let came = test.elapsed
            func expectJoined(_ name: String, _ listener: LANProcess) throws {
                let joined = try test.wait(for: "joined \(name)", from: listener, within: 10)
                print("joined \(name) after \(fixed(joined - came, 2)) s")
            }
            // Whoever takes any broadcast takes the one it finds first: there must be one only.
            let late = try test.start(["join"], on: 4)
            try expectJoined("host1", late)
            let other = try test.start(["broadcast", test.song.path, "--name", "Attic"], on: 2)
            try expectJoined("Attic", waiting)
            try test.testbed.waitForSound(on: 3)
            try test.end(broadcast, listeners + [late, waiting], within: 40)
            other.signal(SIGINT)
            test.check(try other.wait(within: 5) == .exited(130), "the other broadcast failed")
            for host in 1...2 { try test.checkWhole(on: host) }
            try test.checkInStep(4, except: [])
        }
    }
}
