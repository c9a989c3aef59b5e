// The encoded form; numbers are big-endian:
//
//     byte  0...3   "TLEV"
//           4       version: 1
//           5       channels: 1 or 2
//           6...7   interval in milliseconds, at least 1
//           8...11  number of intervals
//          12...    for each interval and channel: peak, root mean square (LevelScale)
//
// It ends with the last interval and has 1 MiB at most, so a long song has long intervals: 50 ms for 3 h 38 min of
// stereo, 100 ms for twice that, and so on.

/// How loud a song is over its time: peak and root mean square of each short interval, for one or two channels.
///
/// Made by a ``LevelEnvelopeBuilder``, or decoded from bytes of anyone.
public struct LevelEnvelope: Hashable, Sendable {
    /// The levels of one channel in one interval, as bytes of ``LevelScale``.
    public struct Level: Hashable, Sendable, BitwiseCopyable {
        public var peak: UInt8
        public var rms: UInt8

        public init(peak: UInt8, rms: UInt8) {
            self.peak = peak
            self.rms = rms
        }

        public static let silence = Level(peak: 0, rms: 0)
    }

    /// Bytes of the encoded form at most.
    public static let largestByteCount = 1024 * 1024
    /// The most columns of an ``overview(columns:)``.
    public static let largestColumnCount = 65_535

    static let headerByteCount = 12
    private static let magic = Array("TLEV".utf8)
    private static let version: UInt8 = 1

    /// The form for files and peers.
    public let encoded: [UInt8]
    /// 1 or 2: left and right.
    public let channelCount: Int
    /// Number of intervals; the last one may have been shorter.
    public let intervalCount: Int
    public let interval: TimeSpan

    /// Decodes an envelope. Trusts nothing.
    /// - Returns: nil unless the bytes are a whole envelope of this version, and nothing else.
    public init?(encoded: [UInt8]) {
        guard (Self.headerByteCount...Self.largestByteCount).contains(encoded.count),
            encoded.starts(with: Self.magic), encoded[4] == Self.version
        else { return nil }
        func number(_ range: Range<Int>) -> Int { encoded[range].reduce(0) { $0 << 8 | Int($1) } }
        let (channelCount, milliseconds, intervalCount) = (Int(encoded[5]), number(6..<8), number(8..<12))
        let bodyByteCount = encoded.count - Self.headerByteCount
        guard (1...2).contains(channelCount), milliseconds > 0, intervalCount <= bodyByteCount,
            intervalCount * channelCount * 2 == bodyByteCount
        else { return nil }
        self.encoded = encoded
        self.channelCount = channelCount
        self.intervalCount = intervalCount
        interval = .milliseconds(Int64(milliseconds))
    }

    /// - Parameter body: room for the header, then the levels: a multiple of two bytes for each of one or two channels.
    init(body: [UInt8], channelCount: Int, milliseconds: Int) {
        let count = (body.count - Self.headerByteCount) / (channelCount * 2)
        let numbers = [8, 0].map { milliseconds >> $0 } + [24, 16, 8, 0].map { count >> $0 }
        var encoded = body
        encoded.replaceSubrange(
            0..<Self.headerByteCount,
            with: Self.magic + [Self.version, UInt8(channelCount)] + numbers.map { UInt8(truncatingIfNeeded: $0) })
        self.encoded = encoded
        self.channelCount = channelCount
        intervalCount = count
        interval = .milliseconds(Int64(milliseconds))
    }

    /// The song's length, up to the end of the last interval.
    public var duration: TimeSpan {
        TimeSpan(nanoseconds: Int64(intervalCount) * interval.nanoseconds)
    }

    /// Returns the levels of a channel in an interval.
    /// - Parameters:
    ///   - index: in `0..<intervalCount`.
    ///   - channel: in `0..<channelCount`.
    public func level(ofInterval index: Int, channel: Int) -> Level {
        precondition((0..<intervalCount).contains(index) && (0..<channelCount).contains(channel), "no such level")
        let offset = Self.headerByteCount + (index * channelCount + channel) * 2
        return Level(peak: encoded[offset], rms: encoded[offset + 1])
    }

    /// Returns the levels at a time since the song's first audible frame: silence before it and after the end. Both
    /// sides are the same if there is one channel. Allocates nothing.
    public func level(at elapsed: TimeSpan) -> (left: Level, right: Level) {
        guard elapsed >= .zero, elapsed < duration else { return (.silence, .silence) }
        let index = Int(elapsed.nanoseconds / interval.nanoseconds)
        return (level(ofInterval: index, channel: 0), level(ofInterval: index, channel: channelCount - 1))
    }

    /// Returns the highest root mean square in each of so many equal parts of the song, for a waveform: peaks are at
    /// full scale nearly everywhere in many songs.
    ///
    /// Reads all levels: keep the result rather than ask for it for each picture.
    /// - Parameter columns: clamped to 0...``largestColumnCount``; more than there are intervals repeats some.
    /// - Returns: a byte of ``LevelScale`` for each column.
    public func overview(columns: Int) -> [UInt8] {
        let columns = min(max(0, columns), Self.largestColumnCount)
        guard intervalCount > 0 else { return [UInt8](repeating: 0, count: columns) }
        return (0..<columns).map { column in
            let first = column * intervalCount / columns
            let end = max(first + 1, (column + 1) * intervalCount / columns)
            return highestLoudness(in: first..<end)
        }
    }

    private func highestLoudness(in intervals: Range<Int>) -> UInt8 {
        var highest: UInt8 = 0
        let start = Self.headerByteCount + 1
        let stride = channelCount * 2
        for offset in Swift.stride(
            from: start + intervals.lowerBound * stride, to: start + intervals.upperBound * stride, by: 2)
        { highest = max(highest, encoded[offset]) }
        return highest
    }
}
