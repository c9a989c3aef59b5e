import Glibc

/// How ``compare(_:with:options:)`` looks.
public struct ReferenceOptions: Sendable {
    /// Length of one window of the residual, in seconds.
    public var window = 0.01
    /// Root mean square of the residual above which a window is a blemish, in dBFS.
    public var limit = -60.0
    /// The frame of the reference at which the recording begins; nil looks for it.
    public var firstReferenceFrame: Int?
    /// How much silence is demanded before the first frame and after the last, in seconds.
    public var margin = 0.3
    /// How far the speed of the recording may be from the song's nominal speed, in ppm.
    public var speedRange = 500.0
    /// How far the speed may be, for a tenth of a second, from the median of the second around it, in ppm.
    ///
    /// A clock that turns out to run faster than thought is followed slowly: this is about jumps. One frame dropped or
    /// repeated at 48 kHz is 208 ppm in a tenth of a second; a controller needs a few.
    public var wanderRange = 20.0

    public init() {}
}

/// What ``compare(_:with:options:)`` found.
public struct ReferenceReport: Sendable {
    /// A window in which the recording is not the reference, or a place where its timing jumps.
    public struct Blemish: Sendable, CustomStringConvertible {
        /// In seconds of the reference; negative before its first frame.
        public var position: Double
        /// Of the residual, in dBFS; nil where the blemish is a jump in time.
        public var level: Double?
        /// How far the timing jumps, in seconds; positive where frames are missing.
        public var jump: Double?

        public var description: String {
            let place = "at \(fixed(position, 3)) s"
            if let level { return "residual \(fixed(level, 1)) dBFS \(place)" }
            return "timing jumps by \(fixed((jump ?? 0) * 1e6, 1)) us \(place)"
        }
    }

    /// No place was found where the recording holds the reference.
    public var isFound: Bool
    /// The recording's frame (between frames) that holds the reference's first frame; may lie before the recording.
    public var firstFrame: Double
    /// The reference frame from which on was compared: 0 unless the options say otherwise.
    public var firstReferenceFrame: Int
    /// The recording's amplitude against the reference.
    public var gain: Double
    /// How much faster than nominal the song was played, in recorded frames: the card's ppm, mirrored.
    public var speedPartsPerMillion: Double
    /// Of the residual over all windows, in dBFS.
    public var worstLevel: Double
    public var medianLevel: Double
    public var windowCount: Int
    public var blemishes: [Blemish]
    /// Places where the recording goes on in a new segment while the reference sounds: xruns and the like.
    public var breaks: Int

    /// The reference was heard whole, once, and nothing else.
    public var isClean: Bool { isFound && blemishes.isEmpty && breaks == 0 }
}

/// Compares a recording with the decoded song that it should hold.
///
/// The song's frames lie in the recording at a speed that no one knows beforehand, since it is the ratio of two real
/// clocks, and that a controller changes by a few ppm. So the place of the reference is measured every tenth of a
/// second (see ``DelayEstimator``), the track of these places must be smooth, and along the track the reference is
/// resampled and subtracted from the recording. What is left over is judged in short windows: before the first frame,
/// up to the last, and after it. The song should begin and end softly, since two different resamplers smear an abrupt
/// edge differently.
public func compare(
    _ recording: HeardRecording, with reference: HeardRecording, options: ReferenceOptions = ReferenceOptions()
) -> ReferenceReport {
    var comparison = ReferenceComparison(recording: recording, reference: reference, options: options)
    return comparison.run()
}

struct ReferenceComparison {
    let recording: HeardRecording
    let reference: HeardRecording
    let options: ReferenceOptions
    let heard: [Float]
    let song: [Float]
    let channels: (heard: [[Float]], song: [[Float]])
    /// Reference frames per recorded frame, nominal.
    let ratio: Double

    /// Length of the windows in which the reference is placed, in seconds.
    static let trackWindow = 0.1

    /// Where the reference was found: pairs of (recorded frame, reference frame) at the centres of windows.
    var track: [(recorded: Double, reference: Double)] = []
    var report = ReferenceReport(
        isFound: false, firstFrame: 0, firstReferenceFrame: 0, gain: 0, speedPartsPerMillion: 0, worstLevel: -200,
        medianLevel: -200, windowCount: 0, blemishes: [], breaks: 0)

