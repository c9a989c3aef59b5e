import AudioCore
import NIOCore
import WireProtocol

/// One connection between two peers: greeting, liveness, and the parser of what the other side says.
///
///     opening ──greeting──▶ greeted ──▶ closed
///        └──── error, silence, refusal ────┘
///
/// Both sides open with ``opening(_:now:)`` at once, whoever dialled. A side that hears nothing for
/// ``PeeringLimits/silenceTimeout`` takes the other for dead; so each says something at least every
/// ``PeeringLimits/keepAliveInterval``. Owns no socket and reads no clock.
public struct PeerConnection {
    /// Which side called.
    public enum Direction: Hashable, Sendable {
        case dialed
        case accepted
    }

    public let direction: Direction
    /// Where the other side is, for messages to people.
    public let address: String
    /// What the other side said of itself, once it has.
    public private(set) var greeting: Greeting?

    /// When both sides were heard of last.
    public private(set) var liveness: PeerLiveness

    private var parser: WireParser

    /// - Parameter messageByteCount: of the longest message that the other side may send.
    public init(
        direction: Direction, address: String, messageByteCount: Int = WireLimits.payloadByteCount, now: HostTime
    ) {
        parser = WireParser(payloadByteCount: messageByteCount)
        self.direction = direction
        self.address = address
        liveness = PeerLiveness(opened: now)
    }

    /// For people: the peer's name, or where it is as long as it has not said.
    public var name: String { greeting?.name ?? address }

    /// Takes bytes, gives what they say.
    public mutating func receive(_ bytes: ByteBuffer, now: HostTime) throws(WireError) -> [PeerEvent] {
        liveness.lastReceived = now
        var inbox = PeerInbox()
        try parser.parse(bytes, into: &inbox)
        if greeting == nil, case .message(.greeting(let greeting))? = inbox.events.first {
            self.greeting = greeting
            liveness.greeted = now
        }
        return inbox.events
    }

    /// Bytes that wait for the rest of their message.
    var heldByteCount: Int { parser.heldByteCount }

    /// This process did not run for a span that ends now.
    mutating func discount(_ span: TimeSpan, _ now: HostTime) { liveness.discount(span, now) }

    /// Something was sent: no keep-alive is needed for a while.
    public mutating func noteSent(_ now: HostTime) { liveness.lastSent = now }

    /// Whether a keep-alive is due; it is then taken as sent.
    public mutating func needsKeepAlive(_ now: HostTime) -> Bool {
        guard liveness.isKeepAliveDue(now) else { return false }
        liveness.lastSent = now
        return true
    }
}
