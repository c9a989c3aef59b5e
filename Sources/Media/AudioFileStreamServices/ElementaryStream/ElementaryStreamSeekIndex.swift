import AudioCore

/// Where the packets of an elementary stream lie: exact for parsed packets, estimated from the file for later ones.
struct ElementaryStreamSeekIndex {
    private var index = PacketIndex()
    private var dataOffset: Int64?
    /// Offset of the end of the last packet noted in ``index``.
    private var scannedEnd: Int64 = 0
    /// Packets in the whole file, once its end was reached.
    private var packetCount: Int64?
    /// Number of the packet that comes next.
    private(set) var nextPacket: Int64 = 0
    /// Whether ``nextPacket`` was counted rather than estimated.
    private(set) var isExact = true
    /// Bytes of all frames before the next packet; nil if not all of them were parsed.
    private(set) var byteCount: Int64? = 0

    /// Counts the packets of a frame.
    mutating func pass(_ header: FrameHeader, offset: Int64, byteCount: Int) {
        let count = Int64(header.packetsPerFrame)
        if isExact {
            if dataOffset == nil { dataOffset = offset }
            let frame = nextPacket &* Int64(header.framesPerPacket)
            for packet in nextPacket..<nextPacket + count {
                index.note(packet: packet, byteOffset: offset, frame: frame)
            }
            if index.end == nextPacket + count { scannedEnd = offset &+ Int64(byteCount) }
        }
        nextPacket += count
        self.byteCount = self.byteCount.map { $0 &+ Int64(byteCount) }
    }

    /// Handles missing bytes, or a place that turned out to be wrong.
    mutating func markInexact() {
        isExact = false
        byteCount = nil
    }

    mutating func resume(at place: AudioFileStreamSeek) {
        nextPacket = place.packet
        isExact = !place.isEstimate
        byteCount = isExact && place.packet == 0 ? 0 : nil
    }

    mutating func end() {
        if isExact { packetCount = nextPacket }
    }

    // MARK: From packet to byte and back

    func locate(packet: Int64, framesPerPacket: Int, _ hints: SeekHints) throws(AudioStreamError) -> AudioFileStreamSeek
    {
        guard packet >= 0, packet < packetCount ?? .max else { throw .invalidPacketOffset }
        if let entry = index.entry(atOrBefore: packet) {
            // The first packet of a frame with several.
            return AudioFileStreamSeek(packet: entry.frame / Int64(framesPerPacket), byteOffset: entry.byteOffset)
        }
        guard let dataOffset else { throw .valueUnknown }
        guard packet < hints.packetCount ?? .max else { throw .invalidPacketOffset }
        if let constant = hints.constantByteCount {
            let (distance, overflows) = packet.multipliedReportingOverflow(by: Int64(constant))
            guard !overflows else { throw .invalidPacketOffset }
            return AudioFileStreamSeek(packet: packet, byteOffset: dataOffset &+ distance)
        }
        let curve = try curve(hints, dataOffset)
        let offset = Int64(saturating: curve.byteOffset(ofPacket: Double(packet)).rounded(.down))
        if let byteCount = hints.byteCount, offset >= dataOffset &+ byteCount { throw .invalidPacketOffset }
        // One slot early rather than late: padding may be distributed differently.
        return AudioFileStreamSeek(packet: packet, byteOffset: max(scannedEnd, offset - 1), isEstimate: true)
    }

    func packet(
        atByteOffset offset: Int64, framesPerPacket: Int, _ hints: SeekHints
    ) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool) {
        guard let dataOffset else { throw .valueUnknown }
        guard offset >= dataOffset else { throw .invalidPacketOffset }
        let frames = Int64(framesPerPacket)
        if offset < scannedEnd, let entry = index.entry(atOrBeforeByte: offset) {
            let next = index.entry(after: entry)
            let packet = entry.frame / frames
            let nextPacket = next?.packet ?? index.end
            guard nextPacket - entry.packet > 1, offset != entry.byteOffset else { return (packet, false) }
            let share = Double(offset - entry.byteOffset) / Double((next?.byteOffset ?? scannedEnd) - entry.byteOffset)
            return (min(nextPacket - 1, packet + Int64(share * Double(nextPacket - packet))), true)
        }
        guard packetCount == nil, offset < hints.byteCount.map({ dataOffset &+ $0 }) ?? .max else {
            throw .invalidPacketOffset
        }
        if let constant = hints.constantByteCount { return ((offset - dataOffset) / Int64(constant), false) }
        let packet = Int64(saturating: try curve(hints, dataOffset).packet(atByteOffset: Double(offset)).rounded(.down))
        return (max(0, min(packet, (hints.packetCount ?? .max) - 1)), true)
    }

    private func curve(_ hints: SeekHints, _ dataOffset: Int64) throws(AudioStreamError) -> SeekCurve {
        let base = SeekPoint(packet: Double(index.end), byteOffset: Double(max(scannedEnd, dataOffset)))
        var points = hints.averageByteCount == nil ? hints.points : []
        if hints.averageByteCount == nil, let packetCount = hints.packetCount, let byteCount = hints.byteCount {
            points.append(SeekPoint(packet: Double(packetCount), byteOffset: Double(dataOffset &+ byteCount)))
        }
        let passed = index.end > 0 ? Double(scannedEnd - dataOffset) / Double(index.end) : 0
        let average = hints.averageByteCount ?? passed
        guard let curve = SeekCurve(base, points, averageByteCount: average) else { throw .valueUnknown }
        return curve
    }
}

/// A map from packets to byte offsets: straight lines between points, extrapolated after the last.
struct SeekCurve {
    private var points: [SeekPoint]
    private let averageByteCount: Double

    /// - Parameter points: those not after all previous ones are dropped.
    /// - Returns: nil if nothing says how large packets are.
    init?(_ base: SeekPoint, _ points: [SeekPoint], averageByteCount: Double) {
        self.points = [base]
        self.averageByteCount = averageByteCount
        for point in points {
            guard let last = self.points.last, point.packet > last.packet, point.byteOffset > last.byteOffset else {
                continue
            }
            self.points.append(point)
        }
        guard self.points.count > 1 || averageByteCount > 0 else { return nil }
    }

    func byteOffset(ofPacket packet: Double) -> Double {
        let start = points.lastIndex { $0.packet <= packet } ?? 0
        return points[start].byteOffset + (packet - points[start].packet) * slope(from: start)
    }

    func packet(atByteOffset offset: Double) -> Double {
        let start = points.lastIndex { $0.byteOffset <= offset } ?? 0
        return points[start].packet + (offset - points[start].byteOffset) / slope(from: start)
    }

    /// Bytes per packet in the segment that begins at a point; after the last point, those of the last segment.
    private func slope(from start: Int) -> Double {
        guard points.count > 1 else { return averageByteCount }
        let first = min(start, points.count - 2)
        let (a, b) = (points[first], points[first + 1])
        return (b.byteOffset - a.byteOffset) / (b.packet - a.packet)
    }
}
