import AudioCore
import Peering
import SecureChannel
import WireProtocol

/// What the user of a broadcast may want to know. Names and texts may come from a peer: whoever shows them must make
/// them safe to show.
public enum BroadcastNotice: Hashable, Sendable {
    /// Why a listener is presumed gone.
    public enum Silence: Hashable, Sendable {
        /// Nothing came from it.
        case mute
        /// Its socket took nothing.
        case stalled
    }

    // MARK: The song

    /// A notice of the song's reader, in words for people.
    case source(NoticeLevel, String)
    /// Reading failed; what was read before is played. The text is for people.
    case sourceFailed(String)
    /// A part of the song's file was skipped.
    case songDamaged(AudioStreamProblem)
    /// The file ends in the middle of something; how much is missing is unknown.
    case songTruncated(AudioStreamProblem)
    /// The file ends too soon: seconds that are there, seconds that should be, and what is known of its end.
    case songCutOff(seconds: Int, of: Int, AudioStreamProblem?)
    /// The source does not keep up: all are silent until enough of the song is there.
    case songFellSilent
    /// The song goes on after this silence.
    case songGoesOn(silence: TimeSpan)
    /// The song starts without the listeners of these names.
    case startedWithout([String])
    /// A song of the programme cannot be played and is left out, for this reason.
    case songPassedOver(Epoch, String)
    /// A place was sought past the song's end, which only looking for it showed: the next song follows, or the
    /// programme is over.
    case soughtPastTheEnd(isOver: Bool)
    /// Decoding is too slow: listeners that cannot decode the song miss a part of it.
    case decodingTooSlow

    // MARK: Listeners

    case joined(String)
    /// The listener said that it leaves.
    case left(String)
    /// The listener vanished. Nil: it closed its connection.
    case gone(String, Silence?)
    /// So many packets were dropped for the listener, which is too slow.
    case dropped(String, packetCount: Int)
    /// The listener cannot decode the song and is sent PCM.
    case sentPCM(String, Codec)
    /// UDP is blocked between the listener and this machine.
    case clockOverTCP(String)
    /// The listener's sound card holds so much and does not give it back: commands are heard there later than
    /// elsewhere.
    case followsLate(String, held: TimeSpan)
    /// An observer connected.
    case observed(by: String)

    /// The peer of this name added so many songs, of which this is the first.
    case songsAdded(by: String, first: String, count: Int)

    // MARK: Connections

    /// Nobody answers at an address that the user named.
    case namedUnanswered(NetworkAddress)
    /// A listener that mDNS named does not answer; nil if mDNS no longer knows it.
    case unanswered(String?, NetworkAddress)
    /// A listener plays something else; the text is its own.
    case busy(String, String)
    /// A listener refuses the broadcast, for the reason in the text.
    case refusedBy(String, String)
    /// We refused a peer.
    case refused(String, Refusal)
    /// A peer ended the connection before it had greeted. `isNamed`: the user named its address.
    case leftEarly(String, reason: String, isNamed: Bool)
    /// A listener goes by a name that belongs to another key than its own.
    case anotherKey(name: String, PeerKey)
    /// The limit on connections is reached.
    case connectionsFull(limit: Int)
    /// The limit on connections from this address is reached.
    case addressFull(String, limit: Int)
    /// The limit on connections whose peer has not greeted is reached.
    case crowded(limit: Int)
}

extension BroadcastNotice {
    /// How important it is.
    public var level: NoticeLevel {
        switch self {
        case .source(let level, _): level
        case .sourceFailed, .songDamaged, .songTruncated, .songCutOff, .songFellSilent, .startedWithout,
            .songPassedOver, .decodingTooSlow, .dropped, .clockOverTCP, .followsLate, .namedUnanswered, .refusedBy,
            .anotherKey, .connectionsFull, .addressFull, .crowded, .leftEarly(_, _, isNamed: true):
            .warning
        case .songGoesOn, .soughtPastTheEnd, .joined, .left, .gone, .sentPCM, .busy, .songsAdded: .info
        case .observed, .unanswered, .leftEarly: .detail
        case .refused(_, let refusal):
            refusal.reason == .protocolError || refusal.reason == .cannotDecode ? .warning : .detail
        }
    }
}

extension BroadcastNotice {
    /// The kind of a notice. Within a kind, notices that peers cause may suppress each other; see ``NoticeLimiter``.
    enum Kind: Hashable, Sendable {
        case song, start, decoding
        case joined, left, gone, dropped, sentPCM, clockOverTCP, followsLate, observed, songsAdded
        case namedUnanswered, unanswered, busy, refusedBy, anotherKey, connectionsFull, addressFull, crowded
        case refused(Refusal.Reason), leftEarly(isNamed: Bool)
    }

    var kind: Kind {
        switch self {
        case .source, .sourceFailed, .songDamaged, .songTruncated, .songCutOff, .songFellSilent, .songGoesOn,
            .songPassedOver, .soughtPastTheEnd:
            .song
        case .startedWithout: .start
        case .decodingTooSlow: .decoding
        case .joined: .joined
        case .left: .left
        case .gone: .gone
        case .dropped: .dropped
        case .sentPCM: .sentPCM
        case .clockOverTCP: .clockOverTCP
        case .followsLate: .followsLate
        case .observed: .observed
        case .songsAdded: .songsAdded
        case .namedUnanswered: .namedUnanswered
        case .unanswered: .unanswered
        case .busy: .busy
        case .refusedBy: .refusedBy
        case .refused(_, let refusal): .refused(refusal.reason)
        case .leftEarly(_, _, let isNamed): .leftEarly(isNamed: isNamed)
        case .anotherKey: .anotherKey
        case .connectionsFull: .connectionsFull
        case .addressFull: .addressFull
        case .crowded: .crowded
        }
    }
}
