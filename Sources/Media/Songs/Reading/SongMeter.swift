import AudioCore

/// Measures the songs of a file one after the other by reading it, piece by piece: how long a song is if its file does
/// not say, or is a chain.
public struct SongMeter: ~Copyable {
    /// What was measured.
    public struct Measurement: Hashable, Sendable {
        /// Audible frames.
        public var frameCount: Int64
        /// Whether another song follows in the file.
        public var isFollowed: Bool

        public init(frameCount: Int64, isFollowed: Bool) {
            self.frameCount = frameCount
            self.isFollowed = isFollowed
        }
    }

    private var stream: SongStream
    private var sink = CountingSink()

    /// Begins at the front of the file that is read by `song`; nil if that reads no file.
    public init?(_ song: borrowing SongStream) {
        guard let stream = song.again() else { return nil }
        self.stream = stream
    }

    /// Songs of the file before the one that is being measured.
    public var songsBefore: Int { stream.songsBefore }

    /// Reads a piece.
    /// - Returns: what the song measures, once it was read to its end. The next one follows.
    /// - Throws: why it cannot be read to its end.
    public mutating func advance() throws(SongFailure) -> Measurement? {
        let passedCount = stream.passedCount
        _ = try stream.advance(into: &sink)
        if stream.passedCount != passedCount { sink = CountingSink() }
        guard stream.isFinished else { return nil }
        sink.timeline.finish()
        defer {
            sink = CountingSink()
            stream.beginNext()
        }
        return Measurement(frameCount: max(0, sink.timeline.end?.index ?? 0), isFollowed: stream.hasNext)
    }
}