    init(recording: HeardRecording, reference: HeardRecording, options: ReferenceOptions) {
        self.recording = recording
        self.reference = reference
        self.options = options
        heard = recording.mono
        song = reference.mono
        channels = (
            (0..<recording.channels).map(recording.channel), (0..<reference.channels).map(reference.channel)
        )
        ratio = reference.sampleRate / recording.sampleRate
    }

    mutating func run() -> ReferenceReport {
        guard let start = locate() else { return report }
        report.isFound = true
        follow(from: start)
        guard track.count >= 2 else {
            report.isFound = false
            return report
        }
        judgeTrack()
        judgeResidual()
        countBreaks()
        return report
    }

    /// Finds one place at which both hold the same sound.
    ///
    /// A third of a second of the recording, taken soon after its onset, is sought in the reference, block by block.
    private func locate() -> (recorded: Double, reference: Double)? {
        guard let onset = recording.firstAudibleFrame(above: 0.003) else { return nil }
        let count = 16_384
        let places = [0.15, 0.6, 1.5].map { onset + Int($0 * recording.sampleRate) }
        for place in places where place + Int(Double(count) / ratio) + 1 < heard.count {
            let snippet = SincInterpolator.read(
                heard, in: 0..<heard.count, from: Double(place), step: 1 / ratio, count: count)
            guard rootMeanSquare(snippet) > 0.001 else { continue }
            if let found = find(snippet) { return (Double(place), Double(found)) }
        }
        return nil
    }

    private func find(_ snippet: [Float]) -> Int? {
        let block = 65_536
        let hop = block - snippet.count
        var best: (at: Int, similarity: Double) = (0, 0)
        let own = Double(rootMeanSquare(snippet))
        var start = 0
        while start < song.count {
            let long = Array(song[start..<min(start + block, song.count)])
            let correlation = correlate(snippet, along: long)
            if let peak = correlation.indices.max(by: { correlation[$0] < correlation[$1] }) {
                let level = Double(rootMeanSquare(Array(long[peak..<peak + snippet.count])))
                let similarity = Double(correlation[peak]) / (own * level * Double(snippet.count) + 1e-12)
                if similarity > best.similarity { best = (start + peak, similarity) }
            }
            if best.similarity > 0.95 { break }
            start += hop
        }
        return best.similarity > 0.7 ? best.at : nil
    }

    /// Measures the place of the reference every tenth of a second, both ways from the place that is known.
    private mutating func follow(from start: (recorded: Double, reference: Double)) {
        let step = Self.trackWindow * recording.sampleRate
        var forward: [(recorded: Double, reference: Double)] = []
        var (place, last) = (start.recorded, start)
        while place < Double(heard.count) {
            if let found = measure(at: place, near: last) {
                forward.append(found)
                last = found
            }
            place += step
        }
        var backward: [(recorded: Double, reference: Double)] = []
        (place, last) = (start.recorded - step, forward.first ?? start)
        while place > -step {
            if let found = measure(at: place, near: last) {
                backward.append(found)
                last = found
            }
            place -= step
        }
        track = backward.reversed() + forward
    }

    /// The place of the reference in a window of the recording that begins at `place`; nil where either is silent, or
    /// the two differ.
    private func measure(
        at place: Double, near last: (recorded: Double, reference: Double)
    ) -> (recorded: Double, reference: Double)? {
        let count = Int(Self.trackWindow * recording.sampleRate)
        let window = SincInterpolator.read(heard, in: 0..<heard.count, from: place, step: 1, count: count)
        guard rootMeanSquare(window) > 0.0005 else { return nil }
        let middle = Double(count) / 2
        let expected = last.reference + (place + middle - last.recorded) * ratio - middle * ratio
        let (song, ratio) = (song, ratio)
        let estimator = DelayEstimator(first: window) { offset, count in
            SincInterpolator.read(
                song, in: 0..<song.count, from: expected + offset * ratio, step: ratio, count: count)
        }
        var estimate = estimator.refine(from: 0)
        if estimate.similarity < 0.99 {
            let searched = estimator.search(around: 0, range: Int(0.02 * recording.sampleRate))
            if searched.similarity > estimate.similarity { estimate = searched }
        }
        guard estimate.similarity > DelayEstimator.accepted else { return nil }
        return (place + estimate.center, expected + (estimate.delay + estimate.center) * ratio)
    }
}

/// A number with that many decimals.
public func fixed(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int64((abs(value) * scale).rounded())
    let sign = value < 0 && scaled != 0 ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(scaled)" }
    let digits = String(scaled)
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return "\(sign)\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
}
