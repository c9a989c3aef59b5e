import Glibc
import HeardAnalysis
import TestbedKit

extension Report {
    var markdown: String {
        ([heading, table] + [firstSoundTable, simulationLine, failureList].compactMap(\.self) + [pictures, remarks])
            .joined(separator: "\n\n") + "\n"
    }

    private var heading: String {
        """
        # How far apart listeners are

        \(options.common.date), revision \(options.common.revision). Songs of \(fixed(options.songSeconds, 0)) s (MP3, 192 kbit/s), \
        \(options.runCount == 1 ? "one run each" : "medians of \(options.runCount) runs"), on a machine of \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores, \
        Linux \(Self.kernel()). Figures in microseconds, limits in brackets; bold is what exceeds its limit.
        """
    }

    private var table: String {
        let names = [
            "case", "player", "p50", "p99", "max", "first 0.5 s", "whole run", "gaps, clicks, re-placements", "CPU",
            "resident", "near stalls",
        ]
        let lines = [names, names.map { _ in "---" }] + rows.map(cells)
        return lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }

    private func cells(of row: RowResult) -> [String] {
        let limits = row.item.limits
        let figures = row.figures
        let leftOut = row.runs.reduce(0) { $0 + $1.figures.leftOutCount }
        let settled = row.runs.reduce(0) { $0 + $1.figures.settledCount }
        let unlike = figures?.unlikeCount ?? 0
        return [
            row.item.title, row.player, Self.cell(figures?.p50, limits.p50), Self.cell(figures?.p99, limits.p99),
            Self.cell(figures?.maximum, limits.maximum), Self.cell(figures?.first, limits.first),
            Self.cell(figures?.whole, limits.whole) + (unlike > 0 ? ", **\(unlike) windows unlike**" : ""),
            row.faultCount == 0 ? "0" : "**\(row.faultCount)**",
            row.median(\.cpuPercent).map { fixed($0, 2) + " %" } ?? "-",
            row.median(\.residentMegabytes).map { fixed($0, 1) + " MB" } ?? "-", "\(leftOut) of \(settled)",
        ]
    }

    private static func cell(_ seconds: Double?, _ limit: Double?) -> String {
        guard let seconds else { return "-" }
        let value = fixed(seconds * 1e6, 1)
        guard let limit else { return value }
        return "\(seconds * 1e6 > limit ? "**\(value)**" : value) (\(fixed(limit, 0)))"
    }

    private var firstSoundTable: String? {
        guard !firstSounds.isEmpty else { return nil }
        var lines = [
            "First sound after a listener, or a broadcast, is started, in seconds: \(options.trialCount) trials each.",
            "",
            "| player | started | median | worst | limit of the median |", "|---|---|---|---|---|",
        ]
        for sounds in firstSounds {
            for way in sounds.ways {
                let median = way.median.map { fixed($0, 3) } ?? "-"
                let cells = [
                    sounds.player, way.name, way.isLate ? "**\(median)**" : median,
                    way.times.max().map { fixed($0, 3) } ?? "-", fixed(way.limit, 2),
                ]
                lines.append("| \(cells.joined(separator: " | ")) |")
            }
        }
        return lines.joined(separator: "\n")
    }

    private var simulationLine: String? {
        guard let simulation else { return nil }
        let p99 = fixed(simulation.p99, 1)
        return "Simulated, \(simulation.seconds) s, \(LongSimulation.listenerCount) listeners, ppm wandering, stalls, "
            + "clock steps: p99 \(simulation.excesses.isEmpty ? p99 : "**\(p99)**") "
            + "(\(fixed(LongSimulation.Result.limit, 0))), max \(fixed(simulation.maximum, 1)) outside 2 s after a fault"
            + (simulation.excesses.isEmpty ? "." : "; **\(simulation.excesses.joined(separator: ", "))**.")
    }

    private var failureList: String? {
        let all = rows.flatMap { row in row.failures.map { "\(row.player), \(row.item.name), \($0)" } } + failures
        return all.isEmpty ? nil : "Runs that failed:\n\n" + all.map { "- \($0)" }.joined(separator: "\n")
    }

    private var pictures: String {
        rowsByCase.map { "![Skew over time: \($0.rows[0].item.title)](skew-\($0.name).svg)" }.joined(separator: "\n\n")
    }

    private var remarks: String {
        """
        Skew is the delay between two recordings of what left the sound cards, in absolute time, by sub-sample \
        cross-correlation every half second. p50, p99 and max count from 10 s after the start and leave out what lies \
        within 10 s after a logged stall of the machine of more than 20 ms; a run that loses more than 30 % so is \
        repeated once. Of several pairs each figure is that of the worst. Listeners' monotonic clocks stand hours apart \
        and run up to 50 ppm off; their software sound cards run up to 40 ppm off and fetch in bursts of 5 ms. CPU (of \
        one core) and resident memory are the first listener's.
        """
    }
}
