import AudioCore

/// Where the packets of a FLAC file lie: exact by the packets parsed so far and by the seek table, otherwise estimated.
///
/// With a fixed block size, packet and frame follow from each other. With variable sizes only parsed packets are known,
/// and the answer for a frame may be an earlier packet, with an offset beyond its end.
struct FLACSeekIndex {
    let stream: FLACStreamInfo
    let seekTable: FLACSeekTable
    let dataOffset: Int64
    /// Known in advance with random access.
    let dataByteCount: Int64?
    private(set) var index = PacketIndex()

    init(stream: FLACStreamInfo, seekTable: FLACSeekTable, dataOffset: Int64, dataByteCount: Int64?) {
        self.stream = stream
        self.seekTable = seekTable
        self.dataOffset = dataOffset
        self.dataByteCount = dataByteCount
    }

    /// The packet count, from STREAMINFO.
    var packetCount: Int64? {
        guard let frames = stream.frameCount, let block = stream.blockFrameCount else { return nil }
        return (frames + Int64(block) - 1) / Int64(block)
    }

    mutating func note(packet: Int64, byteOffset: Int64, frame: Int64) {
        index.note(packet: packet, byteOffset: byteOffset, frame: frame)
    }

    func locate(packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek {
        guard packet >= 0, packetCount.map({ packet < $0 }) ?? true else { throw .invalidPacketOffset }
        let passed = index.entry(atOrBefore: min(packet, index.end - 1))
        if let passed, packet < index.end {
            return AudioFileStreamSeek(packet: passed.packet, byteOffset: passed.byteOffset)
        }
        guard let block = stream.blockFrameCount else { throw .valueUnknown }
        let frame = packet.multipliedReportingOverflow(by: Int64(block))
        guard !frame.overflow else { throw .invalidPacketOffset }
        if let point = seekTable.point(atOrBefore: frame.partialValue), point.frame > 0 || seekTable.points.count > 1,
            point.frame % Int64(block) == 0
        {
            return AudioFileStreamSeek(packet: point.frame / Int64(block), byteOffset: dataOffset + point.byteOffset)
        }
        guard let total = stream.frameCount, let dataByteCount else { throw .valueUnknown }
        let share = Double(frame.partialValue) / Double(total)
        return AudioFileStreamSeek(
            packet: packet, byteOffset: dataOffset + Int64(share * Double(dataByteCount)), isEstimate: packet > 0)
    }

    func packet(containingFrame frame: Int64) throws(AudioStreamError) -> (packet: Int64, frameOffset: Int) {
        if let block = stream.blockFrameCount {
            let (packet, offset) = frame.quotientAndRemainder(dividingBy: Int64(block))
            return (packet, Int(offset))
        }
        guard frame < frameEnd, let entry = index.entry(atOrBeforeFrame: frame) else { throw .valueUnknown }
        return (entry.packet, Int(frame - entry.frame))
    }

    func firstFrame(ofPacket packet: Int64) throws(AudioStreamError) -> Int64 {
        if let block = stream.blockFrameCount {
            let (frame, overflows) = packet.multipliedReportingOverflow(by: Int64(block))
            guard !overflows else { throw .invalidPacketOffset }
            return frame
        }
        guard let entry = index.entry(atOrBefore: packet), entry.packet == packet else { throw .valueUnknown }
        return entry.frame
    }

    func packet(atByteOffset offset: Int64) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool) {
        guard offset >= dataOffset else { throw .invalidPacketOffset }
        if offset < byteEnd, let entry = index.entry(atOrBeforeByte: offset) {
            return (entry.packet, entry.byteOffset != offset)
        }
        guard let packetCount, let dataByteCount, dataByteCount > 0 else { throw .valueUnknown }
        guard offset - dataOffset < dataByteCount else { throw .invalidPacketOffset }
        return (Int64(Double(offset - dataOffset) / Double(dataByteCount) * Double(packetCount)), true)
    }

    /// How far the stream was parsed.
    private(set) var frameEnd: Int64 = 0
    private(set) var byteEnd: Int64 = 0

    /// Notes how far the stream was parsed.
    mutating func extend(toFrame frame: Int64, byte: Int64) {
        frameEnd = max(frameEnd, frame)
        byteEnd = max(byteEnd, byte)
    }
}
