import AudioCore
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// An input of a ``HouseholdRound``.
public enum RoundEvent: Sendable {
    /// A Tutti was found, or others of its addresses.
    case found(PeerContact)
    /// Nobody can be searched for now.
    case searchFailed
    case opened(ConnectionID, address: String, dial: Dialer.Dial)
    case dialFailed(Dialer.Dial, DialFailure)
    /// The other side has proved to have this key, and is this to this machine; before anything that it says.
    case authenticated(ConnectionID, PeerKey, PeerStanding)
    /// The other side lacks the document: this message, which holds it, is to be sent.
    case document(ConnectionID, ByteBuffer)
    /// The kernel took so many bytes of what was sent.
    case written(ConnectionID, byteCount: Int)
    case received(ConnectionID, ByteBuffer)
    /// What came over a connection is no longer what a peer sends.
    case broken(ConnectionID)
    case closed(ConnectionID)
    /// Time has passed; must come at least every 20 ms.
    case tick
}

/// What the shell must do, in order.
public enum RoundAction: Sendable {
    /// Try to connect; answer with ``RoundEvent/opened(_:address:dial:)`` or ``RoundEvent/dialFailed(_:_:)``.
    case dial(Dialer.Dial)
    case send(ConnectionID, ByteBuffer)
    case close(ConnectionID)
    /// The other side sent this document.
    case household(ConnectionID, ByteBuffer)
    /// The other side, of this name, does not let this machine in.
    case refused(ConnectionID, by: String, Refusal)
    /// The round is over; no action follows.
    case finished(RoundOutcome)
}

/// What became of a round that tells members.
public struct RoundOutcome: Sendable {
    /// They know everything.
    public internal(set) var told: Set<PeerKey> = []
    /// They take nothing from this machine: to them it is no member, or their users let nobody in. Of those that are
    /// told as well, it was removed at the same time. Others may know all the same, over a connection of before.
    public internal(set) var refusals: [PeerKey: Refusal] = [:]

    public init() {}
}

/// Time-outs and bounds of a round.
public enum RoundLimits {
    /// How long members are searched for and told.
    public static let tellingTime = TimeSpan.seconds(2)
    /// How long one that was told has to object.
    static let settlingTime = TimeSpan.milliseconds(100)
    /// How long one connection may last: shorter than ``PeeringLimits/silenceTimeout``, as nothing is said to keep it.
    /// A document of the largest size takes less over any link that carries music.
    public static let answerTime = TimeSpan.seconds(2)
    /// How long until the same address is dialled again.
    public static let pause = TimeSpan.seconds(10)
    /// Addresses that are dialled; others that are found are left out.
    public static let addressCount = 512
}
