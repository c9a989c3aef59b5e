import AudioCore

/// What is known of an elementary stream as a whole, and which of it is reported when.
protocol ElementaryStreamFacts {
    /// Whether a frame holds audio: the first of layer III may hold metadata about the file instead.
    mutating func isAudio(
        _ header: FrameHeader, offset: Int64, byteCount: Int, in bytes: RawSpan, at place: Int
    ) -> Bool

    /// Returns the properties to report before a frame's packets; the first frame opens the stream.
    /// - Parameter seekIndex: describes the frames before this one.
    mutating func properties(
        before header: FrameHeader, offset: Int64, in bytes: RawSpan, at place: Int,
        _ seekIndex: ElementaryStreamSeekIndex
    ) throws(AudioStreamError) -> [AudioStreamProperty]

    /// Returns the properties that are certain at the end of the file.
    func finalProperties(_ seekIndex: ElementaryStreamSeekIndex) -> [AudioStreamProperty]

    /// How packets not parsed yet are distributed.
    var seekHints: SeekHints { get }
}

/// What a file says about packets not parsed yet.
struct SeekHints {
    /// Packets of the whole file.
    var packetCount: Int64?
    /// Bytes from the first packet to the end of the last.
    var byteCount: Int64?
    /// Size of every packet, if the file says that all are equal.
    var constantByteCount: Int?
    /// Average size of a packet, if it is better known than the ends and ``points``: the rate is constant, or nothing
    /// else is known.
    var averageByteCount: Double?
    /// Points of the file's seek table: ascending in both values if the table is valid.
    var points: [SeekPoint] = []
}

/// Approximately where a packet begins.
struct SeekPoint: Equatable {
    var packet: Double
    /// Offset in the file.
    var byteOffset: Double
}

extension ElementaryStreamFacts {
    /// Whether to report the average bit rate again at this packet. The end reports it, too.
    static func isAverageDue(atPacket packet: Int64) -> Bool {
        packet >= 256 && packet & (packet - 1) == 0 && packet.trailingZeroBitCount % 3 == 2
    }

    static func bitRate(byteCount: Int64, packetCount: Int64, _ format: AudioStreamFormat) -> Int {
        let seconds = Double(packetCount) * Double(format.framesPerPacket) / format.sampleRate
        return Int(max(1, Int64(saturating: Double(byteCount) * 8 / seconds)))
    }
}
