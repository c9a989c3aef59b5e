import AudioCore

// Layer III packets borrow main data from previous packets (11172-3 section 2.4.2.7, main_data_begin). If those were
// not seen (after a start in the middle, or a damaged packet), decoding other data in their place would produce noise.
// The library counts borrowed bytes, too, but cannot know which of them we filled in. So we count what was really seen,
// and rewrite a packet that borrows more: its side information is zeroed, which decodes to silence, and main_data_begin
// is set to all that is available, so that its own main data continues seamlessly for the packets that borrow it.

/// Counts the main data bytes that later packets may borrow.
struct BitReservoir {
    private(set) var byteCount = 0

    mutating func reset() { byteCount = 0 }

    /// Counts a packet. Rewrites `packet` to a silent one if it borrows more than is available.
    /// - Parameter packet: the whole packet, with at least as many bytes as its header says.
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
