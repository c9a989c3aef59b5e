import AudioCore

/// Everything known of a song's file after reading all of it; if it contains several songs, of the first.
public struct SongFacts: Sendable {
    public var path: String
    /// Size of the file.
    public var byteCount: Int64 = 0
    /// The properties at the end of the file.
    public var summary = AudioStreamSummary()
    public var packetCount: Int64 = 0
    public var smallestPacketByteCount = 0
    public var largestPacketByteCount = 0
    /// Bytes of all packets.
    public var audioByteCount: Int64 = 0
    /// Frames in each packet but the last; nil if they vary.
    public var framesPerPacket: Int?
    /// Frames of all packets, before trimming.
    public var decodedFrameCount: Int64 = 0
    /// Inaudible frames at the beginning.
    public var primingFrameCount = 0
    /// Audible frames: what a listener plays.
    public var frameCount: Int64 = 0
    public var artwork: Artwork?
    /// The first problems met, in order; the count includes the others.
    public var problems: [AudioStreamProblem] = []
    public var problemCount = 0
    /// Whether it can be played when read from front to back only.
    public var isStreamable = false
    /// Offset in the file of another song after this one, which is not described here (an Ogg chain whose next link
    /// needs its own decoder).
    public var nextSongOffset: Int64? { summary.nextStreamOffset }
    /// Why it cannot be played, or not to its end; nil if it can.
    public var failure: SongFailure?

    public struct Artwork: Hashable, Sendable {
        /// "JPEG", "PNG"; nil for pictures of another format.
        public var format: String?
        public var byteCount: Int

        public init(format: String?, byteCount: Int) {
            self.format = format
            self.byteCount = byteCount
        }
    }

    public init(path: String) { self.path = path }

    /// Inaudible frames at the end.
    public var remainderFrameCount: Int64 { max(0, decodedFrameCount &- Int64(primingFrameCount) &- frameCount) }

    /// Audible duration in seconds; nil without a format.
    public var seconds: Double? {
        guard failure == nil, let rate = summary.format?.sampleRate, rate > 0 else { return nil }
        return Double(frameCount) / rate
    }

    /// Bits per second: the stream's own value, otherwise the packets' bytes over their duration.
    public var bitRate: Int? {
        if let announced = summary.bitRate { return announced }
        guard let rate = summary.format?.sampleRate, decodedFrameCount > 0 else { return nil }
        return Int(Int64(saturating: Double(audioByteCount) * 8 * rate / Double(decodedFrameCount)))
    }
}
