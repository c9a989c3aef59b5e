import AudioCore

/// Everything a connection says besides the media part's properties and packets.
public enum ControlMessage: Hashable, Sendable {
    case greeting(Greeting)
    case refusal(Refusal)
    case keepAlive
    case welcome(Welcome)
    case broadcastEnd(BroadcastEnd)
    /// A new epoch begins: its properties follow, all older ones are void.
    case streamBegins(Epoch)
    /// The packets that follow begin at this frame.
    case packetsFollow(Epoch, FramePosition)
    case anchor(Anchor)
    /// The frame after the last audible one.
    case streamEnds(Epoch, FramePosition)
    case loss(LossMark)
    case report(ListenerReport)
}

/// Packets that the broadcaster did not send, because this listener took them too slowly.
///
/// | field | type | meaning |
/// |---|---|---|
/// | epoch | u32 | |
/// | resume | i64 | first frame of the packets that follow |
/// | packets | u32 | how many were dropped |
public struct LossMark: Hashable, Sendable {
    public var epoch: Epoch
    public var resume: FramePosition
    public var packetCount: UInt32

    public init(epoch: Epoch, resume: FramePosition, packetCount: UInt32) {
        self.epoch = epoch
        self.resume = resume
        self.packetCount = packetCount
    }
}

/// Takes what a connection says, in order.
///
/// The media part arrives through ``AudioStreamSink`` exactly as a file's would, each group of packets preceded by
/// ``ControlMessage/packetsFollow(_:_:)``.
public protocol WireSink: AudioStreamSink {
    mutating func wireDidParse(_ message: ControlMessage)
}
