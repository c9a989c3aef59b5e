import AudioCore
import NIOCore
import WireProtocol

/// What a peer sent. Packets are slices of the received bytes: keep ``detached`` ones instead.
public enum PeerEvent: Hashable, Sendable {
    case message(ControlMessage)
    case property(AudioStreamProperty)
    case packets([AudioPacketDescription], ByteBuffer)

    /// The same event in memory of its own, so that a few bytes do not keep many alive.
    public var detached: PeerEvent {
        guard case .packets(let packets, let data) = self else { return self }
        return .packets(packets, ByteBuffer(buffer: data))
    }
}

/// Gathers what one call of the parser gives.
struct PeerInbox: WireSink {
    var events: [PeerEvent] = []

    mutating func wireDidParse(_ message: ControlMessage) {
        if message != .keepAlive { events.append(.message(message)) }
    }

    mutating func streamDidParse(property: AudioStreamProperty) { events.append(.property(property)) }

    mutating func wireDidParse(packets: [AudioPacketDescription], data: ByteBuffer) {
        events.append(.packets(packets, data))
    }

    /// Does nothing: packets come as slices.
    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {}
}
