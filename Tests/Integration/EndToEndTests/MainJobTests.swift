import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit
import Testing

/// Namespaces need root. Under CI=true the tests run regardless, and fail without it.
let mayMakeHosts = geteuid() == 0 || getenv("CI").map { String(cString: $0) } == "true"

/// The main job, with the real binary, on a LAN of namespaces: what counts is what came out of the sound cards.
@Suite(
    .serialized, .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"),
    .timeLimit(.minutes(5)))
struct EndToEndTests {
    /// The most that two listeners may differ in runs that are too short to settle, in seconds.
    static let limit = 100e-6

    @Test(arguments: SongFile.Form.allCases) func oneSongIsHeardInStep(form: SongFile.Form) throws {
        let hearing = try Hearing.ofSteadyMachine(within: SkewLimits.quietLAN.doubled) {
            let testbed = try Testbed()
            let song = try SongFile(form, seconds: form == .constantBitRate ? 40 : 20, in: testbed.lan)
            let listeners = try testbed.startListeners()
            let began = trueNow()
            let broadcast = try testbed.start(["broadcast", song.path, "--wait", "2"], on: 0)
            let hearing = try Hearing(testbed, song, [broadcast] + listeners, within: 60)
            for recording in hearing.heard {
                let first = try #require(recording.firstAudibleTime())
                let delay = (first - Double(began)) * 1e-9
                let stalled = testbed.stalls.seconds(from: began, to: Int64(first))
                #expect(delay - stalled < 1, "the first sound came late")
                print("\(form): first sound after \(fixed(delay, 3)) s, \(fixed(stalled, 3)) of them stalled")
            }
            return hearing
        }
        // The table's row "quiet LAN", doubled.
        hearing.expect(within: SkewLimits.quietLAN.doubled)
        for index in hearing.heard.indices { hearing.expectClean(listener: index) }
        print("\(form): \(hearing.figures.summary)")
    }

    /// Interrupted wherever they are, for a tenth of all time, all hosts read their clocks and cards rightly.
    @Test func aHypervisorThatTakesProcessorsAwayDoesNoHarm() throws {
        let hearing = try Hearing.ofSteadyMachine(within: SkewLimits.quietLAN.doubled) {
            let testbed = try Testbed()
            let song = try SongFile(.constantBitRate, seconds: 20, in: testbed.lan)
            let hog = try ProcessorHog()
            defer { withExtendedLifetime(hog) {} }
            let listeners = try testbed.startListeners()
            let broadcast = try testbed.start(["broadcast", song.path, "--wait", "2"], on: 0)
            return try Hearing(testbed, song, [broadcast] + listeners, within: 60)
        }
        hearing.expect(within: SkewLimits.quietLAN.doubled)
        for index in hearing.heard.indices { hearing.expectClean(listener: index) }
        print("interrupted: \(hearing.figures.summary)")
    }

    /// Cards whose pointers move once in 5 ms are as exact as others: their bursts are searched for.
    @Test func coarseCardsAreInStepAsOthersAre() throws {
        var configuration = Testbed.Configuration()
        configuration.hasCoarseCards = true
        let hearing = try Hearing.ofSteadyMachine(within: SkewLimits.quietLAN.doubled) {
            let testbed = try Testbed(configuration)
            let song = try SongFile(.constantBitRate, seconds: 30, in: testbed.lan)
            let listeners = try testbed.startListeners()
            let broadcast = try testbed.start(["broadcast", song.path, "--wait", "2"], on: 0)
            return try Hearing(testbed, song, [broadcast] + listeners, within: 60)
        }
        hearing.expect(within: SkewLimits.quietLAN.doubled)
        for index in hearing.heard.indices { hearing.expectClean(listener: index) }
        print("coarse: \(hearing.figures.summary)")
    }

