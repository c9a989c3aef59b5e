import AudioCore
import VirtualDevices

/// How ``skew(between:and:options:)`` looks.
public struct SkewOptions: Sendable {
    /// Length of one window, in seconds.
    public var window = 0.25
    /// From window to window, in seconds.
    public var hop = 0.5
    /// The largest skew that is looked for, in seconds.
    public var range = 0.25
    /// How much is looked at, in seconds from the later of the two onsets on; nil for all.
    public var duration: Double?
    /// What is audible: peak of a sample for the onset, root mean square for a window; full scale 1.
    public var threshold: Float = 0.001

    public init() {}
}

/// How far apart two recordings are.
public struct SkewReport: Sendable {
    /// One look.
    public struct Window: Sendable {
        /// When it begins, in nanoseconds of the recordings' clock.
        public var time: Double
        /// In seconds; positive where the second recording is later.
        public var skew: Double
        /// 1 for the same sound.
        public var similarity: Double

        public init(time: Double, skew: Double, similarity: Double = 1) {
            self.time = time
            self.skew = skew
            self.similarity = similarity
        }
    }

    /// The windows in which the same sound was found in both.
    public var windows: [Window]
    /// Windows in which the first recording is audible and the second does not hold the same sound.
    public var unlikeWindows: [Window]
    /// When the first sample of each became audible, in nanoseconds; nil where nothing did.
    public var onsets: (first: Double?, second: Double?)

    public init(windows: [Window], unlikeWindows: [Window], onsets: (first: Double?, second: Double?)) {
        self.windows = windows
        self.unlikeWindows = unlikeWindows
        self.onsets = onsets
    }

    /// The second recording's onset minus the first's, in seconds: right to a frame or so.
    public var onsetSkew: Double? {
        guard let first = onsets.first, let second = onsets.second else { return nil }
        return (second - first) * 1e-9
    }

    /// The skew in the window that begins at the later of the two onsets, in seconds.
    public var firstSkew: Double? { windows.first?.skew }

    /// That part of the magnitudes of skew (0...1: 0.5 is the median, 1 the maximum), in seconds.
    public func percentile(_ part: Double) -> Double? { heardPercentile(part, of: windows.map { abs($0.skew) }) }

    /// The same report without what begins in any of these spans, in nanoseconds: around machine stalls, say.
    public func excluding(_ spans: [ClosedRange<Double>]) -> SkewReport {
        var report = self
        let isExcluded = { (window: Window) in spans.contains { $0.contains(window.time) } }
        report.windows.removeAll(where: isExcluded)
        report.unlikeWindows.removeAll(where: isExcluded)
        return report
    }

    /// The same report from `seconds` after its first window on.
    public func after(seconds: Double) -> SkewReport {
        guard let start = windows.first?.time else { return self }
        var report = self
        report.windows.removeAll { $0.time < start + seconds * 1e9 }
        return report
    }
}

/// The value below which that part of `values` lies; the last for 1. Nil for none.
public func heardPercentile(_ part: Double, of values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let rank = Int((part * Double(sorted.count)).rounded(.up)) - 1
    return sorted[max(0, min(sorted.count - 1, rank))]
}

/// Compares two recordings in absolute time, window by window.
///
/// Both are read on one grid of absolute time, at the first one's nominal rate: cards of different true rates, and
/// recordings of different sample rates, compare as they were heard.
public func skew(
    between first: HeardRecording, and second: HeardRecording, options: SkewOptions = SkewOptions()
) -> SkewReport {
    var report = SkewReport(
        windows: [], unlikeWindows: [],
        onsets: (
            first.firstAudibleTime(above: options.threshold), second.firstAudibleTime(above: options.threshold)
        ))
    guard let firstOnset = report.onsets.first, let secondOnset = report.onsets.second,
        var end = first.lastAudibleFrame(above: options.threshold).flatMap({ first.time(ofFrame: Double($0)) })
    else { return report }

    let (a, b) = (TimedSignal(first), TimedSignal(second))
    let rate = first.sampleRate
    let count = Int(options.window * rate)
    var time = max(firstOnset, secondOnset)
    if let duration = options.duration { end = min(end, time + duration * 1e9) }
    var last: Double?
    while time + options.window * 1e9 <= end {
        defer { time += options.hop * 1e9 }
        guard a.isWhole(from: time, seconds: options.window), let window = a.read(from: time, count: count, rate: rate),
            rootMeanSquare(window) > options.threshold
        else { continue }
        let start = time
        let estimator = DelayEstimator(first: window) { offset, count in
            b.read(from: start + offset / rate * 1e9, count: count, rate: rate)
                ?? [Float](repeating: 0, count: count)
        }
        var estimate = estimator.refine(from: (last ?? 0) * rate)
        if last == nil || estimate.similarity < 0.99 {
            let searched = estimator.search(around: 0, range: Int(options.range * rate))
            if searched.similarity > estimate.similarity { estimate = searched }
        }
        let result = SkewReport.Window(
            time: time, skew: estimate.delay / rate, similarity: estimate.similarity)
        if estimate.similarity < DelayEstimator.accepted {
            report.unlikeWindows.append(result)
        } else {
            report.windows.append(result)
            last = result.skew
        }
    }
    return report
}

func rootMeanSquare(_ samples: [Float]) -> Float {
    guard !samples.isEmpty else { return 0 }
    var sum = 0.0
    samples.withUnsafeBufferPointer { for sample in $0 { sum += Double(sample) * Double(sample) } }
    return Float((sum / Double(samples.count)).squareRoot())
}

/// A recording as a function of absolute time; silent where it holds nothing.
struct TimedSignal {
    private let samples: [Float]
    private let segments: [(segment: RecordingSidecar.Segment, end: Int)]

    init(_ recording: HeardRecording) {
        samples = recording.mono
        segments = recording.segments.indices.map {
            (recording.segments[$0], recording.endFrame(ofSegment: $0))
        }
    }

    /// Whether one segment covers this span.
    func isWhole(from time: Double, seconds: Double) -> Bool {
        guard let (segment, end) = segment(at: time) else { return false }
        return frame(at: time + seconds * 1e9, in: segment) < Double(end)
    }

    /// `count` values from `time` (nanoseconds) on at `rate`, of the segment in which the middle of the span lies; zero
    /// is read outside of it. Nil before the first segment.
    func read(from time: Double, count: Int, rate: Double) -> [Float]? {
        guard let (segment, end) = segment(at: time + Double(count) / rate * 0.5e9) else { return nil }
        let first = min(Int(segment.firstFrame), end)
        return SincInterpolator.read(
            samples, in: first..<end, from: frame(at: time, in: segment), step: segment.framesPerSecond / rate,
            count: count)
    }

    private func segment(at time: Double) -> (RecordingSidecar.Segment, end: Int)? {
        segments.last { Double($0.segment.host.nanoseconds) <= time }
    }

    private func frame(at time: Double, in segment: RecordingSidecar.Segment) -> Double {
        Double(segment.firstFrame) + (time - Double(segment.host.nanoseconds)) * 1e-9 * segment.framesPerSecond
    }
}
