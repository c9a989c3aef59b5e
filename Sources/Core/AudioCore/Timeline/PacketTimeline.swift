/// Where each packet of a stream lies on the timeline: packet n begins at the sum of the frames before it, less
/// priming.
///
/// Frame 0 is the first audible frame, so the first packets of a stream with encoder delay begin at negative
/// positions. Give it every packet in order, audible or not. A value type that allocates nothing. Arithmetic wraps:
/// frame counts come from files.
public struct PacketTimeline: Hashable, Sendable {
    /// Frames at the front that come out of the decoder and are not heard.
    public let primingFrameCount: Int
    /// The frame after the last audible one, when the stream says.
    public private(set) var end: FramePosition?
    /// Packets placed so far: the index of the next one.
    public private(set) var packetCount: Int64
    /// Where the next packet's first frame lies.
    public private(set) var nextPosition: FramePosition

    /// - Parameters:
    ///   - table: the stream's packet table, nil if it has none: every frame is then audible.
    ///   - nextPosition: where the first packet lies, if it is not the stream's first.
    public init(table: AudioPacketTableInfo? = nil, nextPosition: FramePosition? = nil) {
        primingFrameCount = table?.primingFrameCount ?? 0
        end = table?.validFrameCount.map(FramePosition.init)
        packetCount = 0
        self.nextPosition = nextPosition ?? FramePosition(0 &- Int64(primingFrameCount))
    }

    /// Places the next packet, and says where its first frame lies.
    public mutating func place(frameCount: Int) -> FramePosition {
        let position = nextPosition
        nextPosition += Int64(frameCount)
        packetCount &+= 1
        return position
    }

    /// The stream changed its mind about its end: a table that came after the first packet.
    public mutating func revise(_ table: AudioPacketTableInfo) {
        end = table.validFrameCount.map(FramePosition.init)
    }

    /// No packet follows: the end is where the last packet ended, or where the stream said if that is earlier.
    public mutating func finish() {
        end = end.map { min($0, nextPosition) } ?? nextPosition
    }

    /// Frames of the stream's decoded output before `position`, priming included: what a decoder's reset wants.
    public func streamFrame(of position: FramePosition) -> Int64 {
        position.index &+ Int64(primingFrameCount)
    }
}
