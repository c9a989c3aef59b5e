import AudioCore

/// Cuts a buffer's contents into packets, each with its place on the timeline.
///
/// If packets have a constant size and the buffer holds bare bytes, a packet may span two buffers: its first part is
/// kept until the rest comes.
struct BufferCutter {
    private let format: AudioStreamFormat
    private var timeline: PacketTimeline
    /// The first part of a packet that continues in the next buffer.
    private var carried: [UInt8] = []
    /// How many bytes, or packets, of the present buffer were taken.
    private var taken = 0

    /// The frames of linear PCM in one packet here.
    private static let framesAtOnce = 1_024

    /// - Parameter position: where the first packet begins; nil for the beginning of the stream.
    init(format: AudioStreamFormat, table: AudioPacketTableInfo?, position: FramePosition? = nil) {
        self.format = format
        timeline = PacketTimeline(table: table, nextPosition: position)
    }

    /// Where the next packet begins.
    var position: FramePosition { timeline.nextPosition }

    /// The frame after the last audible one cut so far.
    var end: FramePosition {
        var timeline = timeline
        timeline.finish()
        return timeline.end ?? position
    }

    /// Passes the buffer's packets to `take` until that returns false, for lack of room.
    /// - Returns: whether all were taken; the next call then begins another buffer.
    mutating func cut(
        _ buffer: BufferStorage, _ take: (RawSpan, _ frame: FramePosition, _ frameCount: Int) -> Bool
    ) -> Bool {
        let isDone = buffer.holdsBareBytes ? cutBytes(buffer, take) : cutPackets(buffer, take)
        if isDone { taken = 0 }
        return isDone
    }

    private mutating func cutPackets(
        _ buffer: BufferStorage, _ take: (RawSpan, FramePosition, Int) -> Bool
    ) -> Bool {
        while taken < buffer.packets.count {
            let packet = buffer.packets[taken]
            let range = packet.startOffset..<packet.startOffset + packet.byteCount
            guard buffer.withBytes(range, { take($0, position, packet.frameCount) }) else { return false }
            _ = timeline.place(frameCount: packet.frameCount)
            taken += 1
        }
        return true
    }

    private mutating func cutBytes(
        _ buffer: BufferStorage, _ take: (RawSpan, FramePosition, Int) -> Bool
    ) -> Bool {
        let size = format.bytesPerPacket
        guard size > 0 else { return true }
        if !carried.isEmpty, carried.count < size {
            let missing = min(size - carried.count, buffer.byteCount - taken)
            carried.append(contentsOf: buffer.memory[taken..<taken + missing])
            taken += missing
        }
        if carried.count == size {
            guard take(carried.span.bytes, position, format.framesPerPacket) else { return false }
            _ = timeline.place(frameCount: format.framesPerPacket)
            carried.removeAll(keepingCapacity: true)
        }
        let most = format.framesPerPacket == 1 ? Self.framesAtOnce : 1
        while buffer.byteCount - taken >= size {
            let packets = min(most, (buffer.byteCount - taken) / size)
            let frames = packets * format.framesPerPacket
            let range = taken..<taken + packets * size
            guard buffer.withBytes(range, { take($0, position, frames) }) else { return false }
            _ = timeline.place(frameCount: frames)
            taken += packets * size
        }
        carried.append(contentsOf: buffer.memory[taken..<buffer.byteCount])
        taken = buffer.byteCount
        return true
    }
}
