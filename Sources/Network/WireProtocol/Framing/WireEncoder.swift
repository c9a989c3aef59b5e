import AudioCore
import NIOCore

/// Encodes messages. Each message is encoded once, however many listeners receive it.
///
/// A message is a type (u16), the payload's length (u32) and the payload; all numbers are big-endian. The payload
/// tables are in the documentation of their types: ``Greeting``, ``Refusal``, ``Welcome``, ``BroadcastEnd``,
/// ``EntryMark``, ``ListenerReport``, ``Roster``, ``Command``, ``CommandOutcome``, ``ProgrammeState``,
/// ``ProgrammeChange``, ``QueuePageRequest``, ``QueuePage``, ``ListenerSettings``, ``VolumeSetting``,
/// ``SongOffer``, ``SongBytes``, ``SongCredit``. `anchor` is epoch
/// u32, frame i64, session time i64 (nanoseconds), frames per session second f64; `stream end` and `cut` are epoch u32,
/// frame i64; `next title` is a text; `keep-alive` is empty, as is `follow`, or u8 0 to end it; `clock` is an unchanged
/// clock datagram; `household` is a document and `pairing` a step of a pairing, whose layouts are not the wire's.
public enum WireEncoder {
    /// The first message in each direction.
    public static func greeting(_ greeting: Greeting) -> ByteBuffer {
        message(.greeting) { greeting.write(to: &$0) }
    }

    public static func refusal(_ refusal: Refusal) -> ByteBuffer {
        message(.refusal) { refusal.write(to: &$0) }
    }

    public static func keepAlive() -> ByteBuffer { message(.keepAlive) { _ in } }

    /// Wraps a clock datagram for this connection.
    /// - Parameter datagram: exactly ``WireLimits/clockDatagramByteCount`` bytes.
    public static func clock(_ datagram: [UInt8]) -> ByteBuffer {
        precondition(datagram.count == WireLimits.clockDatagramByteCount)
        return message(.clock) { $0.writeBytes(datagram) }
    }

    /// Size in bytes of every message that ``clock(_:)`` returns.
    public static let clockByteCount = 6 + WireLimits.clockDatagramByteCount

    /// - Parameter document: at most ``WireLimits/payloadByteCount`` bytes.
    public static func household(_ document: [UInt8]) -> ByteBuffer {
        message(.household) { $0.writeBytes(document) }
    }

    /// - Parameter step: at most ``WireLimits/pairingStepByteCount`` bytes.
    public static func pairing(_ step: [UInt8]) -> ByteBuffer {
        precondition(step.count <= WireLimits.pairingStepByteCount)
        return message(.pairing) { $0.writeBytes(step) }
    }

    public static func welcome(_ welcome: Welcome) -> ByteBuffer {
        message(.welcome) { welcome.write(to: &$0) }
    }

    public static func broadcastEnd(_ end: BroadcastEnd) -> ByteBuffer {
        message(.broadcastEnd) { end.write(to: &$0) }
    }

    public static func report(_ report: ListenerReport) -> ByteBuffer {
        message(.report) { report.write(to: &$0) }
    }

    public static func roster(_ roster: Roster) -> ByteBuffer {
        message(.roster) { roster.write(to: &$0) }
    }

    /// Announces an epoch, with its stream's properties.
    public static func stream(_ epoch: Epoch, properties: [AudioStreamProperty]) -> ByteBuffer {
        message(.stream) { buffer in
            buffer.writeEpoch(epoch)
            for property in properties { StreamProperties.write(property, to: &buffer) }
        }
    }

    public static func anchor(_ anchor: Anchor) -> ByteBuffer {
        message(.anchor) {
            $0.writeEpoch(anchor.epoch)
            $0.writePosition(anchor.frame)
            $0.writeInteger(anchor.session.nanoseconds)
            $0.writeDouble(anchor.framesPerSecond)
        }
    }

