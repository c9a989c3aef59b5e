import AudioCore
import AudioQueueServices

/// Packets on their way from the parser, which gives many at once, to buffers, which take what they have room for.
struct PacketStage: AudioStreamSink {
    private var bytes: [UInt8] = []
    private var descriptions: [AudioPacketDescription] = []
    /// Packets already in buffers.
    private var taken = 0

    var isEmpty: Bool { taken == descriptions.count }

    mutating func streamDidParse(property: AudioStreamProperty) {}

    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {
        if isEmpty { removeAll() }
        for index in packets.indices {
            let packet = packets[index]
            descriptions.append(
                AudioPacketDescription(
                    startOffset: bytes.count, byteCount: packet.byteCount, frameCount: packet.frameCount))
            data.extracting(packet.startOffset..<packet.startOffset + packet.byteCount).withUnsafeBytes {
                bytes.append(contentsOf: $0)
            }
        }
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        descriptions.removeAll(keepingCapacity: true)
        taken = 0
    }

    /// Moves packets into a buffer until it is full.
    /// - Parameter frames: what the buffer holds; the target is `limit` frames, or a few more.
    /// - Returns: whether it is full.
    mutating func fill(_ buffer: inout OutputBuffer, frames: inout Int, atMost limit: Int) -> Bool {
        while taken < descriptions.count {
            guard frames < limit else { return true }
            let packet = descriptions[taken]
            let range = packet.startOffset..<packet.startOffset + packet.byteCount
            guard buffer.append(bytes.span.bytes.extracting(range), frameCount: packet.frameCount) else { return true }
            frames += packet.frameCount
            taken += 1
        }
        return false
    }
}
