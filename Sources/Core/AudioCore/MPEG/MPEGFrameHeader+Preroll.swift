// How many packets before the first exact one an MPEG audio decoder must start.
//
// Layer III: a packet's main data may begin up to 511 bytes (MPEG-1, 9-bit main_data_begin, 11172-3 section 2.4.2.7) or
// 255 bytes (MPEG-2 and 2.5, 8 bits, 13818-3 section 2.4.2.7) of main data earlier, in the packets before it. It can be
// decoded once n packets before it hold at least that many bytes of main data. Two more states follow: the inverse
// transform overlaps with the previous granule, and the synthesis filter reaches back 15 slots of 32 samples, less than
// one granule (18 slots). So the first granule that can be decoded lacks its overlap, the second lacks filter history,
// and the third is exact. MPEG-1 has two granules per packet, the others one.
//
// Layers I and II have only the filter: 15 slots, with 12 slots per packet in layer I and 36 in layer II.

extension MPEGFrameHeader {
    /// Returns how many packets must be decoded before the first exact one, in a stream whose packets all have at least
    /// `smallestPacketByteCount` bytes.
    public func prerollPacketCount(smallestPacketByteCount: Int) -> Int {
        switch layer {
        case 1: return 2
        case 2: return 1
        default: break
        }
        // Any packet may have a CRC, so its size is always subtracted.
        let overhead = Self.byteCount + Self.crcByteCount + sideInfoByteCount
        let mainDataByteCount = max(1, smallestPacketByteCount - overhead)
        let reservoirByteCount = version == .mpeg1 ? 511 : 255
        let reservoirPacketCount = (reservoirByteCount + mainDataByteCount - 1) / mainDataByteCount
        return reservoirPacketCount + (version == .mpeg1 ? 1 : 2)
    }
}
