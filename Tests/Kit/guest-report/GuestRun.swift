import HeardAnalysis

/// One run of a part, and how it is judged.
struct GuestRun {
    enum Recording {
        /// One WAVE file with A's two channels and B's two: absolute.
        case both
        /// A WAVE file each, with beginnings of their own: only what changes can be judged.
        case each
    }

    let part: String
    let name: String
    let recording: Recording
    /// The listeners that told of themselves.
    var reporters = ["A", "B"]
    /// What is allowed for the first sample and for all of the sound, in microseconds. One sample at 48 kHz is 20.8.
    var limits = (onset: 21.0, skew: 10.0)

    /// Nil for a part that does not exist.
    static func runs(ofPart part: String) -> [GuestRun]? {
        switch part {
        case "aloop", "aloop-unstamped":
            ["quiet", "late", "stop"].map { GuestRun(part: part, name: $0, recording: .both) }
        // A is the service.
        case "package": [GuestRun(part: part, name: part, recording: .both, reporters: ["B"])]
        // Its sound goes through PipeWire, which reads snd-aloop's pointer by a timer of its own. It moves once in
        // 4 ms.
        case "desktop":
            [
                GuestRun(
                    part: part, name: part, recording: .both, reporters: ["B"], limits: (onset: 5_000, skew: 5_000))
            ]
        case "hda", "usb", "ac97": [GuestRun(part: part, name: "quiet", recording: .each)]
        default: nil
        }
    }

    func rows(in directory: String) -> [ReportRow] {
        let skews =
            switch recording {
            case .both: absoluteRows(in: directory)
            case .each: relativeRows(in: directory)
            }
        return skews + blemishRows(in: directory)
    }

    private func row(_ what: String, _ value: Double?, atMost limit: Double, _ unit: String = "us") -> ReportRow {
        ReportRow(title: "\(part), \(name): \(what)", value: value, limit: limit, unit: unit)
    }

    // Skew

    /// After a listener stood still, it comes back by what it knows of its card, which takes some seconds to be exact.
    private static let recovery = 3.0

    private func absoluteRows(in directory: String) -> [ReportRow] {
        let report = (try? HeardRecording(path: "\(directory)/\(name).wav")).map { recording in
            skew(between: recording.pair(0), and: recording.pair(1), options: .fine)
        }
        guard name == "stop" else {
            // A late joiner has no onset to compare with.
            let first = row("first sample", report?.onsetSkew.map { abs($0) * 1e6 }, atMost: limits.onset)
            return [
                name == "late" ? nil : first,
                row("first window", report?.firstSkew.map { abs($0) * 1e6 }, atMost: limits.skew),
                row("worst", report?.percentile(1).map { $0 * 1e6 }, atMost: limits.skew),
            ].compactMap(\.self)
        }
        let gap = report?.longestGap
        let before = report.map { $0.windows.filter { $0.time < (gap?.start ?? .infinity) } }
        let after = report.map { $0.windows.filter { $0.time > (gap?.end ?? .infinity) + Self.recovery * 1e9 } }
        return [
            row("worst before", before?.worst, atMost: 10), row("worst after", after?.worst, atMost: 20),
        ]
    }

    private func relativeRows(in directory: String) -> [ReportRow] {
        guard let first = try? HeardRecording(path: "\(directory)/a0.wav").fromOnset,
            let second = try? HeardRecording(path: "\(directory)/a1.wav").fromOnset
        else { return [row("wander", nil, atMost: 5), row("drift", nil, atMost: 0.3, "ppm")] }
        let windows = skew(between: first, and: second, options: .fine).windows
        let line = Line(through: windows)
        return [
            row("wander", line?.worst(of: windows), atMost: 5),
            row("drift", line.map { abs($0.slope) }, atMost: 0.3, "ppm"),
        ]
    }

    // What listeners count

    private func blemishRows(in directory: String) -> [ReportRow] {
        reporters.map { listener in
            let last = ListenerLog.lastCounters(in: "\(directory)/\(name).\(listener).json")
            // One that stood still has an xrun, and is placed anew.
            let provoked = name == "stop" && listener == "B" ? 2.0 : 0
            return row("\(listener)'s xruns and replacements", last.map { Double($0) }, atMost: provoked, "")
        }
    }
}

extension SkewOptions {
    /// Windows follow each other closely.
    fileprivate static var fine: SkewOptions {
        var options = SkewOptions()
        options.hop = 0.25
        return options
    }
}

extension HeardRecording {
    /// Two channels of four.
    fileprivate func pair(_ index: Int) -> HeardRecording { onlyChannel(2 * index) }

    /// The recording from its first audible frame on, which is at time zero.
    fileprivate var fromOnset: HeardRecording {
        let first = firstAudibleFrame() ?? 0
        var cut = self
        cut.samples.removeFirst(first * channels)
        return cut
    }
}

extension [SkewReport.Window] {
    /// In microseconds; nil for none.
    fileprivate var worst: Double? { map { abs($0.skew) * 1e6 }.max() }
}

extension SkewReport {
    /// The longest time without a window in which both are alike, in nanoseconds.
    fileprivate var longestGap: (start: Double, end: Double)? {
        zip(windows, windows.dropFirst()).map { ($0.time, $1.time) }.max { $0.1 - $0.0 < $1.1 - $1.0 }
    }
}

/// A line through skews: its slope is drift, what is off it is wander.
private struct Line {
    /// Microseconds.
    private let start: Double
    /// In ppm.
    let slope: Double
    private let origin: Double

    /// Nil for fewer than three.
    init?(through windows: [SkewReport.Window]) {
        guard windows.count > 2 else { return nil }
        let count = Double(windows.count)
        origin = windows.map(\.time).reduce(0, +) / count
        start = windows.map(\.skew).reduce(0, +) / count * 1e6
        var (squares, products) = (0.0, 0.0)
        for window in windows {
            let x = (window.time - origin) * 1e-9
            squares += x * x
            products += x * (window.skew * 1e6 - start)
        }
        slope = products / squares
    }

    func worst(of windows: [SkewReport.Window]) -> Double? {
        windows.map { abs($0.skew * 1e6 - start - slope * ($0.time - origin) * 1e-9) }.max()
    }
}
