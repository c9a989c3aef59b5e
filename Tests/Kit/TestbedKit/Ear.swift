import Glibc
import HeardAnalysis

/// What one listener's card emitted of ``MarkedSong``s, as short looks at the tone on the right. Times are true, in
/// nanoseconds.
public struct Ear: Sendable {
    /// One look, 5 ms long.
    public struct Look: Sendable {
        /// Its middle.
        public var time: Double
        /// Root mean square.
        public var level: Double
        /// In hertz; 0 where it is silent.
        public var pitch: Double
    }

    public let looks: [Look]
    /// Spans of more than 0.3 s in which neither channel sounded.
    public let pauses: [ClosedRange<Double>]
    /// Of the left channel alone.
    public let recording: HeardRecording

    static let length = 0.005
    public static let silence = 0.003

    public init(_ recording: HeardRecording) {
        self.recording = recording.onlyChannel(0)
        pauses = recording.silences(longerThan: 0.3)
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

    // MARK: Answers to commands

    /// When a tenth of a second of silence begins, at or after `time`; nil if none does within `seconds`.
    public func silence(from time: Double, within seconds: Double) -> Double? {
        let count = Int(0.1 / Self.length)
        return span(from: time, within: seconds).indices.first { index in
            index + count <= looks.endIndex && looks[index..<index + count].allSatisfy { $0.level < Self.silence }
        }.map { looks[$0].time }
    }

    /// When there is sound, at or after `time`; nil if there is none within `seconds`.
    public func sound(from time: Double, within seconds: Double) -> Double? {
        span(from: time, within: seconds).first { $0.level > Self.silence }?.time
    }

    /// When there is sound of another place or song than at `time`.
    public func anotherPlace(from time: Double, within seconds: Double) -> Double? {
        guard let before = look(before: time) else { return nil }
        return span(from: time, within: seconds).first { look in
            let elapsed = (look.time - before.time) * 1e-9
            return look.pitch > 0 && abs(look.pitch - before.pitch - MarkedSong.slope * elapsed) > 100
                && look.level > 0.1
        }?.time
    }

    /// When the volume has changed but for this part of the way to where it is `seconds` after `time`; nil if it has
    /// not changed then.
    public func volume(from time: Double, within seconds: Double, rest: Double) -> Double? {
        let after = span(from: time, within: seconds)
        guard let before = look(before: time), let final = after.last?.level,
            abs(final - before.level) > 0.1 * before.level
        else { return nil }
        return after.first { abs($0.level - final) < rest * abs(before.level - final) }?.time
    }

    private func span(from time: Double, within seconds: Double) -> ArraySlice<Look> {
        let start = looks.firstIndex { $0.time >= time } ?? looks.endIndex
        return looks[start...].prefix { $0.time < time + seconds * 1e9 }
    }

    /// The look 20 ms before.
    private func look(before time: Double) -> Look? {
        guard let start = looks.firstIndex(where: { $0.time >= time }), start > 4 else { return nil }
        return looks[start - 4]
    }
}
