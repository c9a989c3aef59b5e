import HeardAnalysis
import TestbedKit

/// What one run was like.
struct RunResult {
    /// A pair of listeners, by host, and its windows: seconds since the first one, and the skew in seconds; those near
    /// a stall are marked.
    struct Pair {
        var hosts: (Int, Int)
        var windows: [(time: Double, skew: Double, isNearStall: Bool)]
    }

    var figures: SkewFigures
    /// Of the pair that is worst in the 99th percentile.
    var worstPair: Pair
    /// Residuals above -60 dBFS, jumps in time and missing stretches, over all listeners.
    var blemishCount: Int
    /// The first few, in words.
    var blemishes: [String]
    var breakCount: Int
    /// Nil where the players do not tell.
    var replacementCount: Int?
    /// Of the first listener, in percent of one core.
    var cpuPercent: Double?
    var residentMegabytes: Double?
    var stallCount: Int

    /// Gaps, clicks and re-placements.
    var faultCount: Int { blemishCount + breakCount + (replacementCount ?? 0) }
}

/// All runs of a case by one player. The figures are medians.
struct RowResult {
    var item: BenchmarkCase
    var player: String
    var runs: [RunResult]
    /// Why runs are missing.
    var failures: [String]

    func median(_ value: (RunResult) -> Double?) -> Double? { heardPercentile(0.5, of: runs.compactMap(value)) }

    var figures: SkewFigures? {
        guard var figures = runs.first?.figures else { return nil }
        figures.p50 = median(\.figures.p50)
        figures.p99 = median(\.figures.p99)
        figures.maximum = median(\.figures.maximum)
        figures.first = median(\.figures.first)
        figures.whole = median(\.figures.whole)
        figures.unlikeCount = runs.map(\.figures.unlikeCount).max() ?? 0
        return figures
    }

    var faultCount: Int { runs.reduce(0) { $0 + $1.faultCount } }

    /// The names of the figures that are above their limits.
    var excesses: [String] {
        guard let figures else { return [] }
        return item.limits.excesses(of: figures) + (faultCount > 0 ? ["gaps, clicks, re-placements"] : [])
    }
}

/// How long it took until something was heard, in seconds, each time that it was tried.
struct FirstSounds {
    var player: String
    var ways: [Way]

    /// What was started, and how the other side was found.
    struct Way {
        var name: String
        /// Of the median, in seconds.
        var limit: Double
        var times: [Double]

        var median: Double? { heardPercentile(0.5, of: times) }
        /// Also where there is none.
        var isLate: Bool { median.map { $0 > limit } ?? true }
    }
}
