import AudioCore
import Peering

/// What a broadcaster says before it is chosen, but for what would be of no use then. Bounded: one that says more is to
/// be dropped.
struct CandidateEvents {
    private var events: [PeerEvent] = []
    private var byteCount = 0

    /// With what the events themselves cost.
    var heldByteCount: Int { byteCount + events.count * ListenLimits.pendingEventByteCount }

    /// - Returns: whether it was not too much.
    mutating func keep(_ event: PeerEvent) -> Bool {
        switch event {
        case .message(.clock), .message(.report), .message(.roster): return true
        default: break
        }
        events.append(event.detached)
        byteCount += event.heldByteCount
        return events.count <= ListenLimits.pendingEventCount && byteCount <= ListenLimits.pendingByteCount
    }

    /// All of it, in order; nothing is kept of it.
    mutating func take() -> [PeerEvent] {
        defer { (events, byteCount) = ([], 0) }
        return events
    }
}

extension PeerEvent {
    /// Bytes of what may be long.
    fileprivate var heldByteCount: Int {
        switch self {
        case .packets(let packets, let data):
            data.readableBytes + packets.count * MemoryLayout<AudioPacketDescription>.stride
        case .property(.magicCookie(let cookie)): cookie.count
        case .property(.info(_, let text)): text.utf8.count
        case .property, .message: 0
        }
    }
}
