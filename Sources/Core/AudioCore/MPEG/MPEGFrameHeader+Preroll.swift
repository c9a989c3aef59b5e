// How far back a decoder of MPEG audio must begin so that its output is exact, in packets.
//
// Layer III: a packet's main data may begin up to 511 bytes (MPEG-1, 9-bit main_data_begin, 11172-3 section 2.4.2.7)
// or 255 bytes (MPEG-2 and 2.5, 8 bits, 13818-3 section 2.4.2.7) of main data earlier, in packets before it. With n
// packets before it that hold at least that many bytes of main data it decodes. Two more memories follow: the inverse
// transform overlaps with the granule before, and the synthesis filter reaches back 15 slots of 32 samples, less than
// one granule (18 slots). So the first granule that is decoded right comes out wrong for want of overlap, the second
// for want of filter history, the third is exact. MPEG-1 has two granules in a packet, the others one.
//
// Layers I and II have only the filter: 15 slots, of 12 in a packet of layer I and 36 in one of layer II.

extension MPEGFrameHeader {
    /// Packets that must be decoded before the first exact one, in a stream whose packets all have at least
    /// `smallestPacketByteCount` bytes.
    public func prerollPacketCount(smallestPacketByteCount: Int) -> Int {
        switch layer {
        case 1: return 2
        case 2: return 1
        default: break
        }
        // A CRC may come and go from packet to packet: it is always taken off.
        let overhead = Self.byteCount + Self.crcByteCount + sideInfoByteCount
        let mainDataByteCount = max(1, smallestPacketByteCount - overhead)
        let reservoirByteCount = version == .mpeg1 ? 511 : 255
        let reservoirPacketCount = (reservoirByteCount + mainDataByteCount - 1) / mainDataByteCount
        return reservoirPacketCount + (version == .mpeg1 ? 1 : 2)
    }
}
