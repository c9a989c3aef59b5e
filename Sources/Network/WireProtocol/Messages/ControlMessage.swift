import AudioCore
import NIOCore

/// Everything a connection says besides the media part's properties and packets.
public enum ControlMessage: Hashable, Sendable {
    case greeting(Greeting)
    case refusal(Refusal)
    case keepAlive
    /// A clock datagram that goes this way since UDP does not get through: ``WireLimits/clockDatagramByteCount`` bytes,
    /// a listener's request or the broadcaster's reply.
    case clock([UInt8])
    case welcome(Welcome)
    case broadcastEnd(BroadcastEnd)
    /// A new epoch begins: its properties follow, all older ones are void.
    case streamBegins(Epoch)
    /// The packets that follow begin at this frame.
    case packetsFollow(Epoch, FramePosition)
    case anchor(Anchor)
    /// The frame after the last audible one.
    case streamEnds(Epoch, FramePosition)
    case entry(EntryMark)
    case report(ListenerReport)
    /// How the listeners are, for one who looks on.
    case roster(Roster)
}

/// Where this listener enters the stream: sent to a joiner, and to one that fell behind, before the packets that
/// follow.
///
/// | field | type | meaning |
/// |---|---|---|
/// | epoch | u32 | |
/// | frame | i64 | first frame to be heard; packets before it are the decoder's pre-roll |
/// | lost | u32 | packets dropped for this listener since the last mark; 0 for a joiner |
///
/// A listener whose packets go on without a gap, as after a connection that was replaced, hears all of them.
public struct EntryMark: Hashable, Sendable {
    public var epoch: Epoch
    public var frame: FramePosition
    public var lostPacketCount: UInt32

    public init(epoch: Epoch, frame: FramePosition, lostPacketCount: UInt32) {
        self.epoch = epoch
        self.frame = frame
        self.lostPacketCount = lostPacketCount
    }
}

/// Takes what a connection says, in order.
///
/// The media part arrives through ``AudioStreamSink`` exactly as a file's would, each group of packets preceded by
/// ``ControlMessage/packetsFollow(_:_:)``.
public protocol WireSink: AudioStreamSink {
    mutating func wireDidParse(_ message: ControlMessage)

    /// Packets that follow one another, for a sink that takes them as they came. Others get them through
    /// ``AudioStreamSink``.
    /// - Parameters:
    ///   - packets: each within `data`.
    ///   - data: a slice of what was received, all of which it keeps in memory.
    mutating func wireDidParse(packets: [AudioPacketDescription], data: ByteBuffer)
}

extension WireSink {
    public mutating func wireDidParse(packets: [AudioPacketDescription], data: ByteBuffer) {
        streamDidParse(packets: packets.span, data: data.readableBytesSpan)
    }
}
