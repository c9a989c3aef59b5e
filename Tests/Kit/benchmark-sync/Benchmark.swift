import HeardAnalysis
import LANKit
import TestbedKit

/// All cases that were asked for, one run after the other.
struct Benchmark {
    let options: Options
    var report: Report
    private let song: SongFile
    /// Long enough for the trials of the first sound.
    private let trialSong: SongFile
    private let ensembles: [any Ensemble.Type]
    /// They hold the songs' files.
    private let studios: [LAN]

    init(_ options: Options) throws {
        self.options = options
        let studios = try (1...2).map { _ in try LAN(hosts: [HostOptions(hasDiscovery: false)]) }
        song = try SongFile(.constantBitRate, seconds: options.songSeconds, in: studios[0])
        let trials = Double(options.trialCount) * 2 * FirstSoundTrial.secondsPerTrial + 10
        trialSong =
            trials > options.songSeconds ? try SongFile(.constantBitRate, seconds: trials, in: studios[1]) : song
        self.studios = studios
        report = Report(options: options)
        var ensembles: [any Ensemble.Type] = [TuttiEnsemble.self]
        if options.hasSnapcast && SnapcastEnsemble.isInstalled {
            ensembles.append(SnapcastEnsemble.self)
        } else {
            tell("Snapcast is left out\(options.hasSnapcast ? ": snapserver and snapclient are not installed" : "")")
        }
        self.ensembles = ensembles
    }

    mutating func run() {
        for item in BenchmarkCase.all where options.wants(item.name) {
            for ensemble in ensembles where item.isCompared || ensemble == TuttiEnsemble.self {
                report.rows.append(row(of: item, by: ensemble))
            }
        }
        if options.wants(Options.firstSoundCase) {
            for ensemble in ensembles { tryFirstSounds(of: ensemble) }
        }
        if options.wants(LongSimulation.name) { simulate() }
    }

    private func row(of item: BenchmarkCase, by ensemble: any Ensemble.Type) -> RowResult {
        var row = RowResult(item: item, ensemble: ensemble.name, runs: [], failures: [])
        let performance = Performance(
            item: item, song: song, songSeconds: options.songSeconds, program: options.program)
        for number in 1...options.runCount {
            do {
                let result = try steadyRun(performance, number, by: ensemble)
                row.runs.append(result)
                tell(
                    "\(ensemble.name), \(item.name), run \(number): \(result.figures.summary); "
                        + "faults \(result.faultCount), stalls \(result.stallCount)")
            } catch {
                row.failures.append("run \(number): \(error)")
                tell("\(ensemble.name), \(item.name), run \(number) failed: \(error)")
            }
        }
        return row
    }

    /// A run of which the machine's stalls leave enough; one that they spoil is repeated once.
    private func steadyRun(
        _ performance: Performance, _ number: Int, by ensemble: any Ensemble.Type
    ) throws -> RunResult {
        for _ in 1...2 {
            let result = try performance.run(number, by: ensemble)
            if result.figures.isMeaningful { return result }
            tell("The machine stood still too often: \(result.figures.summary)")
        }
        throw LANError.timedOut("a steady machine")
    }

    private mutating func simulate() {
        let result = LongSimulation(seconds: options.simulatedSeconds).run()
        report.simulation = result
        tell("Simulated, \(result.seconds) s: p99 \(fixed(result.p99, 1)), max \(fixed(result.maximum, 1)) us")
    }

    private mutating func tryFirstSounds(of ensemble: any Ensemble.Type) {
        do {
            let trial = FirstSoundTrial(song: trialSong, program: options.program, count: options.trialCount)
            let result = try trial.run(by: ensemble)
            report.firstSounds.append(result)
            tell(
                "\(ensemble.name), first sound: by address \(result.byAddress.map { fixed($0, 3) }), "
                    + "by mDNS \(result.byName.map { fixed($0, 3) }) s")
        } catch {
            report.failures.append("\(ensemble.name), first sound: \(error)")
            tell("\(ensemble.name), first sound failed: \(error)")
        }
    }
}
