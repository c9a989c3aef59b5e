import AudioCore

/// An encoded packet and its place.
struct QueuedPacket: Sendable {
    var bytes: [UInt8]
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
        byteCount += packet.bytes.count
        packets.append(packet)
    }

    mutating func removeFirst() -> QueuedPacket? {
        guard let packet = first else { return nil }
        packets[head].bytes = []
        head += 1
        byteCount -= packet.bytes.count
        if head == packets.count || head > 256 {
            packets.removeFirst(head)
            head = 0
        }
        return packet
    }

    mutating func removeAll() { self = PacketQueue() }
}
