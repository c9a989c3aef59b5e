import Glibc
import HeardAnalysis

/// What one listener's card emitted, as short looks at the tone on the right.
struct Ear {
    /// One look, 5 ms long.
    struct Look {
        /// Its middle, in nanoseconds of true time.
        var time: Double
        /// Root mean square.
        var level: Double
        /// In hertz; 0 where it is silent.
        var pitch: Double
    }

    let looks: [Look]
    /// Of the left channel alone.
    let recording: HeardRecording

    static let length = 0.005
    static let silence = 0.003

    init(_ recording: HeardRecording) {
        var left = recording
        left.samples = recording.channel(0)
        left.channels = 1
        self.recording = left
        let tone = recording.channel(1)
        let width = Int(recording.sampleRate * Self.length)
        var looks: [Look] = []
        for start in stride(from: 0, to: tone.count - width, by: width) {
            guard let time = recording.time(ofFrame: Double(start) + Double(width) / 2) else { continue }
            let (level, pitch) = Self.look(tone[start..<start + width], rate: recording.sampleRate)
            looks.append(Look(time: time, level: level, pitch: pitch))
        }
        self.looks = looks
    }

    /// Level, and pitch by the times of the first and the last upward crossing of zero.
    private static func look(_ samples: ArraySlice<Float>, rate: Double) -> (Double, Double) {
        var sum = 0.0
        var crossings: (first: Double, last: Double, count: Int)?
        var former: Float?
        for (index, sample) in zip(samples.indices, samples) {
            sum += Double(sample) * Double(sample)
            defer { former = sample }
            guard let former, former < 0, sample >= 0 else { continue }
            let place = Double(index) - Double(sample) / Double(sample - former)
            crossings = crossings.map { ($0.first, place, $0.count + 1) } ?? (place, place, 0)
        }
        let level = (sum / Double(samples.count)).squareRoot()
        guard level > silence, let crossings, crossings.last > crossings.first else { return (level, 0) }
        return (level, Double(crossings.count) / (crossings.last - crossings.first) * rate)
    }

    /// Returns when this listener did as it was told, at or after `time`; nil if it did not within `seconds`.
    func response(to row: CommandRow, from time: Double, within seconds: Double) -> Double? {
        guard let start = looks.firstIndex(where: { $0.time >= time }), start > 4 else { return nil }
        let after = looks[start...].prefix { $0.time < time + seconds * 1e9 }
        let before = looks[start - 4]
        switch row {
        case .pauseByKey, .pauseHere, .pauseByAddress, .pauseByDiscovery:
            // The first look of a tenth of a second of silence.
            let count = Int(0.1 / Self.length)
            return after.indices.first { index in
                index + count <= looks.endIndex
                    && looks[index..<index + count].allSatisfy { $0.level < Self.silence }
            }.map { looks[$0].time }
        case .resume: return after.first { $0.level > Self.silence }?.time
        case .seekAhead, .seekBack, .next, .previous:
            return after.first { look in
                let elapsed = (look.time - before.time) * 1e-9
                return look.pitch > 0 && abs(look.pitch - before.pitch - MarkedSong.slope * elapsed) > 100
                    && look.level > 0.1
            }?.time
        case .volumeHeard, .volumeWhole:
            guard let final = after.last?.level, abs(final - before.level) > 0.1 * before.level else { return nil }
            let rest = row == .volumeHeard ? 0.5 : 0.05
            return after.first { abs($0.level - final) < rest * abs(before.level - final) }?.time
        }
    }
}
