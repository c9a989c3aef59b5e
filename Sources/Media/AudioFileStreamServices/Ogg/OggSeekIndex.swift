import AudioCore

// A page holds many packets, and the index keeps one place per packet: where its page begins, how many packets begin on
// that page before this one, and, for Vorbis, whether the previous block was long; packed into one number.

/// Where the packets of an Ogg stream lie: exact if parsed, else estimated from last granule position and file size.
struct OggSeekIndex {
    /// Where a packet begins.
    struct Place: Equatable {
        /// Offset of its page in the file.
        var byteOffset: Int64
        /// How many packets begin on that page before this one.
        var ordinal: Int
        var isPreviousBlockLong: Bool

        fileprivate var packed: Int64 {
            byteOffset << 9 | Int64(ordinal & 255) << 1 | (isPreviousBlockLong ? 1 : 0)
        }

        fileprivate init(packed: Int64) {
            byteOffset = packed >> 9
            ordinal = Int(packed >> 1 & 255)
            isPreviousBlockLong = packed & 1 == 1
        }

        init(byteOffset: Int64, ordinal: Int, isPreviousBlockLong: Bool) {
            self.byteOffset = byteOffset
            self.ordinal = ordinal
            self.isPreviousBlockLong = isPreviousBlockLong
        }
    }

    let dataOffset: Int64
    /// With random access: bytes from ``dataOffset`` on, and how many frames they decode to.
    private let dataByteCount: Int64?
    private let totalFrameCount: Int64?
    private var index = PacketIndex()
    private var frameEnd: Int64 = 0
    private var byteEnd: Int64 = 0
    /// Frames of every packet but the last, if all are equal.
    private var commonFrameCount: Int?
    private var hasVaried = false

    init(dataOffset: Int64, dataByteCount: Int64?, totalFrameCount: Int64?) {
        self.dataOffset = dataOffset
        self.dataByteCount = dataByteCount
        self.totalFrameCount = totalFrameCount
    }

    mutating func note(packet: Int64, place: Place, frame: Int64, frameCount: Int) {
        guard packet == index.end else { return }
        index.note(packet: packet, byteOffset: place.packed, frame: frame)
        if let common = commonFrameCount, frame != packet * Int64(common) { hasVaried = true }
        commonFrameCount = commonFrameCount ?? frameCount
        frameEnd = frame + Int64(frameCount)
        byteEnd = place.byteOffset + 1
    }

    /// Frames per packet, if all parsed packets are equal.
    private var exactFrameCount: Int64? { hasVaried ? nil : commonFrameCount.map { Int64($0) } }

    /// Mean frames per parsed packet.
    private var meanFrameCount: Double? {
        index.end > 0 ? Double(frameEnd) / Double(index.end) : nil
    }

    func locate(packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek {
        guard packet >= 0 else { throw .invalidPacketOffset }
        if let entry = index.entry(atOrBefore: packet) {
            return AudioFileStreamSeek(packet: entry.packet, byteOffset: Place(packed: entry.byteOffset).byteOffset)
        }
        if packet == 0 { return AudioFileStreamSeek(packet: 0, byteOffset: dataOffset) }
        guard let dataByteCount, let totalFrameCount, totalFrameCount > 0, let meanFrameCount else {
            throw .valueUnknown
        }
        let share = Double(packet) * meanFrameCount / Double(totalFrameCount)
        guard share < 1 else { throw .invalidPacketOffset }
        return AudioFileStreamSeek(
            packet: packet, byteOffset: dataOffset + Int64(share * Double(dataByteCount)), isEstimate: true)
    }

    /// Returns the place and first frame of a packet that ``locate(packet:)`` found exactly.
    func place(ofPacket packet: Int64) -> (Place, frame: Int64) {
        guard let entry = index.entry(atOrBefore: packet), entry.packet == packet else {
            return (Place(byteOffset: dataOffset, ordinal: 0, isPreviousBlockLong: false), 0)
        }
        return (Place(packed: entry.byteOffset), entry.frame)
    }

    /// Returns the packet of a frame. With varying frame counts it may be an earlier packet, with an offset beyond its
    /// end; packets not parsed yet are estimated from the mean.
    func packet(containingFrame frame: Int64) throws(AudioStreamError) -> (packet: Int64, frameOffset: Int) {
        if let exactFrameCount, exactFrameCount > 0 {
            let (packet, offset) = frame.quotientAndRemainder(dividingBy: exactFrameCount)
            return (packet, Int(offset))
        }
        if frame < frameEnd, let entry = index.entry(atOrBeforeFrame: frame) {
            return (entry.packet, Int(frame - entry.frame))
        }
        guard let meanFrameCount else { throw .valueUnknown }
        return (Int64(saturating: Double(frame) / meanFrameCount), 0)
    }

    func firstFrame(ofPacket packet: Int64) throws(AudioStreamError) -> Int64 {
        if let entry = index.entry(atOrBefore: packet), entry.packet == packet { return entry.frame }
        guard let exactFrameCount else { throw .valueUnknown }
        let (frame, overflows) = packet.multipliedReportingOverflow(by: exactFrameCount)
        guard !overflows else { throw .invalidPacketOffset }
        return frame
    }

    func packet(atByteOffset offset: Int64) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool) {
        guard offset >= dataOffset else { throw .invalidPacketOffset }
        if offset < byteEnd, let entry = index.entry(atOrBeforeByte: offset << 9 | 511) { return (entry.packet, true) }
        guard let dataByteCount, dataByteCount > 0, let totalFrameCount, let meanFrameCount else {
            throw .valueUnknown
        }
        guard offset - dataOffset < dataByteCount else { throw .invalidPacketOffset }
        let frame = Double(offset - dataOffset) / Double(dataByteCount) * Double(totalFrameCount)
        return (Int64(saturating: frame / meanFrameCount), true)
    }
}
