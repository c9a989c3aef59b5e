import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit
import Testing

/// Half an hour of music with the real binary, under `Scripts/test --long` only: what is held does not grow, and nobody
/// wanders off. `SOAK_SONGS=n` plays so many songs of a minute instead, five at least.
@Suite(
    .serialized, .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"),
    .timeLimit(.minutes(90)))
struct SoakTests {
    private static let isLong = getenv("TUTTI_LONG_TESTS") != nil
    private static let songCount = getenv("SOAK_SONGS").flatMap { Int(String(cString: $0)) } ?? 30
    private static let songSeconds = 59.0
    private static let sampleSeconds = 5.0
    /// Samples count from the third song on: then what is filled once is full.
    private static let warmUpSeconds = 122.0
    /// More memory in the last third of the time than in the first, in KiB: what a heap scatters.
    private static let allowance = 1_024
    /// The beginning and the end that are compared.
    private static let edgeSeconds = 120.0
    /// How far the median of their skews may have moved, in seconds.
    private static let driftLimit = 5e-6

    @Test func musicForHalfAnHour() throws {
        guard Self.isLong else { return }
        let songCount = Self.songCount
        var configuration = Testbed.Configuration()
        configuration.listenerCount = 3
        let testbed = try Testbed(configuration)
        let song = try SongFile(.constantBitRate, seconds: Self.songSeconds, in: testbed.lan)
        let listeners = try testbed.listeningHosts.map { try testbed.start(["join"], on: $0) }
        Testbed.letAnnouncementsPass()
        let songs = Array(repeating: song.path, count: songCount)
        let broadcast = try testbed.start(["broadcast"] + songs + ["--wait", "3"], on: 0)
        let processes = [broadcast] + listeners
        try testbed.waitForSound(on: 1)
        let series = sample(processes, for: Double(songCount) * Self.songSeconds - Self.warmUpSeconds - 5)
        let spare = Double(songCount) * 5 + 30
        #expect(try broadcast.wait(within: spare) == .exited(0), "\(testbed.account(of: processes))")
        for listener in listeners { listener.signal(SIGINT) }
        for listener in listeners {
            #expect(try listener.wait(within: 5) == .exited(0), "\(testbed.account(of: processes))")
        }
        for (process, series) in zip(processes, series) {
            print("\(process === broadcast ? "broadcaster" : "listener"): \(series.summary)")
            #expect(series.isFlat(within: Self.allowance), "\(series.summary)")
        }
        let heard = try testbed.listeningHosts.map(testbed.recording)
        try expectSteady(heard, testbed, processes)
        for recording in heard { try expectWhole(recording, song, songCount, testbed) }
    }

    private func sample(_ processes: [LANProcess], for seconds: Double) -> [FootprintSeries] {
        var series = processes.map { _ in FootprintSeries() }
        let start = trueNow() + Int64(Self.warmUpSeconds * 1e9)
        for number in 0...Int(seconds / Self.sampleSeconds) {
            let due = start + Int64(Double(number) * Self.sampleSeconds * 1e9)
            usleep(useconds_t(max(0, due - trueNow()) / 1_000))
            for index in processes.indices { series[index].note(Footprint(of: processes[index].pid)) }
        }
        return series
    }

    /// In step wherever there is sound, and at the end as at the beginning. Windows in which a card ran dry are
    /// nobody's skew; how many cards may is told in ``expectWhole(_:_:_:_:)``.
    private func expectSteady(_ heard: [HeardRecording], _ testbed: Testbed, _ processes: [LANProcess]) throws {
        for (first, second) in [(0, 1), (0, 2), (1, 2)] {
            var pair = PairSkew(heard[first], heard[second], stalls: testbed.stalls.stalls)
            print("listeners \(first + 1) and \(second + 1): \(pair.figures.summary)")
            let gaps = (heard[first].silences() + heard[second].silences()).map { silence in
                silence.lowerBound - SkewOptions().window * 1e9...silence.upperBound
            }
            let strangers = pair.report.excluding(gaps).unlikeWindows.filter { !pair.isNearStall($0) }
            pair.figures.unlikeCount = strangers.count
            let excesses = SkewLimits.quietLAN.doubled.excesses(of: pair.figures)
            #expect(excesses.isEmpty, "\(excesses): \(pair.figures.summary) \(testbed.account(of: processes))")
            let windows = pair.report.after(seconds: SkewFigures.settlingSeconds).windows
            let (start, end) = (try #require(windows.first?.time), try #require(windows.last?.time))
            let edge = Self.edgeSeconds * 1e9
            let before = try #require(median(of: windows.filter { $0.time < start + edge }))
            let after = try #require(median(of: windows.filter { $0.time > end - edge }))
            print("apart by \(fixed(before * 1e6, 2)) us in the beginning, \(fixed(after * 1e6, 2)) us in the end")
            #expect(abs(after - before) < Self.driftLimit, "\(before) s, then \(after) s")
        }
    }

    private func median(of windows: [SkewReport.Window]) -> Double? { heardPercentile(0.5, of: windows.map(\.skew)) }

    /// Each song took as long as the broadcaster's clock (the machine's own) said. A card runs dry where the machine
    /// has no time for it, each stall can do that, and a busy machine without one once a minute; what is missing is
    /// short.
    private func expectWhole(_ heard: HeardRecording, _ song: SongFile, _ songCount: Int, _ testbed: Testbed) throws {
        let reference = song.reference
        let (from, to) = (try #require(reference.firstAudibleFrame()), try #require(reference.lastAudibleFrame()))
        let due = Double(to - from) / reference.sampleRate
        let silences = heard.silences(longerThan: 0.1)
        let end = try #require(heard.lastAudibleFrame().flatMap { heard.time(ofFrame: Double($0)) })
        var start = try #require(heard.firstAudibleTime())
        var excesses: [Double] = []
        var missing = 0.0
        for silence in silences + [end...end] {
            let seconds = (silence.lowerBound - start) * 1e-9
            if seconds < due - 0.05 {
                missing += (silence.upperBound - silence.lowerBound) * 1e-9
            } else {
                excesses.append(seconds - due)
                start = silence.upperBound
            }
        }
        let underruns = heard.events.count { $0.name == "xrun" }
        let stalls = testbed.stalls.stalls.count
        let most = (excesses.map(abs).max() ?? 0) * 1e6
        let figures =
            "\(excesses.count) songs, at most \(fixed(most, 1)) us longer or shorter than due; \(underruns) underruns, "
            + "\(fixed(missing, 2)) s missing, \(stalls) stalls of the machine"
        print(figures)
        #expect(excesses.count == songCount && excesses.allSatisfy { abs($0) < 1e-3 }, "\(figures): \(excesses)")
        #expect(underruns <= songCount + stalls && missing < 0.5 * Double(underruns) + 0.1, "\(figures)")
    }
}
