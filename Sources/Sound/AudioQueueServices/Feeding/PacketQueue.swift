import AudioCore

/// An encoded packet and its position.
struct QueuedPacket: Sendable {
    /// The bytes of all packets enqueued together; each of these packets keeps the whole block alive.
    var block: [UInt8]
    /// The packet's range in the block.
    var range: Range<Int>
    var frame: FramePosition
    var frameCount: Int
    /// After a gap, the first frame to be heard.
    var firstFrame: FramePosition?

    /// The frame after the packet's last.
    var end: FramePosition { frame + Int64(frameCount) }
}

/// Packets in order of position; the caller limits how many.
struct PacketQueue: Sendable {
    private var packets: [QueuedPacket] = []
    private var head = 0
    /// Bytes of the packets. The first one's block may hold more.
    private(set) var byteCount = 0

    var count: Int { packets.count - head }
    var first: QueuedPacket? { head < packets.count ? packets[head] : nil }
    var last: QueuedPacket? { head < packets.count ? packets.last : nil }

    /// Frames from the start of the first packet to the end of the last, including gaps.
    var frameCount: Int64 {
        guard let first, let last else { return 0 }
        return last.end - first.frame
    }

    mutating func append(_ packet: QueuedPacket) {
        byteCount += packet.range.count
        packets.append(packet)
    }

    /// Gives the newest packets the block that contains their bytes.
    mutating func setBlock(_ block: [UInt8], ofLast count: Int) {
        for index in packets.indices.suffix(count) { packets[index].block = block }
    }

    mutating func removeFirst() -> QueuedPacket? {
        guard let packet = first else { return nil }
        packets[head].block = []
        head += 1
        byteCount -= packet.range.count
        if head == packets.count || head > 256 {
            packets.removeFirst(head)
            head = 0
        }
        return packet
    }

    mutating func removeAll() { self = PacketQueue() }
}
