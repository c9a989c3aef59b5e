import HeardAnalysis
import LANKit

/// What is said of the skew of a run, in seconds.
///
/// The percentiles and the maximum are of the settled run: from ``settlingSeconds`` after the first window on, and
/// without windows from the beginning of a stall of the machine until ``stallSeconds`` after its end, since what a
/// frozen machine does to all its hosts at once is not the program's. Those that were left out are counted. The first
/// half second and the whole run are judged without mercy.
public struct SkewFigures: Sendable {
    public var p50: Double?
    public var p99: Double?
    public var maximum: Double?
    /// The largest in windows that lie within the first half second.
    public var first: Double?
    /// The largest of all.
    public var whole: Double?
    public var windowCount: Int
    /// Windows in which the two did not hold the same sound.
    public var unlikeCount: Int
    /// Of the settled run.
    public var leftOutCount: Int
    public var settledCount: Int

    public static let settlingSeconds = 10.0
    public static let stallSeconds = 10.0
    /// A run of which more than this part is left out says nothing.
    public static let leftOutLimit = 0.3

    public var leftOutPart: Double { settledCount > 0 ? Double(leftOutCount) / Double(settledCount) : 0 }
    public var isMeaningful: Bool { leftOutPart <= Self.leftOutLimit }
}

/// The skew of one pair of recordings: every half second, more densely at the beginning, and the figures of it.
public struct PairSkew: Sendable {
    public var report: SkewReport
    public var figures: SkewFigures
    /// Whether a window lies near a stall.
    private let spans: [ClosedRange<Double>]

    public init(_ first: HeardRecording, _ second: HeardRecording, stalls: [StallLogger.Stall]) {
        var beginning = SkewOptions()
        beginning.hop = 0.125
        beginning.duration = 0.5
        self.init(
            report: skew(between: first, and: second),
            beginning: skew(between: first, and: second, options: beginning), stalls: stalls)
    }

    /// - Parameter beginning: the first half second, as densely as one likes.
    public init(report: SkewReport, beginning: SkewReport, stalls: [StallLogger.Stall]) {
        self.report = report
        let window = SkewOptions().window * 1e9
        spans = stalls.map { Double($0.start) - window...Double($0.end) + SkewFigures.stallSeconds * 1e9 }
        let settled = report.after(seconds: SkewFigures.settlingSeconds)
        let counted = settled.excluding(spans)
        let first = beginning.percentile(1)
        figures = SkewFigures(
            p50: counted.percentile(0.5), p99: counted.percentile(0.99), maximum: counted.percentile(1), first: first,
            whole: [report.percentile(1), first].compactMap(\.self).max(), windowCount: report.windows.count,
            unlikeCount: report.unlikeWindows.count, leftOutCount: settled.windows.count - counted.windows.count,
            settledCount: settled.windows.count)
    }

    public func isNearStall(_ window: SkewReport.Window) -> Bool { spans.contains { $0.contains(window.time) } }
}

extension SkewFigures {
    /// Of several pairs: each figure is that of the pair that is worst in it.
    public static func worst(of pairs: [SkewFigures]) -> SkewFigures? {
        guard var worst = pairs.first else { return nil }
        func largest(_ figure: (SkewFigures) -> Double?) -> Double? {
            // One pair of which there is nothing to say leaves nothing to say of all.
            let values = pairs.compactMap(figure)
            return values.count == pairs.count ? values.max() : nil
        }
        worst.p50 = largest(\.p50)
        worst.p99 = largest(\.p99)
        worst.maximum = largest(\.maximum)
        worst.first = largest(\.first)
        worst.whole = largest(\.whole)
        worst.windowCount = pairs.map(\.windowCount).min() ?? 0
        worst.unlikeCount = pairs.map(\.unlikeCount).max() ?? 0
        let leastMeaningful = pairs.max { $0.leftOutPart < $1.leftOutPart }
        worst.leftOutCount = leastMeaningful?.leftOutCount ?? 0
        worst.settledCount = leastMeaningful?.settledCount ?? 0
        return worst
    }

    public var summary: String {
        let parts = [p50, p99, maximum, first, whole].map { $0.map { fixed($0 * 1e6, 1) } ?? "-" }
        return
            "p50 \(parts[0]), p99 \(parts[1]), max \(parts[2]), first 0.5 s \(parts[3]), whole run \(parts[4]) us "
            + "in \(windowCount) windows; unlike \(unlikeCount), near stalls \(leftOutCount) of \(settledCount)"
    }
}
