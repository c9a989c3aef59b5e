import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit

/// One run on a testbed, from the making of its hosts to the judgement of what was heard.
struct Performance {
    let item: BenchmarkCase
    let song: SongFile
    let songSeconds: Double
    let program: String

    func run(_ number: Int, by type: any MeasuredPlayer.Type) throws -> RunResult {
        var configuration = item.configuration
        configuration.seed = UInt64(number)
        let testbed = try Testbed(configuration, program: program)
        let player = try type.init(testbed: testbed, song: song)
        do {
            let (listeners, use) = try play(player, at: testbed)
            return try judge(testbed, replacements: listeners.map(player.replacementCount), use: use)
        } catch {
            complain("\(error)\n\(player.account)")
            throw error
        }
    }

    private func play(
        _ player: any MeasuredPlayer, at testbed: Testbed
    ) throws -> (listeners: [LANProcess], use: (before: ProcessUse?, after: ProcessUse?, seconds: Double)) {
        let punctual = testbed.listeningHosts.filter { !item.lateHosts.contains($0) }
        var listeners = try punctual.map { try player.listen(on: $0, findsByName: true, card: nil) }
        Testbed.letAnnouncementsPass()
        let began = trueNow()
        func sleep(until seconds: Double) {
            let left = began + Int64(seconds * 1e9) - trueNow()
            if left > 0 { usleep(UInt32(left / 1_000)) }
        }
        try player.play(to: punctual.count)
        if !item.lateHosts.isEmpty {
            sleep(until: BenchmarkCase.lateSeconds)
            for host in item.lateHosts.sorted() {
                listeners.append(try player.listen(on: host, findsByName: true, card: nil))
            }
        }
        let (from, to) = (min(15, songSeconds / 3), songSeconds - 3)
        sleep(until: from)
        let before = ProcessUse(pid: listeners[0].pid)
        sleep(until: to)
        let after = ProcessUse(pid: listeners[0].pid)
        try player.finish(within: 30)
        return (listeners, (before, after, to - from))
    }

    private func judge(
        _ testbed: Testbed, replacements: [Int?], use: (before: ProcessUse?, after: ProcessUse?, seconds: Double)
    ) throws -> RunResult {
        let heard = try testbed.listeningHosts.map(testbed.recording)
        let stalls = testbed.stalls.stalls
        var pairs: [(hosts: (Int, Int), skew: PairSkew)] = []
        for first in heard.indices {
            for second in heard.indices where second > first {
                pairs.append(((first + 1, second + 1), PairSkew(heard[first], heard[second], stalls: stalls)))
            }
        }
        let worst = pairs.max { ($0.skew.figures.p99 ?? .infinity) < ($1.skew.figures.p99 ?? .infinity) }
        guard let worst, let figures = SkewFigures.worst(of: pairs.map(\.skew.figures)) else {
            throw LANError.commandFailed("a comparison of one listener")
        }
        let judgements = judgeSound(heard)
        return RunResult(
            figures: figures, worstPair: Self.pair(worst.hosts, worst.skew),
            blemishCount: judgements.reduce(0) { $0 + ($1.isFound ? $1.blemishes.count : 1) },
            blemishes: judgements.enumerated().flatMap { index, judgement in
                judgement.blemishes.prefix(12).map { "listener \(index + 1): \($0)" }
            },
            breakCount: judgements.reduce(0) { $0 + $1.breaks },
            replacementCount: replacements.compactMap(\.self).isEmpty
                ? nil : replacements.reduce(0) { $0 + ($1 ?? 0) },
            cpuPercent: use.before.flatMap { before in
                use.after.map { ($0.cpuSeconds - before.cpuSeconds) / use.seconds * 100 }
            }, residentMegabytes: use.after?.residentMegabytes, stallCount: stalls.count)
    }

    /// Each recording against the song; of one that joined late from a tenth of a second after its first sound on.
    private func judgeSound(_ heard: [HeardRecording]) -> [ReferenceReport] {
        heard.indices.map { index in
            song.judge(heard[index], joinedLateBeside: item.lateHosts.contains(index + 1) ? heard[0] : nil)
        }
    }

    private static func pair(_ hosts: (Int, Int), _ skew: PairSkew) -> RunResult.Pair {
        let start = skew.report.windows.first?.time ?? 0
        return RunResult.Pair(
            hosts: hosts,
            windows: skew.report.windows.map { (($0.time - start) * 1e-9, $0.skew, skew.isNearStall($0)) })
    }
}