    /// Encodes packets that follow one another without a gap.
    /// - Parameter descriptions: at most ``WireLimits/packetsPerMessage``, each within `data` and ``Limits``.
    public static func packets(
        _ epoch: Epoch, at position: FramePosition, descriptions: [AudioPacketDescription], data: RawSpan
    ) -> ByteBuffer {
        var buffer = ByteBuffer()
        // `data` may hold much more than these packets.
        buffer.reserveCapacity(PacketsMessage.overhead + descriptions.reduce(0) { $0 + 6 + $1.byteCount })
        let header = PacketsMessage.Header(epoch: epoch, position: position, descriptions: descriptions)
        buffer.writeInteger(MessageType.packets.rawValue)
        let lengthIndex = buffer.writerIndex
        buffer.writeInteger(UInt32(0))
        PacketsMessage.write(header, data: data, to: &buffer)
        buffer.setInteger(UInt32(buffer.writerIndex - lengthIndex - 4), at: lengthIndex)
        return buffer
    }

    public static func streamEnd(_ epoch: Epoch, at end: FramePosition) -> ByteBuffer {
        message(.streamEnd) {
            $0.writeEpoch(epoch)
            $0.writePosition(end)
        }
    }

    public static func cut(_ epoch: Epoch, at frame: FramePosition) -> ByteBuffer {
        message(.cut) {
            $0.writeEpoch(epoch)
            $0.writePosition(frame)
        }
    }

    public static func entry(_ mark: EntryMark) -> ByteBuffer {
        message(.entry) {
            $0.writeEpoch(mark.epoch)
            $0.writePosition(mark.frame)
            $0.writeInteger(mark.lostPacketCount)
        }
    }

    /// - Parameter command: with sources within ``ItemSource/batches(of:)``.
    public static func command(_ command: Command) -> ByteBuffer {
        message(.command) { command.write(to: &$0) }
    }

    public static func outcome(_ outcome: CommandOutcome) -> ByteBuffer {
        message(.outcome) { outcome.write(to: &$0) }
    }

    public static func songOffer(_ offer: SongOffer) -> ByteBuffer {
        message(.songOffer) { offer.write(to: &$0) }
    }

    /// - Parameter bytes: 1 to ``WireLimits/songBytesCount`` bytes.
    public static func songBytes(_ bytes: SongBytes) -> ByteBuffer {
        message(.songBytes) { bytes.write(to: &$0) }
    }

    public static func songCredit(_ credit: SongCredit) -> ByteBuffer {
        message(.songCredit) { credit.write(to: &$0) }
    }

    public static func follow() -> ByteBuffer { message(.follow) { _ in } }

    /// A `follow` with a field behind what older peers know: to them it is one more.
    public static func unfollow() -> ByteBuffer { message(.follow) { $0.writeInteger(UInt8(0)) } }

    public static func settings(_ settings: ListenerSettings) -> ByteBuffer {
        message(.settings) { settings.write(to: &$0) }
    }

    public static func groupVolume(_ volume: VolumeSetting) -> ByteBuffer {
        message(.groupVolume) { volume.write(to: &$0) }
    }

    public static func nextTitle(_ title: String?) -> ByteBuffer {
        message(.nextTitle) { $0.writeText(title ?? "", limit: Limits.titleByteCount) }
    }

    public static func modes(_ modes: PlayModes) -> ByteBuffer { message(.modes) { modes.write(to: &$0) } }

    public static func reportInterval(_ interval: TimeSpan) -> ByteBuffer {
        message(.reportInterval) { $0.writeSpan(interval) }
    }

    public static func programmeState(_ state: ProgrammeState) -> ByteBuffer {
        message(.programmeState) { state.write(to: &$0) }
    }

    public static func programmeChange(_ change: ProgrammeChange) -> ByteBuffer {
        message(.programmeChange) { change.write(to: &$0) }
    }

    public static func queuePageRequest(_ request: QueuePageRequest) -> ByteBuffer {
        message(.queuePageRequest) { request.write(to: &$0) }
    }

    public static func queuePage(_ page: QueuePage) -> ByteBuffer {
        message(.queuePage) { page.write(to: &$0) }
    }

    public static func lookup(_ lookup: Lookup) -> ByteBuffer { message(.lookup) { lookup.write(to: &$0) } }

    public static func finding(_ finding: Finding) -> ByteBuffer { message(.finding) { finding.write(to: &$0) } }

    private static func message(_ type: MessageType, _ body: (inout ByteBuffer) -> Void) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeMessage(type, body)
        return buffer
    }
}
