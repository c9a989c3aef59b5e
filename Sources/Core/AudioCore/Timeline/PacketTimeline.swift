/// The position of each packet of a stream: packet n begins at the sum of the frames before it, minus priming.
///
/// Frame 0 is the first audible frame, so the first packets of a stream with encoder delay begin at negative positions.
/// Place every packet in order, audible or not. A value type that allocates nothing. Arithmetic wraps because frame
/// counts come from files.
public struct PacketTimeline: Hashable, Sendable {
    /// Decoded frames at the front that are not heard.
    public let primingFrameCount: Int
    /// The frame after the last audible one, where the stream gives it.
    public private(set) var end: FramePosition?
    /// Packets placed so far: the index of the next packet.
    public private(set) var packetCount: Int64
    /// Position of the next packet's first frame.
    public private(set) var nextPosition: FramePosition

    /// - Parameters:
    ///   - table: the stream's packet table; nil if it has none, so that every frame is audible.
    ///   - nextPosition: position of the first packet to be placed, if it is not the stream's first.
    public init(table: AudioPacketTableInfo? = nil, nextPosition: FramePosition? = nil) {
        primingFrameCount = table?.primingFrameCount ?? 0
        end = table?.validFrameCount.map(FramePosition.init)
        packetCount = 0
        self.nextPosition = nextPosition ?? FramePosition(0 &- Int64(primingFrameCount))
    }

    /// Places the next packet, and returns the position of its first frame.
    public mutating func place(frameCount: Int) -> FramePosition {
        let position = nextPosition
        nextPosition += Int64(frameCount)
        packetCount &+= 1
        return position
    }

    /// Changes the end, after a packet table that came later than the first packet.
    public mutating func revise(_ table: AudioPacketTableInfo) {
        end = table.validFrameCount.map(FramePosition.init)
    }

    /// Ends the stream: the end is where the last packet ended, or where the stream put it if that is earlier.
    public mutating func finish() {
        end = end.map { min($0, nextPosition) } ?? nextPosition
    }

    /// Returns the frames of decoded output before `position`, priming included, for a decoder's reset.
    public func streamFrame(of position: FramePosition) -> Int64 {
        position.index &+ Int64(primingFrameCount)
    }
}