    /// A listener by cable and two by radio: pairs of either kind.
    @Test func listenersOnRadioAreInStep() throws {
        var configuration = Testbed.Configuration()
        configuration.listenerCount = 3
        configuration.hostsOnRadio = [2, 3]
        let hearing = try Hearing.ofSteadyMachine(within: SkewLimits.radio.doubled) {
            let testbed = try Testbed(configuration)
            let song = try SongFile(.constantBitRate, seconds: 40, in: testbed.lan)
            let listeners = try testbed.startListeners()
            let broadcast = try testbed.start(["broadcast", song.path, "--wait", "3"], on: 0)
            return try Hearing(testbed, song, [broadcast] + listeners, within: 60)
        }
        // The table's row "Wi-Fi-like link", doubled.
        hearing.expect(within: SkewLimits.radio.doubled)
        for index in hearing.heard.indices { hearing.expectClean(listener: index) }
        print("radio: \(hearing.figures.summary)")
        for host in 2...3 {
            let radio = try #require(try hearing.testbed.lan[host].radio?.report())
            print("radio of listener \(host): \(radio)")
            // The song went over it, and it was one.
            #expect(radio.received.frameCount > 500 && radio.received.lostCount > 0)
        }
    }

    /// A build that takes session time from the wall clock (trait `WallClockCanary`) must fail the test above: were the
    /// hosts' wall clocks the machine's own, it would pass. Scripts/test builds it, and says where it is.
    @Test(.enabled(if: canary != nil, "needs the canary build that Scripts/test makes"))
    func trustInTheWallClockIsNoticed() throws {
        let testbed = try Testbed(program: try #require(Self.canary))
        let song = try SongFile(.constantBitRate, seconds: 6, in: testbed.lan)
        let listeners = try testbed.startListeners()
        let broadcast = try testbed.start(["broadcast", song.path, "--wait", "2"], on: 0)
        let processes = [broadcast] + listeners
        for process in processes {
            #expect(try process.wait(within: 20) == .exited(0), "\(testbed.account(of: processes))")
        }
        let heard = try (1...2).map(testbed.recording)
        let report = skew(between: heard[0], and: heard[1])
        #expect(!report.isInStep(within: Self.limit))
        // For the planted reason: the wall clocks of hosts 2 and 3 are 40 ms apart.
        let median = try #require(report.percentile(0.5), "\(report.summary) \(testbed.account(of: processes))")
        #expect(abs(median - 0.040) < 0.002)
    }

    private static let canary = getenv("TUTTI_CANARY").map { String(cString: $0) }

    @Test func aLateListenerJoinsInStep() throws {
        let hearing = try Hearing.ofSteadyMachine(within: SkewLimits.quietLAN.doubled) {
            let testbed = try Testbed()
            let song = try SongFile(.constantBitRate, seconds: 30, in: testbed.lan)
            let first = try testbed.start(["join", "--once"], on: 1)
            let broadcast = try testbed.start(["broadcast", song.path], on: 0)
            try testbed.waitForSound(on: 1)
            // The song has gone on for a while when the second one comes.
            usleep(1_500_000)
            let second = try testbed.start(["join", "--once"], on: 2)
            return try Hearing(testbed, song, [broadcast, first, second], within: 60)
        }
        // As the quiet LAN's row, from its own first sample on.
        #expect(hearing.figures.windowCount >= 45)
        hearing.expect(within: SkewLimits.quietLAN.doubled)
        hearing.expectClean(listener: 0)
        hearing.expectClean(listener: 1, joinedLateBeside: 0)
        print("late: \(hearing.figures.summary)")
    }

    /// The proof of the proof: what is known to be 5 ms apart reads 5 ms.
    @Test func aListenerDelayedByFiveMillisecondsReadsSo() throws {
        let (report, testbed, processes) = try undisturbed(delayedListener)
        #expect(report.windows.count >= 8 && report.unlikeWindows.isEmpty)
        for window in report.windows {
            #expect(abs(window.skew - 0.005) < 0.1e-3, "\(report.summary) \(testbed.account(of: processes))")
        }
    }

    /// Two listeners, of which the second is asked to be late.
    private func delayedListener() throws -> (report: SkewReport, testbed: Testbed, processes: [LANProcess]) {
        let testbed = try Testbed()
        let song = try SongFile(.constantBitRate, seconds: 5, in: testbed.lan)
        let listeners = try [[], ["--offset", "5000"]].enumerated().map {
            try testbed.start(["join", "--once"] + $1, on: $0 + 1)
        }
        let broadcast = try testbed.start(["broadcast", song.path, "--wait", "2"], on: 0)
        let processes = [broadcast] + listeners
        for process in processes {
            #expect(try process.wait(within: 20) == .exited(0), "\(testbed.account(of: processes))")
        }
        let report = skew(between: try testbed.recording(of: 1), and: try testbed.recording(of: 2))
        return (report, testbed, processes)
    }

    /// Ctrl-C on a listener fades it out within 50 ms, since this card lets frames be taken back; on the broadcaster it
    /// ends the broadcast for all. By cable a listener could know of that within microseconds, so it has 50 ms too,
    /// from the signal to the broadcaster on. What the whole machine stood still meanwhile does not count.
    @Test func interruptionFadesAtOnce() throws {
        let testbed = try Testbed()
        let song = try SongFile(.constantBitRate, seconds: 20, in: testbed.lan)
        let listeners = try testbed.startListeners()
        let broadcast = try testbed.start(["broadcast", song.path, "--wait", "2"], on: 0)
        let processes = [broadcast] + listeners
        try testbed.waitForSound(on: 2)
        // Clocks and cards are known so well by then that the cards wake their threads seldom.
        usleep(12_000_000)
        let interrupted = trueNow()
        listeners[0].signal(SIGINT)
        #expect(try listeners[0].wait(within: 3) == .exited(0), "\(testbed.account(of: processes))")
        // The other one plays on alone for a while.
        usleep(500_000)
        let ended = trueNow()
        broadcast.signal(SIGINT)
        #expect(try broadcast.wait(within: 3) == .exited(130), "\(testbed.account(of: processes))")
        _ = try listeners[1].wait(within: 5)
        for (host, time) in [(1, interrupted), (2, ended)] {
            let recording = try testbed.recording(of: host)
            let last = try #require(recording.lastAudibleFrame().flatMap { recording.time(ofFrame: Double($0)) })
            let tail = (last - Double(time)) * 1e-9
            let stalled = testbed.stalls.seconds(from: time, to: Int64(last))
            print(
                "silent \(fixed(tail * 1e3, 1)) ms after the interruption, \(fixed(stalled * 1e3, 1)) of them stalled")
            #expect(tail > 0 && tail - stalled < 0.05, "\(testbed.account(of: processes))")
        }
    }

    /// `kill -9` of the broadcaster: listeners notice within 3 s, say so, and play the next broadcast.
    @Test func listenersOutliveTheirBroadcaster() throws {
        let (report, comeback, testbed, processes) = try undisturbed(twoBroadcasts)
        // Each goes over to the new broadcast in its own moment. In a window around that, one may still hold what it
        // had of the old; at no other time may the two differ.
        let crossing = report.unlikeWindows.filter { $0.time > comeback - 0.25e9 && $0.time < comeback + 1.5e9 }
        #expect(
            crossing.count == report.unlikeWindows.count && crossing.count <= 1,
            "\(report.summary) \(testbed.account(of: processes))")
        #expect(try #require(report.percentile(1)) < Self.limit, "\(report.summary)")
        #expect(report.windows.count >= 10, "\(testbed.account(of: processes))")
    }

