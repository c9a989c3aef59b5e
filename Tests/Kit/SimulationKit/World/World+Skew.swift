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
    /// In 99 of 100 of those windows any two listeners were no farther apart.
    public var p99 = TimeSpan.zero
    /// The greatest distance of any listener from what was due.
    public var worstError = TimeSpan.zero

    public var description: String {
        "worst pair \(worst.microseconds) us (\(late) after \(early), window \(window)), p99 \(p99.microseconds) us, "
            + "worst against the timeline \(worstError.microseconds) us, \(comparedWindowCount) windows"
    }
}

extension World {
    /// Compares what listeners emitted of a performance, window by window. Windows with ramps or gaps are left out.
    /// - Parameters:
    ///   - settled: leaves out a listener for so long after its first sound.
    ///   - quiet: leaves out a listener from the beginning of a fault of its machine, or the broadcaster's, until so
    ///     long after its end. With nil nothing is left out.
    public func skew(
        of performance: Performance, among nodes: [ListenNode]? = nil, settled: TimeSpan = .zero,
        quiet: TimeSpan? = nil
    ) -> SkewReport {
        let nodes = nodes ?? listeners
        let heard = nodes.map { $0.ear.windows(of: performance) }
        let first = heard.map { windows in
            (Hearing(windows).first ?? 0) + Int(settled.seconds * VirtualSong.sampleRate) / HeardWindow.frameCount
        }
        let disturbed = nodes.map { node in
            quiet.map { performance.disturbedWindows(of: node.machine, quiet: $0) } ?? []
        }
        var report = SkewReport()
        var distances: [TimeSpan] = []
        for window in 0..<(heard.map(\.count).min() ?? 0) {
            var latest: (lateness: TimeSpan, node: Int)?
            var earliest: (lateness: TimeSpan, node: Int)?
            for node in nodes.indices {
                guard window >= first[node], let content = heard[node][window], content.content == .song,
                    !disturbed[node].contains(where: { $0.contains(window) })
                else { continue }
                report.worstError = max(report.worstError, content.lateness.magnitude)
                if latest.map({ content.lateness > $0.lateness }) ?? true { latest = (content.lateness, node) }
                if earliest.map({ content.lateness < $0.lateness }) ?? true { earliest = (content.lateness, node) }
            }
            guard let latest, let earliest, latest.node != earliest.node else { continue }
            distances.append(latest.lateness - earliest.lateness)
            guard latest.lateness - earliest.lateness > report.worst else { continue }
            report.worst = latest.lateness - earliest.lateness
            report.window = window
            report.late = nodes[latest.node].name
            report.early = nodes[earliest.node].name
        }
        report.comparedWindowCount = distances.count
        if !distances.isEmpty { report.p99 = distances.sorted()[(distances.count * 99 - 1) / 100] }
        return report
    }
}

extension World {
    /// The windows in which a listener owed the song and something else, or nothing, was heard; those from the
    /// beginning of a fault of its machine, or the broadcaster's, until `quiet` after its end left out.
    public func missingWindows(of performance: Performance, for node: ListenNode, quiet: TimeSpan) -> [Int] {
        let disturbed = performance.disturbedWindows(of: node.machine, quiet: quiet)
        let windows = node.ear.windows(of: performance)
        return windows.indices.filter { window in
            windows[window]?.content != .song && !disturbed.contains { $0.contains(window) }
        }
    }
}

extension Performance {
    /// Windows whose song was due from the beginning of a fault of this listener's machine, or the broadcaster's, until
    /// so long after its end.
    public func disturbedWindows(of listener: VirtualMachine, quiet: TimeSpan) -> [ClosedRange<Int>] {
        (listener.faults + machine.faults).compactMap { fault in
            // The broadcaster's clock may have been put forward or back by it.
            let moments = [fault.lowerBound - .milliseconds(1), fault.lowerBound, fault.upperBound + quiet]
            let windows = moments.compactMap { window(at: $0.seconds) }
            guard let first = windows.min(), let last = windows.max() else { return nil }
            return first - 1...last + 1
        }
    }
}
