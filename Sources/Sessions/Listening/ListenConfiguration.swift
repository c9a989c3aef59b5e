import AudioCore
import Households
import Peering
import WireProtocol

/// The settings of a listener.
public struct ListenConfiguration: Sendable {
    /// The listener's identity, and the codecs it can decode.
    public var greeting: Greeting
    /// Names of the only broadcasters that may feed this listener; empty allows any.
    public var allowedNames: [String] = []
    /// Who may feed this listener, and change what it remembers.
    public var access = AccessPolicy()
    /// A broadcaster that the user named by address.
    public var address: NetworkAddress?
    /// Whether the listener ends with the first broadcast.
    public var once = false
    /// Added to every frame's due time: negative sounds earlier.
    public var offset = TimeSpan.zero
    /// Whether the broadcast goes into a file, not to loudspeakers.
    ///
    /// A recorder asks for no clock. No packet comes too late for it, though some come too early
    /// (``ListenLimits/recordingLead``). It waits for a lost broadcaster, whose song belongs to the same recording.
    public var isRecorder = false

    public init(greeting: Greeting) { self.greeting = greeting }
}

/// Time-outs and bounds of a listener.
public enum ListenLimits {
    /// How long to collect broadcasters, since this listener has looked for one, before one is chosen. Answers to an
    /// mDNS query are delayed by 20 to 120 ms on purpose (RFC 6762 section 6).
    public static let choiceTime = TimeSpan.milliseconds(150)
    /// The same from the first welcome on: for others that begin at the same moment. To learn its clock takes longer.
    static let shortestChoiceTime = TimeSpan.milliseconds(50)
    /// A broadcaster's clock that does not answer for this long is worth a notice.
    public static let clockPatience = TimeSpan.seconds(2)
    /// After this long without an estimate by UDP, the clock is asked for over the connection. The first UDP estimate
    /// usually comes within 150 ms, and broadcasters wait one second for listeners that are not ready.
    public static let datagramPatience = TimeSpan.milliseconds(500)
    /// The same where UDP has brought estimates before. A broadcaster that is gone altogether is noticed sooner.
    public static let datagramSilence = TimeSpan.seconds(3)
    /// How long an estimate by UDP is extrapolated at most: crystals wander by some 4 us in that time.
    static let longestExtrapolation = TimeSpan.seconds(20)
    /// How fast an old estimate loses accuracy after its connection broke. No crystal holds its rate better than this.
    static let crystalWander = PartsPerMillion(0.5)
    /// Longest time that a listener plays what it holds.
    public static let longestDrain = TimeSpan.seconds(20)
    /// How long a listener that slept and woke without its broadcaster waits for it. What it holds lasts no longer.
    public static let wakingPatience = TimeSpan.seconds(10)
    /// How long a recorder waits for a lost broadcaster.
    public static let recorderPatience = TimeSpan.seconds(30)
    /// How far beyond what can have been played a recorder accepts a song: a broadcaster's horizon, 10 s, plus what a
    /// slow network may have delayed of the first packets.
    public static let recordingLead = TimeSpan.seconds(15)
    /// Between reports while nothing changes, unless the broadcaster asks for another interval.
    public static let reportInterval = TimeSpan.milliseconds(500)
    /// Received song that is worth a report of its own: half of what may be sent unacknowledged at most.
    public static let receiptThreshold = TimeSpan.milliseconds(500)
    /// The same while it trickles in, and the least time between two such reports: on a slow link a broadcaster sends a
    /// packets message or two, and then waits.
    public static let trickleThreshold = TimeSpan.milliseconds(100)
    public static let trickleInterval = TimeSpan.milliseconds(20)
    /// The same for who was asked for fewer reports. One that holds so much does not report what trickles in: the
    /// broadcaster, which sends 10 s ahead, does not wait for that.
    static let rareTrickleInterval = TimeSpan.milliseconds(50)
    static let ampleBuffer = TimeSpan.seconds(8)
    /// Between notices about lost packets.
    public static let lossInterval = TimeSpan.seconds(10)
    /// After this long without any broadcaster the user is told, once.
    public static let patience = TimeSpan.seconds(5)
    /// Fade-out when the user stops the music.
    public static let stopFade = TimeSpan.milliseconds(15)
    /// How long after its last held frame was due a song is taken to be heard.
    public static let drainGrace = TimeSpan.milliseconds(500)
    /// Epochs held at once: the one that is heard, and those that follow it.
    static let heldEpochCount = 4
    /// Packets that were due longer ago than this are dropped.
    public static let staleTime = TimeSpan.seconds(1)
    /// Connected broadcasters that are not chosen.
    public static let candidateCount = 32
    /// Those and the chosen one.
    static let connectionCount = candidateCount + 1
    /// A candidate that is older than this makes room if its addresses have too many. A broadcaster whose song is not
    /// ready yet takes longer to welcome anybody; it dials again.
    public static let candidatePatience = TimeSpan.seconds(5)
    /// A candidate that has not welcomed us by then is closed in any case.
    public static let longestCandidacy = TimeSpan.seconds(60)
    /// Bytes of packets and properties kept of a broadcaster that is not yet chosen. It sends a second of song and
    /// somewhat more: 9 MB for eight channels at 192 kHz.
    public static let pendingByteCount = 16 * 1024 * 1024
    /// Bytes that each event counts besides its contents.
    static let pendingEventByteCount = 512
    /// All candidates together may occupy as much memory as a single one.
    static let candidates = CandidateLimits(
        count: candidateCount, patience: candidatePatience,
        byteCount: pendingByteCount + pendingEventCount * pendingEventByteCount)
    /// How long a peer that refused, or was refused, is not dialled.
    public static let refusalPause = TimeSpan.seconds(10)
    /// The same of a broadcaster whose name belongs to another key: the user may forget the name any moment.
    public static let anotherKeyPause = TimeSpan.seconds(2)
    /// Events kept of a broadcaster that is not yet chosen; one that sends more is dropped.
    public static let pendingEventCount = 4_096
}
