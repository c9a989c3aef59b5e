import Testing

@testable import TestbedKit
@testable import benchmark_sync

@Suite(.timeLimit(.minutes(5))) struct BenchmarkTests {
    static func run(p99: Double, faults: Int = 0) -> RunResult {
        let figures = SkewFigures(
            p50: 0.5e-6, p99: p99, maximum: p99, first: 1e-6, whole: p99, windowCount: 180, unlikeCount: 0,
            leftOutCount: 4, settledCount: 160)
        return RunResult(
            figures: figures,
            worstPair: .init(hosts: (1, 2), windows: [(0, 1e-6, false), (0.5, -2e-6, true), (1, 300e-6, false)]),
            blemishCount: faults, blemishes: [], breakCount: 0, replacementCount: 0, cpuPercent: 1.5,
            residentMegabytes: 17, stallCount: 1)
    }

    static func report(_ runs: [RunResult], failures: [String] = []) throws -> Report {
        var report = Report(options: try Options(["--output", "/nowhere"]))
        report.rows = [RowResult(item: BenchmarkCase.all[0], player: "Tutti", runs: runs, failures: failures)]
        return report
    }

    @Test func aRowIsTheMedianOfItsRuns() throws {
        let report = try Self.report([1e-6, 2e-6, 200e-6].map { Self.run(p99: $0) })
        #expect(report.rows[0].figures?.p99 == 2e-6)
        #expect(report.markdown.contains("| quiet LAN | Tutti | 0.5 (1) | 2.0 (3) | 2.0 (5) |"))
        #expect(report.markdown.contains("| 12 of 480 |"))
        #expect(report.isComplete)
    }

    @Test func whatExceedsItsLimitIsBold() throws {
        let report = try Self.report([Self.run(p99: 4e-6, faults: 3)])
        #expect(report.markdown.contains("**4.0** (3) | 4.0 (5) | 1.0 (20) | 4.0 (25) | **3** |"))
    }

    @Test func whatExceedsItsLimitIsNamedAndFails() throws {
        #expect(try Self.report([Self.run(p99: 2e-6)]).excesses.isEmpty)
        let bad = try Self.report([Self.run(p99: 4e-6, faults: 3)])
        #expect(bad.excesses == ["quiet LAN: p99", "quiet LAN: gaps, clicks, re-placements"])
        #expect(bad.json.text.contains(#""excesses":["quiet LAN: p99","#))
        // Others have no limits.
        var others = bad
        others.rows[0].player = "Snapcast"
        #expect(others.excesses.isEmpty)
    }

    @Test func aFirstSoundThatIsLateIsNamedAndFails() throws {
        var report = try Self.report([])
        func sounds(_ times: [Double]...) -> [FirstSounds] {
            let ways = zip(["a listener", "a broadcast"], times).map {
                FirstSounds.Way(name: $0, limit: 0.5, times: $1)
            }
            return [FirstSounds(player: "Tutti", ways: ways)]
        }
        report.firstSounds = sounds([0.1, 0.2, 0.9], [0.4, 0.6, 0.7])
        #expect(report.excesses == ["first sound: a broadcast"])
        #expect(report.markdown.contains("| Tutti | a listener | 0.200 | 0.900 | 0.50 |"))
        #expect(report.markdown.contains("| Tutti | a broadcast | **0.600** | 0.700 | 0.50 |"))
        #expect(report.json.text.contains(#""name":"a broadcast","limit":0.50,"seconds":[0.400,0.600,0.700]"#))
        report.firstSounds = sounds([], [0.4])
        #expect(report.excesses == ["first sound: a listener"])
    }

    @Test func aSimulationAboveItsLimitIsNamedAndFails() throws {
        var report = try Self.report([])
        report.simulation = .init(seconds: 3_600, p99: 20.96, maximum: 40, comparedPart: 0.99, isWhole: true)
        #expect(report.excesses.isEmpty)
        #expect(report.markdown.contains("clock steps: p99 21.0 (21), max 40.0 outside 2 s after a fault."))
        report.simulation = .init(seconds: 3_600, p99: 22, maximum: 40, comparedPart: 0.5, isWhole: false)
        #expect(report.excesses == ["simulated: p99", "simulated: too little to compare", "simulated: broken off"])
        #expect(report.json.text.contains(#""simulation":{"seconds":3600,"listeners":20,"p99":22.00,"#))
    }

    /// Short, and by the very steps of the long one.
    @Test func theSimulationIsMadeAndJudged() {
        let result = LongSimulation(seconds: 60).run()
        #expect(result.excesses.isEmpty, "\(result)")
        #expect(result.p99 > 0 && result.maximum >= result.p99)
    }

    @Test func failedRunsAreNamed() throws {
        let report = try Self.report([], failures: ["run 1: it \"broke\""])
        #expect(!report.isComplete)
        #expect(report.markdown.contains("- Tutti, lan, run 1: it \"broke\""))
        #expect(report.json.text.contains(#""failures":["run 1: it \"broke\""]"#))
        // There is nothing to draw.
        #expect(report.rowsByCase.isEmpty)
    }

    @Test func aPlotHasALineForEachUnbrokenStretch() throws {
        let report = try Self.report([Self.run(p99: 4e-6)])
        let svg = SkewPlot(rows: report.rowsByCase[0].rows).svg
        // Before the stall, near it, after it; 1 us lies one decade above the foot of five.
        #expect(svg.split(separator: "<polyline").count == 4)
        #expect(svg.contains("points=\"70.0,304.0\""))
    }

    @Test(arguments: [
        ["--case", "lan"], ["--output"], ["--output", "/x", "--runs", "0"], ["--output", "/x", "--seconds", "much"],
        ["--output", "/x", "--case", "nothing"], ["--output", "/x", "--nonsense"],
    ]) func wrongCommandLinesAreRefused(arguments: [String]) {
        #expect(throws: BenchmarkRefusal.self) { try Options(arguments) }
    }

    @Test func casesAreChosenByName() throws {
        let some = try Options(["--output", "/x", "--case", "wifi", "--case", "first-sound", "--quick"])
        #expect(some.wants("wifi") && some.wants(Options.firstSoundCase) && !some.wants("lan"))
        #expect(some.runCount == 1 && some.songSeconds == 30)
        #expect(try Options(["--output", "/x"]).wants("eight"))
    }
}
