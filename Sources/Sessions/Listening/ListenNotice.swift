import AudioCore
import Households
import Peering
import SecureChannel

/// What the user of a listener may want to know. Names and texts may come from a peer: whoever shows them must make
/// them safe to show.
public enum ListenNotice: Hashable, Sendable {
    /// What a listener does after it lost its broadcaster.
    public enum Waiting: Hashable, Sendable {
        /// It waits for that one, for at most this long.
        case forItsReturn(atMost: TimeSpan)
        /// It waits for any. `playsOn`: it plays what it holds, which it can place in time.
        case forABroadcast(playsOn: Bool)
    }

    /// How a broadcaster's clock is queried.
    public enum ClockPath: Hashable, Sendable {
        case udp
        /// Over the broadcast's own connection, because UDP is blocked; less exact.
        case tcp
    }

    /// Why a broadcast was taken rather than the next one, by the rule of choice.
    public enum Choice: Hashable, Sendable {
        /// It is this machine's, or a member's of its household, and the next one is not.
        case household
        /// It was heard before, and the next one was not.
        case heardBefore
        /// Of those that are known as well it has the lowest UUID.
        case lowestUUID
        /// The next one is of the same machine, and began later.
        case beganFirst
    }

    // MARK: Finding a broadcast

    /// Nothing was found for a while. `wanted`: names of the only broadcasts that are wanted; empty for any.
    case nothingFound(wanted: [String])
    /// Nobody answers at the address that the user named.
    case unanswered(NetworkAddress)
    /// Several broadcasts were found; one is taken by the rule of choice.
    case severalFound([String], taken: String, because: Choice)
    case waitingForNext

    // MARK: The broadcaster

    case joined(String)
    case back(String, after: TimeSpan)
    case lost(String, Waiting)
    /// Its broadcast ended.
    case ended(String)
    /// Its user stopped the broadcast.
    case stopped(String)
    /// It reported that its broadcast failed.
    case failed(String, reason: String)
    /// A peer refused us.
    case refused(by: String, reason: String)
    /// A broadcaster goes by a name that belongs to another key than its own.
    case anotherKey(name: String, PeerKey)
    /// The broadcaster at the address that the user named may not feed this listener.
    case notOfHousehold(String, AccessDenial)
    /// We refused a peer: it broke the protocol, or is of no use now.
    case turnedAway(String, reason: String, brokeProtocol: Bool)
    /// A peer ended the connection before it had greeted. `isNamed`: the user named its address.
    case leftEarly(String, reason: String, isNamed: Bool)
    /// A connection is presumed dead.
    case mute(String)
    /// More connections than this bring no broadcast.
    case crowded(limit: Int)

    // MARK: Time

    /// The broadcaster's clock is now known by another path than before.
    case clockPath(String, ClockPath)
    /// The clock does not answer on any path: nothing can be placed in time.
    case clockUnanswered(String)
    /// This machine slept for so long. It is silent until the broadcaster's time is known again.
    case slept(TimeSpan, broadcaster: String)
    /// The offset reaches back before the moment when the start was decided: the song's beginning is not heard.
    case offsetTooEarly(TimeSpan)
    /// The sound card's rate is off by more than any real card's: nothing is played on it.
    case cardRateImpossible(percent: Int64, isSlow: Bool)

    // MARK: The song

    /// So much of the song is missing since the connection broke.
    case songLost(TimeSpan, broadcaster: String)
    /// The broadcaster dropped so many packets, because the network or this machine is too slow.
    case packetsDropped(UInt32, broadcaster: String)
    /// The broadcaster sent farther ahead than any does; the surplus is left out of the recording.
    case tooFarAhead(broadcaster: String)

    public var level: NoticeLevel {
        switch self {
        case .mute, .turnedAway(_, _, brokeProtocol: false), .leftEarly(_, _, isNamed: false): .detail
        case .nothingFound, .severalFound, .waitingForNext, .joined, .back, .ended, .stopped, .clockPath(_, .udp),
            .slept:
            .info
        case .unanswered, .lost, .failed, .refused, .anotherKey, .notOfHousehold, .turnedAway, .leftEarly,
            .clockPath(_, .tcp), .clockUnanswered, .offsetTooEarly, .cardRateImpossible, .songLost, .packetsDropped,
            .tooFarAhead, .crowded:
            .warning
        }
    }
}

extension ListenNotice {
    /// The kind of a notice. Within a kind, notices that peers cause may suppress each other; see ``NoticeLimiter``.
    enum Kind: Hashable, Sendable {
        case refused, anotherKey, notOfHousehold, turnedAway(brokeProtocol: Bool), leftEarly(isNamed: Bool), crowded
        case clockPath, own
    }

    var kind: Kind {
        switch self {
        case .refused: .refused
        case .anotherKey: .anotherKey
        case .notOfHousehold: .notOfHousehold
        case .turnedAway(_, _, let brokeProtocol): .turnedAway(brokeProtocol: brokeProtocol)
        case .leftEarly(_, _, let isNamed): .leftEarly(isNamed: isNamed)
        case .crowded: .crowded
        case .clockPath: .clockPath
        default: .own
        }
    }
}
