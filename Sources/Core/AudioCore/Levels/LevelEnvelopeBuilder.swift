// Nobody knows how long a song is before it was read, so memory is bounded the other way round: when the buffer is
// full, each two neighbouring intervals become one of twice the length, in place, and the rest of the song is measured
// in intervals of that length. Peaks stay exact. Root mean squares are joined as powers, but were rounded to steps of
// half a decibel: each doubling can add an error of a quarter of one.
//
// An interval's frames are those of its milliseconds, whatever the sample rate: at 11,025 Hz one has 551 frames and the
// next 552, and nothing drifts.

/// Measures a song's levels as its frames come; memory does not depend on its length. Not real-time safe.
public struct LevelEnvelopeBuilder: Sendable {
    /// The shortest interval, in milliseconds.
    static let shortestMilliseconds = 50
    /// The longest song: what never ends has no envelope.
    public static let longestDuration = TimeSpan.seconds(86_400)

    /// What a channel has had since the interval began.
    private struct Sum {
        var peakPower = 0.0
        var power = 0.0
    }

    /// There were frames beyond ``longestDuration``, which are not in the envelope.
    public private(set) var isOverlong = false

    private let sampleRate: Double
    private let sides: [Side]
    private let channelCount: Int
    private let largestIntervalCount: Int
    private let largestFrameCount: Int64

    /// Room for the header, then the levels of finished intervals.
    private var body = [UInt8](repeating: 0, count: LevelEnvelope.headerByteCount)
    private var intervalCount = 0
    private var milliseconds = Self.shortestMilliseconds
    /// One for each of the song's channels.
    private var sums: [Sum]
    private var frameCount: Int64 = 0
    private var intervalStart: Int64 = 0
    private var intervalEnd: Int64 = 0

    /// - Parameters:
    ///   - sampleRate: of the frames, in hertz.
    ///   - channelCount: of the frames. One or two are measured as they are. Of more, the left ones and the right ones
    ///     make two: each is as loud as the loudest of its side. What is in the middle belongs to both sides.
    ///   - layout: the channels' loudspeakers, in the order of the frames; where unknown, sides alternate.
    /// - Returns: nil if the rate or the channels are beyond ``Limits``.
    public init?(sampleRate: Double, channelCount: Int, layout: AudioChannelLayout? = nil) {
        self.init(
            sampleRate: sampleRate, channelCount: channelCount, layout: layout,
            byteLimit: LevelEnvelope.largestByteCount)
    }

    /// - Parameter byteLimit: of the encoded form; at least 64.
    init?(sampleRate: Double, channelCount: Int, layout: AudioChannelLayout?, byteLimit: Int) {
        guard Limits.sampleRateRange.contains(sampleRate), Limits.channelRange.contains(channelCount) else {
            return nil
        }
        self.sampleRate = sampleRate
        sides = Side.all(channelCount: channelCount, layout)
        self.channelCount = min(channelCount, 2)
        // Even, so that all can be joined in pairs.
        largestIntervalCount = (byteLimit - LevelEnvelope.headerByteCount) / (self.channelCount * 4) * 2
        largestFrameCount = Int64(saturating: Self.longestDuration.seconds * sampleRate)
        sums = [Sum](repeating: Sum(), count: channelCount)
        intervalEnd = end(ofInterval: 0)
    }

    /// Takes the next frames: interleaved samples of all channels, full scale is 1. Samples that are not finite count
    /// as silence, an incomplete frame at the end is ignored.
    public mutating func add(_ samples: Span<Float>) {
        let offered = samples.count / sums.count
        let count = Int(min(Int64(offered), largestFrameCount - frameCount))
        isOverlong = isOverlong || count < offered
        var first = 0
        while first < count {
            let end = min(count, first + Int(intervalEnd - frameCount))
            measure(samples, first..<end)
            frameCount += Int64(end - first)
            first = end
            if frameCount == intervalEnd { beginNextInterval() }
        }
    }

    /// Ends the song. The last interval may be shorter than the others.
    public consuming func finish() -> LevelEnvelope {
        if frameCount > intervalStart { finishInterval() }
        return LevelEnvelope(body: body, channelCount: channelCount, milliseconds: milliseconds)
    }

    private mutating func measure(_ samples: Span<Float>, _ frames: Range<Int>) {
        let stride = sums.count
        samples.withUnsafeBufferPointer { samples in
            for channel in 0..<stride {
                var sum = sums[channel]
                for frame in frames {
                    let sample = Double(samples[frame * stride + channel])
                    let square = sample * sample
                    let power = square < .infinity ? square : 0
                    sum.power += power
                    sum.peakPower = power > sum.peakPower ? power : sum.peakPower
                }
                sums[channel] = sum
            }
        }
    }

    private mutating func beginNextInterval() {
        finishInterval()
        if intervalCount == largestIntervalCount { joinPairs() }
        intervalStart = frameCount
        intervalEnd = end(ofInterval: intervalCount)
    }

    private mutating func finishInterval() {
        let count = Double(frameCount - intervalStart)
        for side in 0..<channelCount {
            var loudest = Sum()
            for (sum, its) in zip(sums, sides) where its.includes(side) {
                loudest.peakPower = max(loudest.peakPower, sum.peakPower)
                loudest.power = max(loudest.power, sum.power)
            }
            body.append(LevelScale.byte(ofPower: loudest.peakPower))
            body.append(LevelScale.byte(ofPower: loudest.power / count))
        }
        for channel in sums.indices { sums[channel] = Sum() }
        intervalCount += 1
    }

    /// Makes one interval of each two, twice as long.
    private mutating func joinPairs() {
        let stride = channelCount * 2
        intervalCount /= 2
        milliseconds *= 2
        for index in 0..<intervalCount {
            for offset in Swift.stride(from: 0, to: stride, by: 2) {
                let target = LevelEnvelope.headerByteCount + index * stride + offset
                let first = target + index * stride
                let second = first + stride
                let power = LevelScale.power(of: body[first + 1]) + LevelScale.power(of: body[second + 1])
                body[target] = max(body[first], body[second])
                body[target + 1] = LevelScale.byte(ofPower: power / 2)
            }
        }
        body.removeLast(intervalCount * stride)
    }

    /// Returns the first frame behind an interval.
    private func end(ofInterval index: Int) -> Int64 {
        Int64(((Double(index) + 1) * Double(milliseconds) * sampleRate / 1_000).rounded(.up))
    }
}

/// Which of two measured channels a channel of a song belongs to.
private enum Side {
    case left, right, both

    func includes(_ index: Int) -> Bool { self == .both || (self == .left) == (index == 0) }

    static func all(channelCount: Int, _ layout: AudioChannelLayout?) -> [Side] {
        guard channelCount > 2, let labels = layout?.labels, labels.count == channelCount else {
            return (0..<channelCount).map { $0 % 2 == 0 ? .left : .right }
        }
        return labels.enumerated().map { Side($0.element) ?? ($0.offset % 2 == 0 ? .left : .right) }
    }

    /// Returns nil if the loudspeaker is unknown.
    private init?(_ label: AudioChannelLabel) {
        switch label {
        case .left, .leftSurround, .leftCenter, .leftSurroundDirect, .verticalHeightLeft, .topBackLeft: self = .left
        case .right, .rightSurround, .rightCenter, .rightSurroundDirect, .verticalHeightRight, .topBackRight:
            self = .right
        case .center, .lfe, .centerSurround, .topCenterSurround, .verticalHeightCenter, .topBackCenter, .mono:
            self = .both
        case .unknown: return nil
        }
    }
}
