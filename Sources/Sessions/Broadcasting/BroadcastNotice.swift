import AudioCore
import Peering
import WireProtocol

/// What the user of a broadcaster may want to know. Names and texts may be those of a peer: whoever shows them must make
/// them safe to show.
public enum BroadcastNotice: Hashable, Sendable {
    /// Why a listener is taken for gone.
    public enum Silence: Hashable, Sendable {
        /// Nothing came from it.
        case mute
        /// Its socket took nothing.
        case stalled
    }

    // MARK: The song

    /// The song's reader says something, in words for people.
    case source(NoticeLevel, String)
    /// What was read before is played. The text is for people.
    case sourceFailed(String)
    /// A part of the song's file was passed over.
    case songDamaged(AudioStreamProblem)
    /// The file ends in the middle of something; nobody can tell how much is missing.
    case songTruncated(AudioStreamProblem)
    /// The file ends too soon: seconds that are there, and that should be; what is known of its end.
    case songCutOff(seconds: Int, of: Int, AudioStreamProblem?)
    /// The source does not keep up: nothing is heard until enough of the song is there.
    case songFellSilent
    /// The song goes on after this silence.
    case songGoesOn(silence: TimeSpan)
    /// It starts although the listeners of these names are not there.
    case startedWithout([String])
    /// Some is left out of what listeners are sent that cannot decode the song.
    case decodingTooSlow

    // MARK: Listeners

    case joined(String)
    /// It said so.
    case left(String)
    /// It did not say so. Nil: its connection was closed.
    case gone(String, Silence?)
    /// It is too slow: so many packets were dropped for it.
    case dropped(String, packetCount: Int)
    /// It cannot decode the song.
    case sentPCM(String, Codec)
    /// UDP is blocked between it and this machine.
    case clockOverTCP(String)
    /// Somebody looks on.
    case observed(by: String)

    // MARK: Connections

    /// Nobody answers at an address that the user named.
    case namedUnanswered(NetworkAddress)
    /// A listener that mDNS knows does not answer; nil where it knows it no longer.
    case unanswered(String?, NetworkAddress)
    /// A listener plays something else, as it says in the text.
    case busy(String, String)
    /// A listener refuses the broadcast, for the reason in the text.
    case refusedBy(String, String)
    /// A peer was refused.
    case refused(String, Refusal)
    /// No more than this many connections are taken.
    case connectionsFull(limit: Int)
    /// No more than this many are taken from this address.
    case addressFull(String, limit: Int)
    /// No more than this many that have not said who they are.
    case crowded(limit: Int)
}

extension BroadcastNotice {
    /// How much it matters.
    public var level: NoticeLevel {
        switch self {
        case .source(let level, _): level
        case .sourceFailed, .songDamaged, .songTruncated, .songCutOff, .songFellSilent, .startedWithout,
            .decodingTooSlow, .dropped, .clockOverTCP, .namedUnanswered, .refusedBy, .connectionsFull, .addressFull,
            .crowded:
            .warning
        case .songGoesOn, .joined, .left, .gone, .sentPCM, .busy: .info
        case .observed, .unanswered: .detail
        case .refused(_, let refusal):
            refusal.reason == .protocolError || refusal.reason == .cannotDecode ? .warning : .detail
        }
    }
}

extension BroadcastNotice {
    /// Notices of one kind can keep each other from being told, where peers bring them about; see ``NoticeLimiter``.
    enum Kind: Hashable, Sendable {
        case song, start, decoding
        case joined, left, gone, dropped, sentPCM, clockOverTCP, observed
        case namedUnanswered, unanswered, busy, refusedBy, connectionsFull, addressFull, crowded
        case refused(Refusal.Reason)
    }

    var kind: Kind {
        switch self {
        case .source, .sourceFailed, .songDamaged, .songTruncated, .songCutOff, .songFellSilent, .songGoesOn: .song
        case .startedWithout: .start
        case .decodingTooSlow: .decoding
        case .joined: .joined
        case .left: .left
        case .gone: .gone
        case .dropped: .dropped
        case .sentPCM: .sentPCM
        case .clockOverTCP: .clockOverTCP
        case .observed: .observed
        case .namedUnanswered: .namedUnanswered
        case .unanswered: .unanswered
        case .busy: .busy
        case .refusedBy: .refusedBy
        case .refused(_, let refusal): .refused(refusal.reason)
        case .connectionsFull: .connectionsFull
        case .addressFull: .addressFull
        case .crowded: .crowded
        }
    }
}
