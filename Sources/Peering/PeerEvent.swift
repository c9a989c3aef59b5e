import AudioCore
import NIOCore
import WireProtocol

/// What a peer said, as values that outlive the call that parsed them.
public enum PeerEvent: Hashable, Sendable {
    case message(ControlMessage)
    case property(AudioStreamProperty)
    case packets([AudioPacketDescription], ByteBuffer)
}

/// Gathers what one call of the parser says.
struct PeerInbox: WireSink {
    var events: [PeerEvent] = []

    mutating func wireDidParse(_ message: ControlMessage) {
        if message != .keepAlive { events.append(.message(message)) }
    }

    mutating func streamDidParse(property: AudioStreamProperty) { events.append(.property(property)) }

    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {
        var copy: [AudioPacketDescription] = []
        copy.reserveCapacity(descriptions.count)
        for index in descriptions.indices { copy.append(descriptions[index]) }
        events.append(.packets(copy, ByteBuffer(bytes: data.withUnsafeBytes { Array($0) })))
    }
}
