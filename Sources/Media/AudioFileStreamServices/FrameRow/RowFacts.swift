import AudioCore

/// What is known of a row of frames as a whole, and what of it is to be told when.
protocol RowFacts {
    /// Whether a frame holds sound: the first of layer III may hold facts about the file instead.
    mutating func isSound(
        _ header: FrameHeader, offset: Int64, byteCount: Int, in bytes: RawSpan, at place: Int
    ) -> Bool

    /// What must be told before a frame's packets; the first frame opens the stream.
    /// - Parameter seekIndex: the frames before it.
    mutating func properties(
        before header: FrameHeader, offset: Int64, in bytes: RawSpan, at place: Int, _ seekIndex: RowSeekIndex
    ) throws(AudioStreamError) -> [AudioStreamProperty]

    /// What the end of the file makes certain.
    func finalProperties(_ seekIndex: RowSeekIndex) -> [AudioStreamProperty]

    /// How the packets lie that have not been seen.
    var scale: RowScale { get }
}

/// What a file says of packets that have not been seen yet.
struct RowScale {
    /// Packets of the whole file.
    var packetCount: Int64?
    /// Bytes from the first packet to behind the last.
    var byteCount: Int64?
    /// Bytes of every packet, where the file says that they are all alike.
    var constantByteCount: Int?
    /// Bytes of a packet on the average, where that is better known than the ends and ``points``: the rate is constant,
    /// or nothing else is known.
    var averageByteCount: Double?
    /// From the file's seek table: in order of both, where it is sound.
    var points: [RowPoint] = []
}

/// Where about a packet begins.
struct RowPoint: Equatable {
    var packet: Double
    /// Offset in the file.
    var byteOffset: Double
}

extension RowFacts {
    /// An average bit rate is told anew when this many packets are known, and at the end.
    static func isAverageDue(atPacket packet: Int64) -> Bool {
        packet >= 256 && packet & (packet - 1) == 0 && packet.trailingZeroBitCount % 3 == 2
    }

    static func bitRate(byteCount: Int64, packetCount: Int64, _ format: AudioStreamFormat) -> Int {
        let seconds = Double(packetCount) * Double(format.framesPerPacket) / format.sampleRate
        return Int(max(1, Int64(saturating: Double(byteCount) * 8 / seconds)))
    }
}
