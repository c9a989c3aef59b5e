import HeardAnalysis
import LANKit
import TestbedKit

/// What a browser's card emitted during one load of the page, beside a native listener's. Times in seconds.
struct HeardLoad {
    /// From the tap.
    let firstSound: Double?
    /// Of the browser beside the native listener, every half second; positive where the browser is later.
    let report: SkewReport
    /// The same in the first second, densely.
    let beginning: SkewReport
    /// From a moment before each stall of the machine until what it did is over, in nanoseconds of true time: a browser
    /// that gets no processor for longer than its card's buffer lasts falls silent, whatever its page does.
    private let stalled: [ClosedRange<Double>]
    /// What is left of the sine in each 10 ms from the second second on, in dBFS.
    private let residuals: [(time: Double, level: Double)]
    private let start: Double

    init(
        _ load: ListeningBrowser.Load, native: HeardRecording, browser: HeardRecording, stalls: [StallLogger.Stall]
    ) {
        stalled = stalls.map { Double($0.start) - 0.25e9...Double($0.end) + 1e9 }
        let own = browser.muted(before: load.tapped)
        let onset = own.firstAudibleTime()
        start = onset ?? load.tapped
        firstSound = onset.map { ($0 - load.tapped) * 1e-9 }
        let (reference, noise) = (native.onlyChannel(0).muted(before: load.tapped), own.onlyChannel(0))
        // Up to a moment before the end: what the page's end does is not judged.
        var options = SkewOptions()
        options.duration = max(0, (load.ended - start) * 1e-9 - 0.5)
        report = skew(between: reference, and: noise, options: options)
        options.hop = 0.125
        options.duration = 1
        beginning = skew(between: reference, and: noise, options: options)
        residuals = Self.residuals(own, from: start + 1e9, to: load.ended - 0.5e9)
    }

    private static func residuals(_ recording: HeardRecording, from start: Double, to end: Double) -> [(
        time: Double, level: Double
    )] {
        let sine = recording.channels > 1 ? recording.channel(1) : []
        let rate = recording.sampleRate
        return SineResidual(of: sine, rate: rate, pitch: MeasuringSong.pitch).windows.compactMap { window in
            guard let time = recording.time(ofFrame: Double(window.start)), time > start, time < end else { return nil }
            return (time, window.level)
        }
    }

    /// The median of the skew from the second second to the tenth.
    var constant: Double? {
        let skews = report.windows.filter { ($0.time - start) * 1e-9 > 1 && ($0.time - start) * 1e-9 < 10 }.map(\.skew)
        return skews.isEmpty ? nil : skews.sorted()[skews.count / 2]
    }

    /// From ten seconds on, without what is near a stall of the machine.
    var settled: SkewReport { report.after(seconds: SkewFigures.settlingSeconds).excluding(stalled) }

    /// Of all windows away from a stall of the machine, those that do not sound like the native listener's.
    var unlikeWindowCount: Int { report.excluding(stalled).unlikeWindows.count }

    /// In the worst 10 ms away from a stall of the machine, in dBFS; nil where nothing sounded.
    var worstResidual: Double? { residuals.filter { !isStalled($0.time) }.map(\.level).max() }

    /// Windows of 10 ms in which more is left of the sine than `SineResidual.clickLimit`.
    var clicks: [Click] {
        residuals.filter { $0.level > SineResidual.clickLimit }.map { time, level in
            Click(seconds: (time - start) * 1e-9, level: level, isStalled: isStalled(time))
        }
    }

    struct Click {
        /// From the first sound.
        var seconds: Double
        /// In dBFS.
        var level: Double
        /// Whether a stall of the machine is near.
        var isStalled: Bool
    }

    private func isStalled(_ time: Double) -> Bool { stalled.contains { $0.contains(time) } }

    /// Seconds from the first sound, and skew.
    var points: [(time: Double, skew: Double)] { report.windows.map { (($0.time - start) * 1e-9, $0.skew) } }
}
