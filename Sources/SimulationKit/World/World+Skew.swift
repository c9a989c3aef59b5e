import AudioCore

/// How far apart the loudspeakers were, as heard.
public struct SkewReport: CustomStringConvertible {
    /// The greatest distance between any two listeners that emitted the same stretch of song.
    public var worst = TimeSpan.zero
    /// The window in which that was.
    public var window = 0
    /// Who was late and who was early then.
    public var late = ""
    public var early = ""
    /// Windows in which at least two listeners could be compared.
    public var comparedWindowCount = 0
    /// The greatest distance of any listener from what was due.
    public var worstError = TimeSpan.zero

    public var description: String {
        "worst pair \(worst.microseconds) us (\(late) after \(early), window \(window)), "
            + "worst against the timeline \(worstError.microseconds) us, \(comparedWindowCount) windows"
    }
}

extension World {
    /// Compares what listeners emitted of a performance, window by window. Windows with ramps or gaps are left out.
    public func skew(of performance: Performance, among nodes: [ListenNode]? = nil) -> SkewReport {
        let nodes = nodes ?? listeners
        let heard = nodes.map { $0.ear.windows(of: performance) }
        var report = SkewReport()
        for window in 0..<(heard.map(\.count).min() ?? 0) {
            var latest: (lateness: TimeSpan, node: Int)?
            var earliest: (lateness: TimeSpan, node: Int)?
            for node in nodes.indices {
                guard let content = heard[node][window], content.content == .song else { continue }
                report.worstError = max(report.worstError, content.lateness.magnitude)
                if latest.map({ content.lateness > $0.lateness }) ?? true { latest = (content.lateness, node) }
                if earliest.map({ content.lateness < $0.lateness }) ?? true { earliest = (content.lateness, node) }
            }
            guard let latest, let earliest, latest.node != earliest.node else { continue }
            report.comparedWindowCount += 1
            guard latest.lateness - earliest.lateness > report.worst else { continue }
            report.worst = latest.lateness - earliest.lateness
            report.window = window
            report.late = nodes[latest.node].name
            report.early = nodes[earliest.node].name
        }
        return report
    }
}
