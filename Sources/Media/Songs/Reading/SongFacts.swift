import AudioCore

/// All that there is to know of a song's file, read whole; of several songs in one file, of the first.
public struct SongFacts: Sendable {
    public var path: String
    /// Of the file.
    public var byteCount: Int64 = 0
    /// The properties as they stood at the end.
    public var summary = AudioStreamSummary()
    public var packetCount: Int64 = 0
    public var smallestPacketByteCount = 0
    public var largestPacketByteCount = 0
    /// Bytes of all packets.
    public var audioByteCount: Int64 = 0
    /// Frames in each packet but the last; nil where they differ.
    public var framesPerPacket: Int?
    /// Frames of all packets, before trims.
    public var decodedFrameCount: Int64 = 0
    /// Frames at the front that are not heard.
    public var primingFrameCount = 0
    /// Frames that are heard: what a listener puts out.
    public var frameCount: Int64 = 0
    public var artwork: Artwork?
    /// What was passed over, the first ones in order; the count holds the others too.
    public var problems: [AudioStreamProblem] = []
    public var problemCount = 0
    /// Whether it can be played by whom it reaches from front to back only.
    public var isStreamable = false
    /// Offset in the file of another song that follows this one, of which nothing else is said here (an Ogg chain whose
    /// next link needs a decoder of its own).
    public var nextSongOffset: Int64? { summary.nextStreamOffset }
    /// Why it cannot be played, or not to its end; nil where it can.
    public var failure: SongFailure?

    public struct Artwork: Hashable, Sendable {
        /// "JPEG", "PNG"; nil for a picture of another kind.
        public var format: String?
        public var byteCount: Int

        public init(format: String?, byteCount: Int) {
            self.format = format
            self.byteCount = byteCount
        }
    }

    public init(path: String) { self.path = path }

    /// Frames at the end that are not heard.
    public var remainderFrameCount: Int64 { max(0, decodedFrameCount &- Int64(primingFrameCount) &- frameCount) }

    /// Heard, in seconds; nil without a format.
    public var seconds: Double? {
        guard failure == nil, let rate = summary.format?.sampleRate, rate > 0 else { return nil }
        return Double(frameCount) / rate
    }

    /// Bits a second: what the stream says, else the packets' bytes over their frames.
    public var bitRate: Int? {
        if let announced = summary.bitRate { return announced }
        guard let rate = summary.format?.sampleRate, decodedFrameCount > 0 else { return nil }
        return Int(Int64(saturating: Double(audioByteCount) * 8 * rate / Double(decodedFrameCount)))
    }
}
