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
    private let players: [any MeasuredPlayer.Type]
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
        var players: [any MeasuredPlayer.Type] = [TuttiPlayer.self]
        if options.hasSnapcast && SnapcastPlayer.isInstalled {
            players.append(SnapcastPlayer.self)
        } else {
            tell("Snapcast is left out\(options.hasSnapcast ? ": snapserver and snapclient are not installed" : "")")
        }
        self.players = players
    }

    mutating func run() {
        for item in BenchmarkCase.all where options.wants(item.name) {
            for player in players where item.isCompared || player == TuttiPlayer.self {
                report.rows.append(row(of: item, by: player))
            }
        }
        if options.wants(Options.firstSoundCase) {
            for player in players { tryFirstSounds(of: player) }
        }
        if options.wants(LongSimulation.name) { simulate() }
    }

    private func row(of item: BenchmarkCase, by player: any MeasuredPlayer.Type) -> RowResult {
        var row = RowResult(item: item, player: player.name, runs: [], failures: [])
        let performance = Performance(
            item: item, song: song, songSeconds: options.songSeconds, program: options.common.program)
        for number in 1...options.runCount {
            do {
                let result = try steadyRun(performance, number, by: player)
                row.runs.append(result)
                tell(
                    "\(player.name), \(item.name), run \(number): \(result.figures.summary); "
                        + "faults \(result.faultCount), stalls \(result.stallCount)")
            } catch {
                row.failures.append("run \(number): \(error)")
                tell("\(player.name), \(item.name), run \(number) failed: \(error)")
            }
        }
        return row
    }

    /// A run of which the machine's stalls leave enough; one that they spoil is repeated once.
    private func steadyRun(
        _ performance: Performance, _ number: Int, by player: any MeasuredPlayer.Type
    ) throws -> RunResult {
        for _ in 1...2 {
            let result = try performance.run(number, by: player)
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

    private mutating func tryFirstSounds(of player: any MeasuredPlayer.Type) {
        do {
            let trial = FirstSoundTrial(song: trialSong, program: options.common.program, count: options.trialCount)
            var result = try trial.run(by: player)
            if player == TuttiPlayer.self { result.ways += try trial.begin() }
            report.firstSounds.append(result)
            for way in result.ways { tell("\(player.name), \(way.name): \(way.times.map { fixed($0, 3) }) s") }
        } catch {
            report.failures.append("\(player.name), first sound: \(error)")
            tell("\(player.name), first sound failed: \(error)")
        }
    }
}
