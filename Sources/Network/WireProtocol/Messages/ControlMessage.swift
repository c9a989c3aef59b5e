import AudioCore
import NIOCore

/// Every message of a connection except the media part's properties and packets.
public enum ControlMessage: Hashable, Sendable {
    case greeting(Greeting)
    case refusal(Refusal)
    case keepAlive
    /// A clock datagram over TCP because UDP does not get through: ``WireLimits/clockDatagramByteCount`` bytes, a
    /// listener's request or the broadcaster's reply.
    case clock([UInt8])
    /// The document of the household that both belong to: see Households.
    case household(ByteBuffer)
    /// A step by which a new machine is let into a household: at most ``WireLimits/pairingStepByteCount`` bytes.
    case pairing([UInt8])
    case welcome(Welcome)
    case broadcastEnd(BroadcastEnd)
    /// A new epoch, behind the newest one: its properties follow.
    case streamBegins(Epoch)
    /// The packets that follow begin at this frame.
    case packetsFollow(Epoch, FramePosition)
    case anchor(Anchor)
    /// The frame after the last audible one.
    case streamEnds(Epoch, FramePosition)
    /// The sound fades out and ends before this frame; what stands behind this epoch is void. An anchor of this epoch
    /// lets it go on, one of a newer epoch lets that begin.
    case cut(Epoch, FramePosition)
    case entry(EntryMark)
    case report(ListenerReport)
    /// The state of the listeners, for an observer.
    case roster(Roster)
    /// From whoever asks to the broadcaster; and from there to the listeners whose sound it concerns.
    case command(Command)
    /// How the listener that says so is set: once it is welcome, and after each change.
    case settings(ListenerSettings)
    /// The volume that all listeners' own volumes are scaled by. A listener with loudspeakers sends it back once it
    /// plays by it.
    case groupVolume(VolumeSetting)
    /// The title of the item that plays after the present one, for a listener's display: a text of at most 256 bytes,
    /// empty if nothing does. Sent to a listener that joins, unless it is empty, and to all after each change.
    case nextTitle(String?)
    /// In which order items follow one another, for a listener's display: as in ``ProgrammeChange``. Sent to a listener
    /// that joins, unless they are played once in their order, and to all after each change.
    case modes(PlayModes)
    /// How long a listener leaves between two reports while nothing changes: ``WireLimits/reportIntervals``. It is half
    /// a second unless this is said.
    case reportInterval(TimeSpan)
    case outcome(CommandOutcome)
    case songOffer(SongOffer)
    case songBytes(SongBytes)
    case songCredit(SongCredit)
    /// Asks for the programme's state, and from then on for its changes. Asked again, it sends the state again.
    case follow
    /// Asks for no more changes.
    case unfollow
    case programmeState(ProgrammeState)
    case programmeChange(ProgrammeChange)
    case queuePageRequest(QueuePageRequest)
    case queuePage(QueuePage)
    /// Asks what there is about an item, or in the library of the machine that is asked.
    case lookup(Lookup)
    case finding(Finding)
}

/// Where this listener enters the stream: sent to a joiner, and to a listener that fell behind, before the packets that
/// follow.
///
/// | field | type | meaning |
/// |---|---|---|
/// | epoch | u32 | |
/// | frame | i64 | first frame to be heard; packets before it are the decoder's pre-roll |
/// | lost | u32 | packets dropped for this listener since the last mark; 0 for a joiner |
///
/// A listener whose packets continue without a gap, as after a replaced connection, plays all of them.
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

/// Receives what a connection sends, in order.
///
/// The media part arrives through ``AudioStreamSink`` exactly as from a file, with
/// ``ControlMessage/packetsFollow(_:_:)`` before each group of packets.
public protocol WireSink: AudioStreamSink {
    mutating func wireDidParse(_ message: ControlMessage)

    /// Takes packets that follow one another, as they were received. By default they go to ``AudioStreamSink``.
    /// - Parameters:
    ///   - packets: each within `data`.
    ///   - data: a slice of what was received; keeping it keeps all of that in memory.
    mutating func wireDidParse(packets: [AudioPacketDescription], data: ByteBuffer)
}

extension WireSink {
    public mutating func wireDidParse(packets: [AudioPacketDescription], data: ByteBuffer) {
        streamDidParse(packets: packets.span, data: data.readableBytesSpan)
    }
}
