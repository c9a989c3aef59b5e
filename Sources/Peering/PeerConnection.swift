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
        liveness.lastHeard = now
        var inbox = PeerInbox()
        try parser.parse(bytes.readableBytesSpan, into: &inbox)
        if greeting == nil, case .message(.greeting(let greeting))? = inbox.events.first {
            self.greeting = greeting
            liveness.greeted = now
        }
        return inbox.events
    }

    /// Something was sent: no keep-alive is needed for a while.
    public mutating func said(_ now: HostTime) { liveness.lastSaid = now }

    /// Whether a keep-alive is due; it is then taken as sent.
    public mutating func needsKeepAlive(_ now: HostTime) -> Bool {
        guard liveness.isKeepAliveDue(now) else { return false }
        liveness.lastSaid = now
        return true
    }
}

extension PeerConnection {
    /// Whether of two connections between the same two processes this one goes on, and not the older; both sides reach
    /// the same answer.
    ///
    /// One that was opened long after the other served: its dialler knows that the older is gone.
    public func survives(_ older: PeerConnection, own instance: UInt64, other: UInt64) -> Bool {
        if let greeted = older.liveness.greeted, liveness.opened - greeted > PeeringLimits.crossingTime { return true }
        return Self.newerSurvives(newer: direction, older: older.direction, own: instance, other: other)
    }

    /// Which of two connections that were opened about the same time goes on.
    ///
    /// Crossed dials: the one that the lower instance id dialled. Two from the same side: the newer, since its dialler
    /// knows that the older is gone.
    public static func newerSurvives(
        newer: Direction, older: Direction, own instance: UInt64, other: UInt64
    ) -> Bool {
        guard newer != older else { return true }
        return (newer == .dialed) == (instance < other)
    }
}
