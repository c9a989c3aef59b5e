import AudioCore

// What a player hears of a chain is the sum of what it hears of its links (RFC 3533 section 4; RFC 7845 section 4.3;
// Vorbis I appendix A.2). The end of a link is cut by the frame counts of its last packets. Its beginning cannot be cut
// so: the packets that hold it are collected up to the first frame that is heard, and given as one.

/// The first packets of a link behind the first, up to the one that something is heard of.
struct OggJoint {
    /// Where the link begins, for seeks.
    let place: OggSeekIndex.Place
    private let byteCountLimit: Int
    private var droppedFrameCount: Int
    private var packets: [(bytes: [UInt8], frameCount: Int)] = []
    private var frameCount = 0
    private var byteCount = AudioPacketSplice.headerByteCount

    /// - Parameter byteCountLimit: of a packet.
    init(droppedFrameCount: Int, at place: OggSeekIndex.Place, byteCountLimit: Int) {
        self.place = place
        self.byteCountLimit = byteCountLimit
        self.droppedFrameCount = droppedFrameCount
    }

    /// Frames still to come that are not heard.
    var silentFrameCount: Int { max(0, droppedFrameCount - frameCount) }

    /// Takes a packet; what does not fit any more goes from the front, where it matters least.
    /// - Returns: the bytes of all of them, if something is heard of this one.
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
