import AudioCore
import Peering

/// What the user of a listener may want to know. Names and texts may be those of a peer: whoever shows them must make
/// them safe to show.
public enum ListenNotice: Hashable, Sendable {
    /// What a listener does whose broadcaster is gone.
    public enum Waiting: Hashable, Sendable {
        /// It waits for that one, so long at most.
        case forItsReturn(atMost: TimeSpan)
        /// It waits for any, and plays on what it holds where there is something that it can place in time.
        case forABroadcast(playsOn: Bool)
    }

    /// How a broadcaster's clock is asked.
    public enum ClockPath: Hashable, Sendable {
        case udp
        /// UDP is blocked: over the broadcast's own connection, which is less exact.
        case tcp
    }

    // MARK: Finding a broadcast

    /// Nothing was found for a while. The names are those of the only broadcasts that are wanted; empty for any.
    case nothingFound(wanted: [String])
    /// Nobody answers at the address that the user named.
    case unanswered(NetworkAddress)
    /// Of several broadcasts the oldest is taken.
    case severalFound([String], taken: String)
    case waitingForNext

    // MARK: The broadcaster

    case joined(String)
    case back(String, after: TimeSpan)
    case lost(String, Waiting)
    /// Its broadcast is over.
    case ended(String)
    /// Somebody stopped its broadcast.
    case stopped(String)
    /// Its broadcast failed, as it says.
    case failed(String, reason: String)
    /// A peer does not want us, as it says.
    case refused(by: String, reason: String)
    /// A peer is not wanted, as it is told: it broke the protocol, or it is of no use now.
    case turnedAway(String, reason: String, brokeProtocol: Bool)
    /// A connection is taken for dead.
    case mute(String)
    /// More connections than this bring no broadcast.
    case crowded(limit: Int)

    // MARK: Time

    /// The broadcaster's clock is known by another path than before.
    case clockPath(String, ClockPath)
    /// It does not answer, by whatever path: nothing can be placed in time.
    case clockUnanswered(String)
    /// This machine slept for so long: silent until the broadcaster's time is known again.
    case slept(TimeSpan, broadcaster: String)
    /// The user's offset lies before the moment at which the song's start was decided: its beginning is not heard.
    case offsetTooEarly(TimeSpan)
    /// The sound card runs faster, or slower, than it says, by more than any card: nothing is played on it.
    case cardRateImpossible(percent: Int64, isSlow: Bool)

    // MARK: The song

    /// So much of the song is missing since the connection broke.
    case songLost(TimeSpan, broadcaster: String)
    /// The network, or this machine, is too slow: the broadcaster left out so many packets.
    case packetsDropped(UInt32, broadcaster: String)
    /// What is sent farther ahead of its time than any broadcaster sends is left out of a recording.
    case tooFarAhead(broadcaster: String)

    public var level: NoticeLevel {
        switch self {
        case .mute, .turnedAway(_, _, brokeProtocol: false): .detail
        case .nothingFound, .severalFound, .waitingForNext, .joined, .back, .ended, .stopped, .clockPath(_, .udp),
            .slept:
            .info
        case .unanswered, .lost, .failed, .refused, .turnedAway, .clockPath(_, .tcp), .clockUnanswered, .offsetTooEarly,
            .cardRateImpossible, .songLost, .packetsDropped, .tooFarAhead, .crowded:
            .warning
        }
    }
}

extension ListenNotice {
    /// Notices of one kind can keep each other from being told, where peers bring them about; see ``NoticeLimiter``.
    enum Kind: Hashable, Sendable {
        case refused, turnedAway(brokeProtocol: Bool), crowded, clockPath, own
    }

    var kind: Kind {
        switch self {
        case .refused: .refused
        case .turnedAway(_, _, let brokeProtocol): .turnedAway(brokeProtocol: brokeProtocol)
        case .crowded: .crowded
        case .clockPath: .clockPath
        default: .own
        }
    }
}
