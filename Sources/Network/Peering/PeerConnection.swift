import AudioCore
import Households
import NIOCore
import SecureChannel
import WireProtocol

/// One connection between two peers: greeting, liveness, and the parser of what the other side sends.
///
///     opening ──greeting──▶ greeted ──▶ closed
///        └──── error, silence, refusal ────┘
///
/// Both sides send `WireEncoder.greeting(_:)` at once, whoever dialled. A side that hears nothing for
/// ``PeeringLimits/silenceTimeout`` takes the other for dead, so each sends something at least every
/// ``PeeringLimits/keepAliveInterval``. Owns no socket and reads no clock.
public struct PeerConnection {
    /// Which side called.
    public enum Direction: Hashable, Sendable {
        case dialed
        case accepted
        /// A program of this machine called, by a local socket: of the same user, or of a group that was let in.
        case local
        /// A browser, by this machine's page, which let it in.
        /// - Parameter instance: what it was told to greet with: no page greets as another listener.
        case browser(instance: UInt64)
    }

    public let direction: Direction
    /// The other side's address, for display.
    public let address: String
    /// The key that the other side has proved to have; nil until then, and where none is needed.
    public private(set) var remoteKey: PeerKey?
    /// What the other side is to this machine.
    public private(set) var standing: PeerStanding
    /// What the other side said of itself; nil until then.
    public private(set) var greeting: Greeting?

    /// When each side last sent something.
    public private(set) var liveness: PeerLiveness

    private var parser: WireParser

    /// - Parameter messageByteCount: length of the longest message that the other side may send.
    public init(
        direction: Direction, address: String, messageByteCount: Int = WireLimits.payloadByteCount, now: HostTime
    ) {
        parser = WireParser(payloadByteCount: messageByteCount)
        self.direction = direction
        self.address = address
        standing =
            switch direction {
            case .dialed, .accepted: .stranger
            case .local: .thisMachine
            case .browser: .guest
            }
        liveness = PeerLiveness(opened: now)
    }

    /// Whether it is known what the other side is to this machine.
    public var isIdentified: Bool {
        switch direction {
        case .local, .browser: true
        case .dialed, .accepted: remoteKey != nil
        }
    }

    /// Whether the other side is a page in a browser.
    public var isBrowser: Bool { if case .browser = direction { true } else { false } }

    /// The name for display: the peer's, or its address until it greets.
    public var name: String { greeting?.name ?? address }

    /// Takes note of the key that the other side has proved to have; before its greeting, which must agree.
    public mutating func authenticate(_ key: PeerKey, _ standing: PeerStanding) {
        remoteKey = key
        note(standing)
    }

    /// Takes note of what the other side is to this machine from now on. Members may send the household's document.
    public mutating func note(_ standing: PeerStanding) {
        self.standing = standing
        if standing == .member { parser.allow(payloadByteCount: WireLimits.payloadByteCount) }
    }

    /// Takes bytes and returns what they say.
    public mutating func receive(_ bytes: ByteBuffer, now: HostTime) throws(WireError) -> [PeerEvent] {
        liveness.lastReceived = now
        var inbox = PeerInbox()
        try parser.parse(bytes, into: &inbox)
        if greeting == nil, case .message(.greeting(let greeting))? = inbox.events.first {
            if let remoteKey, remoteKey.uuid != greeting.peer { throw .foreignIdentity }
            if case .browser(let instance) = direction, instance != greeting.instance { throw .foreignIdentity }
            self.greeting = isBrowser ? greeting.ofBrowser : greeting
            liveness.greeted = now
        }
        return inbox.events
    }

    /// Bytes that wait for the rest of their message.
    var heldByteCount: Int { parser.heldByteCount }

    /// Takes note that this process did not run for a span that ends now.
    mutating func discount(_ span: TimeSpan, _ now: HostTime) { liveness.discount(span, now) }

    /// Notes that something was sent: no keep-alive is needed for a while.
    public mutating func noteSent(_ now: HostTime) { liveness.lastSent = now }

    /// Returns whether a keep-alive is due, and counts it as sent.
    public mutating func needsKeepAlive(_ now: HostTime) -> Bool {
        guard liveness.isKeepAliveDue(now) else { return false }
        liveness.lastSent = now
        return true
    }
}

extension Greeting {
    /// A browser calls itself as it likes: its name says that it is one, so nobody takes it for another listener.
    fileprivate var ofBrowser: Greeting {
        var greeting = self
        greeting.name = String(marking: name, as: "browser", maximumByteCount: WireLimits.peerNameByteCount)
        return greeting
    }
}
