import HeardAnalysis

/// The largest skew of any two recordings in windows within these seconds from a time on; infinite where two do not
/// hold the same sound, nil where nothing sounds.
public func worstSkew(of recordings: [HeardRecording], from time: Double, seconds: Double = 0.5) -> Double? {
    var options = SkewOptions()
    options.hop = 0.125
    options.duration = seconds
    let heard = recordings.map { $0.muted(before: time) }
    var worst: Double?
    for (index, first) in heard.enumerated() {
        for second in heard[(index + 1)...] {
            let report = skew(between: first, and: second, options: options)
            let largest = report.unlikeWindows.isEmpty ? report.percentile(1) : .infinity
            guard let largest else { continue }
            worst = max(worst ?? 0, largest)
        }
    }
    return worst
}