    /// Two listeners, and two broadcasts, of which the first is killed.
    /// - Returns: the listeners' skew, and when the second broadcast began, in nanoseconds of true time.
    private func twoBroadcasts() throws -> (
        report: SkewReport, comeback: Double, testbed: Testbed, processes: [LANProcess]
    ) {
        let testbed = try Testbed()
        let song = try SongFile(.constantBitRate, seconds: 8, in: testbed.lan)
        let listeners = try (1...2).map { try testbed.start(["join"], on: $0) }
        let first = try testbed.start(["broadcast", song.path, "--wait", "2"], on: 0)
        try testbed.waitForSound(on: 2)
        // Both have played a while of it.
        usleep(500_000)
        first.signal(SIGKILL)
        for listener in listeners { try listener.waitForLine(containing: "lost", within: 3) }
        let comeback = Double(trueNow())
        let second = try testbed.start(["broadcast", song.path, "--wait", "2"], on: 0)
        let processes = [first, second] + listeners
        #expect(try second.wait(within: 20) == .exited(0), "\(testbed.account(of: processes))")
        for listener in listeners { listener.signal(SIGINT) }
        for listener in listeners { #expect(try listener.wait(within: 3) == .exited(0)) }
        let heard = try (1...2).map(testbed.recording)
        return (skew(between: heard[0], and: heard[1]), comeback, testbed, processes)
    }

    @Test func aListenerThatDiesLeavesNoRipple() throws {
        let (comparison, report, testbed, processes) = try undisturbed(dyingListener)
        #expect(comparison.isClean, "\(comparison.summary) \(testbed.account(of: processes))")
        // While both lived they were in step.
        #expect(report.isInStep(within: Self.limit), "\(report.summary) \(testbed.account(of: processes))")
    }

    /// Two listeners, of which the second is killed in the middle of the song.
    /// - Returns: what the first one heard of the song, and how far the two were from each other.
    private func dyingListener() throws -> (
        comparison: ReferenceReport, report: SkewReport, testbed: Testbed, processes: [LANProcess]
    ) {
        let testbed = try Testbed()
        let song = try SongFile(.constantBitRate, seconds: 6, in: testbed.lan)
        let listeners = try testbed.startListeners()
        let broadcast = try testbed.start(["broadcast", song.path, "--wait", "2"], on: 0)
        let processes = [broadcast] + listeners
        try testbed.waitForSound(on: 2)
        // In the middle of the song.
        usleep(1_000_000)
        listeners[1].signal(SIGKILL)
        #expect(try broadcast.wait(within: 20) == .exited(0), "\(testbed.account(of: processes))")
        #expect(try listeners[0].wait(within: 10) == .exited(0), "\(testbed.account(of: processes))")
        let heard = try (1...2).map(testbed.recording)
        return (compare(heard[0], with: song.reference), skew(between: heard[1], and: heard[0]), testbed, processes)
    }
}

#if DEBUG
    let isOptimized = false
#else
    let isOptimized = true
#endif

extension SkewReport {
    /// From the first audible sample to the last, without a window in which the two were not alike.
    func isInStep(within limit: Double) -> Bool {
        guard let worst = percentile(1) else { return false }
        return unlikeWindows.isEmpty && worst < limit
    }

    var summary: String {
        let parts = [0.5, 0.99, 1].map { percentile($0).map { fixed($0 * 1e6, 1) } ?? "-" }
        let first = firstSkew.map { fixed($0 * 1e6, 1) } ?? "-"
        return
            "skew in \(windows.count) windows: first \(first), p50 \(parts[0]), p99 \(parts[1]), max \(parts[2]) us; "
            + "unlike \(unlikeWindows.count)"
    }
}

extension ReferenceReport {
    var summary: String {
        "found \(isFound), worst \(fixed(worstLevel, 1)) dBFS, median \(fixed(medianLevel, 1)) dBFS, breaks \(breaks), "
            + "speed \(fixed(speedPartsPerMillion, 2)) ppm, gain \(fixed(gain, 3)); \(blemishes.prefix(12))"
    }
}
