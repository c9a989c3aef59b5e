import Glibc
import HeardAnalysis
import LANKit
import TestbedKit

/// What was measured, as Markdown, JSON and pictures.
struct Report {
    let options: Options
    var rows: [RowResult] = []
    var firstSounds: [FirstSounds] = []
    var simulation: LongSimulation.Result?
    /// Of the trials of the first sound.
    var failures: [String] = []

    /// Every run that was asked for was made.
    var isComplete: Bool { failures.isEmpty && rows.allSatisfy(\.failures.isEmpty) }

    /// What Tutti's figures are above their limits, in words. Runs that failed have none; see ``isComplete``.
    var excesses: [String] {
        let ours = rows.filter { $0.player == TuttiPlayer.name }
        let inRows = ours.flatMap { row in row.excesses.map { "\(row.item.title): \($0)" } }
        let ofStarts = firstSounds.filter { $0.player == TuttiPlayer.name }.flatMap { sounds in
            sounds.ways.filter(\.isLate).map { "first sound: \($0.name)" }
        }
        let simulated = simulation?.excesses.map { "simulated: \($0)" } ?? []
        return inRows + ofStarts + simulated
    }

    init(options: Options) { self.options = options }

    /// Writes `report.md`, `report.json` and a `skew-CASE.svg` for each case.
    func write(to directory: String) throws {
        try BenchmarkProgram.write(markdown, to: directory + "/report.md")
        try BenchmarkProgram.write(json.text + "\n", to: directory + "/report.json")
        for (name, rows) in rowsByCase {
            try BenchmarkProgram.write(SkewPlot(rows: rows).svg, to: directory + "/skew-\(name).svg")
        }
    }

    /// In the order of the table.
    var rowsByCase: [(name: String, rows: [RowResult])] {
        BenchmarkCase.all.compactMap { item in
            let rows = rows.filter { $0.item.name == item.name && !$0.runs.isEmpty }
            return rows.isEmpty ? nil : (item.name, rows)
        }
    }

    static func kernel() -> String {
        var names = utsname()
        uname(&names)
        return withUnsafeBytes(of: names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
