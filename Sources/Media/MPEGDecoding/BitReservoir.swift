import AudioCore

// Layer III packets borrow main data from the packets before them (11172-3 section 2.4.2.7, main_data_begin). When
// those were not seen (after a start in the middle, or a damaged packet), decoding what lies in their place would make
// noise. The library keeps count too, but it cannot know which of its bytes we filled in. So we count what was really
// seen, and rewrite a packet that wants more: its side information is zeroed, which decodes to silence, and
// main_data_begin says all that is there, so that its own main data joins seamlessly what the packets after it borrow.

/// Counts the bytes of main data that packets to come may borrow.
struct BitReservoir {
    private(set) var byteCount = 0

    mutating func reset() { byteCount = 0 }

    /// Counts a packet in. Of one that borrows more than there is, `packet` is rewritten to a silent one.
    /// - Parameter packet: the packet's bytes, whole, as many as its header says or more.
    /// - Returns: whether the packet can be decoded as it is.
    mutating func pass(_ packet: inout [UInt8], header: MPEGFrameHeader) -> Bool {
        guard header.layer == 3 else { return true }
        let start = MPEGFrameHeader.byteCount + (header.hasCRC ? MPEGFrameHeader.crcByteCount : 0)
        let end = start + header.sideInfoByteCount
        guard packet.count >= end else { return false }
        let isFull = header.version == .mpeg1
        let wanted = isFull ? Int(packet[start]) << 1 | Int(packet[start + 1]) >> 7 : Int(packet[start])
        let isWhole = wanted <= byteCount
        if !isWhole {
            for index in start..<end { packet[index] = 0 }
            packet[start] = UInt8(truncatingIfNeeded: isFull ? byteCount >> 1 : byteCount)
            if isFull { packet[start + 1] = UInt8(truncatingIfNeeded: byteCount << 7) }
        }
        byteCount = min(byteCount + packet.count - end, isFull ? 511 : 255)
        return isWhole
    }
}
