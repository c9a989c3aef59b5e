import AudioCore

// A player hears the sum of what it hears of each link of a chain (RFC 3533 section 4; RFC 7845 section 4.3; Vorbis I
// appendix A.2). The end of a link is cut by the frame counts of its last packets. Its beginning cannot be cut like
// that: its packets up to the first audible frame are collected and delivered as one.

/// The first packets of a link after the first link, up to the first audible one.
struct OggSplice {
    /// Where the link begins, for seeks.
    let place: OggSeekIndex.Place
    private let byteCountLimit: Int
    private var droppedFrameCount: Int
    private var packets: [(bytes: [UInt8], frameCount: Int)] = []
    private var frameCount = 0
    private var byteCount = AudioPacketSplice.headerByteCount

    /// - Parameter byteCountLimit: the largest size of a packet.
    init(droppedFrameCount: Int, at place: OggSeekIndex.Place, byteCountLimit: Int) {
        self.place = place
        self.byteCountLimit = byteCountLimit
        self.droppedFrameCount = droppedFrameCount
    }

    /// Frames still to come that are inaudible.
    var silentFrameCount: Int { max(0, droppedFrameCount - frameCount) }

    /// Adds a packet; if it does not fit, packets at the front are dropped, where they matter least.
    /// - Returns: the bytes of all packets, if this one is audible.
    mutating func add(_ packet: RawSpan, frameCount count: Int) -> [UInt8]? {
        packets.append((packet.copy(0..<packet.byteCount), count))
        frameCount += count
        byteCount += packet.byteCount + AudioPacketSplice.packetHeaderByteCount
        while packets.count > 1,
            packets.count > AudioPacketSplice.largestPacketCount || byteCount > byteCountLimit
                || frameCount > Limits.packetFrameCount
        {
            let first = packets.removeFirst()
            frameCount -= first.frameCount
            droppedFrameCount -= first.frameCount
            byteCount -= first.bytes.count + AudioPacketSplice.packetHeaderByteCount
        }
        guard frameCount > droppedFrameCount else { return nil }
        return AudioPacketSplice.bytes(dropping: droppedFrameCount, of: packets)
    }
}
