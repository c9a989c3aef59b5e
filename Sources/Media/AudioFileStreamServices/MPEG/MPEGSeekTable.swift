import AudioCore

/// The seek table in Xing's or Fraunhofer's header (VBRI): approximate places of packets.
enum MPEGSeekTable: Equatable {
    /// Xing: a hundred places in 256ths of the bytes from the header frame on, one per hundredth of the packets.
    case xing([UInt8])
    /// Fraunhofer (VBRI): the bytes of successive entries, each of `packetsPerEntry` packets.
    case vbri([Int], packetsPerEntry: Int)

    /// - Parameters:
    ///   - byteCount: from the header frame to the end of the last packet.
    ///   - headerOffset: where the header frame begins.
    ///   - dataOffset: where the first packet begins.
    func points(packetCount: Int64, byteCount: Int64, headerOffset: Int64, dataOffset: Int64) -> [SeekPoint] {
        switch self {
        case .xing(let places):
            return places.enumerated().map { index, place in
                SeekPoint(
                    packet: Double(packetCount) * Double(index) / 100,
                    byteOffset: Double(headerOffset) + Double(byteCount) * Double(place) / 256)
            }
        case .vbri(let sizes, let packetsPerEntry):
            var point = SeekPoint(packet: 0, byteOffset: Double(dataOffset))
            return sizes.map { size in
                point.packet += Double(packetsPerEntry)
                point.byteOffset += Double(size)
                return point
            }
        }
    }

    /// Reads Fraunhofer's table from the entry count on: count, scale, bytes per entry, packets per entry, 16 bits
    /// each; then the entries.
    init?(fraunhofer frame: RawSpan, at offset: Int) {
        guard offset + 8 <= frame.byteCount else { return nil }
        let count = Int(frame.bigEndian16(at: offset))
        let scale = Int(frame.bigEndian16(at: offset + 2))
        let size = Int(frame.bigEndian16(at: offset + 4))
        let packetsPerEntry = Int(frame.bigEndian16(at: offset + 6))
        guard count > 0, packetsPerEntry > 0, (1...4).contains(size), offset + 8 + count * size <= frame.byteCount
        else {
            return nil
        }
        let sizes = (0..<count).map { index in
            frame.copy(offset + 8 + index * size..<offset + 8 + (index + 1) * size).reduce(0) { $0 << 8 | Int($1) }
        }
        self = .vbri(sizes.map { $0 * scale }, packetsPerEntry: packetsPerEntry)
    }
}
