import AudioCore
import Peering

/// What a broadcaster sends before it is chosen, without what is useless by then.
///
/// Bounded: a candidate that sends more is to be dropped.
struct CandidateEvents {
    private var events: [PeerEvent] = []
    private var byteCount = 0
    /// The newest one.
    private(set) var anchor: Anchor?

    /// Bytes held, with a fixed cost for each event.
    var heldByteCount: Int { byteCount + events.count * ListenLimits.pendingEventByteCount }

    /// Keeps the event.
    /// - Returns: whether the candidate is still within its bounds.
    mutating func keep(_ event: PeerEvent) -> Bool {
        switch event {
        case .message(.clock), .message(.report), .message(.roster): return true
        case .message(.anchor(let anchor)): self.anchor = anchor
        default: break
        }
        events.append(event.detached)
        byteCount += event.heldByteCount
        return events.count <= ListenLimits.pendingEventCount && byteCount <= ListenLimits.pendingByteCount
    }

    /// Takes all events, in order, and empties the store.
    mutating func take() -> [PeerEvent] {
        defer { (events, byteCount, anchor) = ([], 0, nil) }
        return events
    }
}

extension PeerEvent {
    /// Bytes of the parts that may be long.
    fileprivate var heldByteCount: Int {
        switch self {
        case .packets(let packets, let data):
            data.readableBytes + packets.count * MemoryLayout<AudioPacketDescription>.stride
        case .property(.magicCookie(let cookie)): cookie.count
        case .property(.info(_, let text)): text.utf8.count
        case .message(.household(let document)): document.readableBytes
        case .property, .message: 0
        }
    }
}
