import AudioCore
import Peering
import WireProtocol

/// What a broadcast is to be.
public struct BroadcastConfiguration: Sendable {
    /// When the first frame is decided.
    public enum Start: Hashable, Sendable {
        case now
        /// When this many listeners are ready, the own loudspeakers not counted.
        case whenReady(listeners: Int)
    }

    /// Who is broadcasting.
    public var greeting: Greeting
    /// The song's title where its stream has none.
    public var fallbackTitle = "untitled"
    public var start = Start.whenReady(listeners: 1)
    /// Names of the only listeners to be fed; empty feeds all.
    public var allowedNames: [String] = []
    /// Instance of the broadcaster's own loudspeakers, where it plays too. They are fed whatever the names, and the
    /// start waits for them besides the others; but alone they are no audience that was asked for by name.
    public var ownListener: UInt64?
    /// What this broadcaster can decode, for listeners that cannot.
    public var decodableCodecs: Set<Codec> = []
    /// From the decision to the first sound.
    public var startDelay = TimeSpan.milliseconds(250)
    /// How much of the song must be there before it begins, and before it goes on after its source stalled. A source
    /// that brings it no faster than it is heard stays ahead by as much.
    public var sourceLead = TimeSpan.seconds(1)
    /// Of a live source: from the microphone to all loudspeakers. Nil for songs, whose start is decided.
    public var liveLatency: TimeSpan?
    /// How far ahead of its play time a packet may be sent.
    public var horizon = TimeSpan.seconds(10)
    /// UDP port of the clock responder.
    public var clockPort: UInt16

    public init(greeting: Greeting, clockPort: UInt16) {
        self.greeting = greeting
        self.clockPort = clockPort
    }
}

/// How long a broadcast waits for what.
public enum BroadcastLimits {
    /// Between ticks, and while a song plays: short beside ``leastLead``.
    static let tick = TimeSpan.milliseconds(20)
    static let calmTick = TimeSpan.milliseconds(50)
    /// From the first listener on, so that those found a moment later start with it.
    public static let gatheringTime = TimeSpan.milliseconds(300)
    /// A listener that is connected and not ready is waited for this much longer; it joins late otherwise.
    public static let readinessTime = TimeSpan.milliseconds(700)
    /// Listeners named by `--to` are waited for this long.
    public static let namedListenerTime = TimeSpan.seconds(10)
    /// How much of the song listeners are given before the start was decided: enough to be ready, and little enough
    /// that the anchor, which comes behind it, is not late on a slow link.
    public static let leadBeforeStart = TimeSpan.seconds(1)
    /// A source whose last frame is due sooner may leave listeners without packets: sound cards hold as much.
    public static let leastLead = TimeSpan.milliseconds(200)
    /// A source that is behind all of a sudden, as after this machine stood still, has so long to catch up.
    public static let catchUpTime = TimeSpan.seconds(1)
    /// Titles of a station that are kept until what they belong to is heard.
    static let comingTitleCount = 64
    /// What is sent later than this before it is due comes too late for some.
    public static let latestSend = TimeSpan.milliseconds(50)
    /// After what was heard last, the timeline is moved no sooner: until then it may lie in somebody's sound card.
    public static let stallTime = TimeSpan.milliseconds(600)
    /// A listener that asked for the clock over its connection so recently is taken to ask on.
    public static let clockRequestMemory = TimeSpan.seconds(1)
    /// So many requests over its connection show that UDP does not get through; fewer may come of a slow network.
    public static let clockRequestsOfNote = 16
    /// Bytes on their way to one listener that the socket has not yet taken. Little, because on a slow link whatever
    /// waits here is late when it arrives, and newer packets cannot overtake it.
    public static let bytesInFlight = 64 * 1024
    /// So many at which its clock requests are no longer answered: it may ask and never read.
    public static let answeredBytesInFlight = 2 * bytesInFlight
    /// Bytes of song ahead of its play time that a listener is sent at most, however long the horizon: what an audio
    /// queue holds of a stream with many channels is bounded in bytes too.
    public static let bytesAhead = 8 * 1024 * 1024
    /// Song that a listener is sent beyond what it said it has. What lies in sockets and on the way is counted with it:
    /// a slow link would hide many seconds there, which arrive too late and keep newer packets from overtaking them.
    public static let unacknowledgedTime = TimeSpan.seconds(1)
    /// A listener has fallen behind when what it has is this much older than what is heard.
    public static let latenessOfNote = TimeSpan.seconds(1)
    /// Song on the way to one that fell behind: with less the link is not to blame, and it may go on.
    static let backlogOfNote = TimeSpan.milliseconds(250)
    /// It goes on so far ahead of what is due if its link has been mended, and last kept up with the song.
    static let shortestReentry = TimeSpan.milliseconds(500)
    /// So far ahead if not. Of what a link that is too slow can carry, the more is heard the longer it has for it.
    public static let longestReentry = TimeSpan.seconds(3)
    /// Between two lines that say so of one listener.
    static let lossInterval = TimeSpan.seconds(10)
    /// A listener whose socket takes nothing for this long is dropped.
    public static let stalledTime = TimeSpan.seconds(5)
    /// After the last frame was due, listeners have this long to say that they heard it.
    public static let farewellTime = TimeSpan.milliseconds(1_500)
    /// Song time in one packets message: small enough to skip exactly, large enough to cost little.
    public static let groupTime = TimeSpan.milliseconds(100)
    /// Song time that is sent at once to a listener that has enough.
    public static let batchTime = TimeSpan.milliseconds(500)
    /// How often those who look on are told how the listeners are, and how many may.
    public static let rosterInterval = TimeSpan.seconds(1)
    public static let observerCount = 16
    /// Listeners that took leave are shown to those who look on for so long, and so many at most.
    public static let departureTime = TimeSpan.seconds(5)
    public static let departureCount = 64
    /// Bytes of a message from a listener, which has no song to send. Of one that is longer nothing is kept.
    static let messageByteCount = 4_096
    /// Connections at once.
    public static let connectionCount = 4_096
    /// Of those, connections that have not said who they are. A thousand listeners may be dialled in one moment; who finds
    /// no place is dialled again.
    public static let candidateCount = 1_024
    /// A listener says who it is a round trip after it connected.
    static let candidates = CandidateLimits(
        count: candidateCount, patience: .seconds(1), byteCount: candidateCount * messageByteCount)
    /// A listener that is busy or leaving is asked again after this long, if its record does not change before: it may
    /// be free the next moment, as between two songs.
    public static let busyPause = TimeSpan.seconds(1)
    /// One that refused for another reason will hardly change its mind.
    public static let refusalPause = TimeSpan.seconds(10)
}
