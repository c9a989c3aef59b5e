import AudioCore

/// An encoded packet and its place.
struct QueuedPacket: Sendable {
    /// Of the packets that were enqueued together, each of which holds on to all of them.
    var block: [UInt8]
    /// Where it lies in the block.
    var range: Range<Int>
    var frame: FramePosition
    var frameCount: Int
    /// Behind a gap: frames before this one are not heard.
    var firstFrame: FramePosition?

    /// The frame after its last.
    var end: FramePosition { frame + Int64(frameCount) }
}

/// Packets in the order of their positions, bounded by whoever appends.
struct PacketQueue: Sendable {
    private var packets: [QueuedPacket] = []
    private var head = 0
    /// Bytes of the packets. Of the first one's block there may be more.
    private(set) var byteCount = 0

    var count: Int { packets.count - head }
    var first: QueuedPacket? { head < packets.count ? packets[head] : nil }
    var last: QueuedPacket? { head < packets.count ? packets.last : nil }

    /// Frames from the first packet's first to the last packet's last, gaps included.
    var frameCount: Int64 {
        guard let first, let last else { return 0 }
        return last.end - first.frame
    }

    mutating func append(_ packet: QueuedPacket) {
        byteCount += packet.range.count
        packets.append(packet)
    }

    /// Gives the newest packets the block that they lie in.
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
