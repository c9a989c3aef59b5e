import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit
import Testing

/// Commands to a broadcast, and a joint between two songs, with the real binary: what was heard by three listeners.
@Suite(
    .serialized, .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"),
    .timeLimit(.minutes(5)))
struct CommandTests {
    private static let songs = (0..<3).map { MarkedSong(number: $0, seconds: 30) }
    /// From a command to its sound, in seconds; on a quiet machine it is less than a third of that, as
    /// Scripts/benchmark-command measures.
    private static let limit = 0.6
    /// How far apart the places are at which listeners fall silent and go on, in seconds: half a cycle of the tone.
    private static let placeLimit = 0.0003
    /// How much of the song the quiet ends of two fades of 10 ms make inaudible, in seconds.
    private static let fadeLimit = 0.0015

    @Test func commandsAreHeardEverywhereAtOnce() throws {
        try ListeningTest.run(listeners: 3, seconds: 1) { test in
            let times = try Self.play(on: test)
            let ears = try (1...3).map { Ear(try test.heard(on: $0)) }
            Self.judgePause(times, ears, test)
            Self.judgeJumps(times, ears, test)
            Self.judgeJoint(near: times.joint, ears, test)
        }
    }

    /// True times, in nanoseconds.
    private struct Times {
        var pause = 0.0
        var resume = 0.0
        var seek = 0.0
        var next = 0.0
        /// When the second song should be over.
        var joint = 0.0
    }

    private static func play(on test: ListeningTest) throws -> Times {
        let testbed = test.testbed
        let paths = try songs.map { song in
            let path = testbed.lan.path("song\(song.number).wav")
            try song.write(to: path)
            return path
        }
        let listeners = try (1...3).map { try test.start(["join", "--once"], on: $0) }
        Testbed.letAnnouncementsPass()
        let broadcast = try KeyedBroadcast(["--wait", "3"] + paths, on: testbed)
        for host in 1...3 { try testbed.waitForSound(on: host) }
        usleep(2_000_000)
        var times = Times()
        func give(_ time: WritableKeyPath<Times, Double>, _ command: () throws -> Void) rethrows {
            times[keyPath: time] = Double(trueNow())
            try command()
            usleep(1_500_000)
        }
        func tutti(_ words: [String], on host: Int) throws {
            let ended = try testbed.lan[host].run([testbed.program] + words)
            test.check(ended.status == .exited(0), "tutti \(words): \(ended)")
        }
        give(\.pause) { broadcast.press(" ") }
        give(\.resume) { broadcast.press(" ") }
        try give(\.seek) { try tutti(["seek", "0:20"], on: 2) }
        give(\.next) { broadcast.press("n") }
        try tutti(["seek", "0:27"], on: 0)
        times.joint = Double(trueNow()) + 3e9
        usleep(5_000_000)
        broadcast.process.signal(SIGTERM)
        for listener in listeners { test.check(try listener.wait(within: 10) == .exited(0), "a listener failed") }
        return times
    }

    /// All fall silent, after the same frame, and go on with the next one, in step.
    private static func judgePause(_ times: Times, _ ears: [Ear], _ test: ListeningTest) {
        let silences = ears.compactMap { $0.silence(from: times.pause, within: limit) }
        test.check(silences.count == 3, "\(silences.count) of 3 fell silent within \(limit) s")
        let sounds = ears.compactMap { $0.sound(from: times.resume, within: limit) }
        test.check(sounds.count == 3, "\(sounds.count) of 3 sounded within \(limit) s after the pause")
        checkSkew(after: "resume", from: sounds.max(), ears, test)
        let pauses = ears.compactMap { $0.pause(in: songs[0], from: times.pause) }
        test.check(pauses.count == 3, "\(pauses.count) of 3 paused in the song, and went on in it")
        print("pauses: \(pauses.map { "\(fixed($0.lastPlace, 5)) s, missing \(fixed($0.missing * 1e3, 2)) ms" })")
        for (name, places) in [("last", pauses.map(\.lastPlace)), ("next", pauses.map(\.nextPlace))] {
            let apart = (places.max() ?? 0) - (places.min() ?? 0)
            test.check(apart < placeLimit, "the \(name) frames are \(apart) s apart: \(places)")
        }
        let missing = pauses.map(\.missing)
        test.check(missing.allSatisfy { (0..<fadeLimit).contains($0) }, "missing at the pause: \(missing) s")
    }

    /// All go to the place, or to the next song's first frame, in step.
    private static func judgeJumps(_ times: Times, _ ears: [Ear], _ test: ListeningTest) {
        let jumps = [("seek", times.seek, songs[0], 20.0), ("next", times.next, songs[1], 0)]
        for (name, time, song, place) in jumps {
            let sounds = ears.compactMap { $0.anotherPlace(from: time, within: limit) }
            test.check(sounds.count == 3, "\(sounds.count) of 3 followed \(name) within \(limit) s")
            checkSkew(after: name, from: sounds.max(), ears, test)
            guard let sound = sounds.max() else { continue }
            for ear in ears {
                let first = ear.start(of: song, heardAt: sound).map { (sound - $0) * 1e-9 } ?? .infinity
                test.check(abs(first - place) < 0.03, "\(name) went to \(first) s")
            }
        }
    }

    /// The third song begins when the second is over, to the frame, and the tone goes on.
    private static func judgeJoint(near time: Double, _ ears: [Ear], _ test: ListeningTest) {
        for ear in ears {
            guard let second = ear.start(of: songs[1], heardAt: time - 1e9),
                let third = ear.start(of: songs[2], heardAt: time + 0.8e9)
            else {
                test.check(false, "one song does not follow the other")
                continue
            }
            let gap = (third - second) * 1e-9 - songs[1].seconds
            print("joint: \(fixed(gap * 1e6, 1)) us too late")
            test.check(abs(gap) < EndToEndTests.limit, "the next song begins \(gap) s too late")
            let around = ear.looks.filter { abs($0.time - third) < 0.5e9 }
            test.check(around.count > 190 && around.allSatisfy { $0.level > 0.1 }, "silent between two songs")
        }
        let joint = ears[0].start(of: songs[2], heardAt: time + 0.8e9)
        checkSkew(after: "a joint", from: joint.map { $0 - 0.25e9 }, ears, test)
    }

    private static func checkSkew(after name: String, from time: Double?, _ ears: [Ear], _ test: ListeningTest) {
        let skew = time.flatMap { worstSkew(of: ears.map(\.recording), from: $0, seconds: 0.75) } ?? .infinity
        print("skew after \(name): \(fixed(skew * 1e6, 1)) us")
        test.check(skew < EndToEndTests.limit, "after \(name) out of step by \(skew) s")
    }
}
