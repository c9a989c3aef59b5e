import AudioCore
import NIOCore

/// The layout of a packets message.
///
/// | field | type | meaning |
/// |---|---|---|
/// | epoch | u32 | |
/// | position | i64 | timeline position of the first packet's first frame; negative before the first audible frame |
/// | count | u16, at most 1,024 | packets |
/// | sizes | u32 and u16 for each packet | bytes, frames |
/// | data | the rest | the packets, one after another |
enum PacketsMessage {
    struct Header {
        var epoch: Epoch
        var position: FramePosition
        var descriptions: [AudioPacketDescription]
    }

    /// Bytes of a message without the packets and their sizes: type, length, epoch, position and count.
    static let overhead = 20

    static func write(_ header: Header, data: RawSpan, to buffer: inout ByteBuffer) {
        buffer.writeEpoch(header.epoch)
        buffer.writePosition(header.position)
        buffer.writeInteger(UInt16(header.descriptions.count))
        for description in header.descriptions {
            buffer.writeInteger(UInt32(description.byteCount))
            buffer.writeInteger(UInt16(description.frameCount))
        }
        for description in header.descriptions {
            let start = description.startOffset
            buffer.writeBytes(data.extracting(start..<start + description.byteCount))
        }
    }

    /// Reads the header; exactly the packets' data is left in `buffer`.
    static func read(from buffer: inout ByteBuffer) -> Header? {
        guard let epoch = buffer.readEpoch(), let position = buffer.readPosition(),
            let count = buffer.readInteger(as: UInt16.self), count > 0, count <= WireLimits.packetsPerMessage
        else { return nil }
        var descriptions: [AudioPacketDescription] = []
        descriptions.reserveCapacity(min(Int(count), buffer.readableBytes / 6))
        var offset = 0
        for _ in 0..<count {
            guard let byteCount = buffer.readInteger(as: UInt32.self), byteCount <= Limits.packetByteCount,
                let frameCount = buffer.readInteger(as: UInt16.self), frameCount <= Limits.packetFrameCount
            else { return nil }
            descriptions.append(
                AudioPacketDescription(startOffset: offset, byteCount: Int(byteCount), frameCount: Int(frameCount)))
            offset += Int(byteCount)
        }
        guard offset == buffer.readableBytes else { return nil }
        return Header(epoch: epoch, position: position, descriptions: descriptions)
    }
}
