import AudioCore
import Peering
import WireProtocol

/// What a listener is to be.
public struct ListenConfiguration: Sendable {
    /// Who is listening, and which codecs it can decode.
    public var greeting: Greeting
    /// Names of the only broadcasters that may feed this listener; empty lets any.
    public var allowedNames: [String] = []
    /// A broadcaster named by address.
    public var address: NetworkAddress?
    /// Ends with the first broadcast.
    public var once = false
    /// Added to the moment of every frame: negative sounds earlier.
    public var offset = TimeSpan.zero
    /// What is received goes into a file, not to loudspeakers: no clock is asked, no packet comes too late, though some
    /// too early (``ListenLimits/recordingLead``), and a broadcaster that is lost is waited for, since what it goes on
    /// with belongs to the same recording.
    public var isRecorder = false

    public init(greeting: Greeting) { self.greeting = greeting }
}

/// How long a listener waits for what.
public enum ListenLimits {
    /// From the first broadcaster that welcomes us, so that of several the oldest is taken. Answers to an mDNS query
    /// come 20 to 120 ms late on purpose (RFC 6762 section 6).
    public static let choiceTime = TimeSpan.milliseconds(150)
    /// A broadcaster's clock that does not answer for this long is worth a word.
    public static let clockPatience = TimeSpan.seconds(2)
    /// Without an estimate by UDP for this long the clock is asked over the connection. The first comes within 150 ms;
    /// and broadcasters wait a second for listeners that are not ready.
    public static let datagramPatience = TimeSpan.milliseconds(500)
    /// The same where UDP brought estimates before. A broadcaster that is gone altogether is missed sooner.
    public static let datagramSilence = TimeSpan.seconds(3)
    /// What was learned by UDP is gone on with for so long at most: crystals wander by some 4 us in the time.
    static let longestExtrapolation = TimeSpan.seconds(20)
    /// What was known of a clock before a connection was lost is known less and less: no crystal keeps its rate more truly.
    static let crystalWander = PartsPerMillion(0.5)
    /// A session that was told no time for longer than this did not run.
    static let longestLook = TimeSpan.milliseconds(300)
    /// Nothing that is held plays longer than this.
    public static let longestDrain = TimeSpan.seconds(20)
    /// One that slept and woke without its broadcaster waits for it so long. What it holds lasts no longer.
    public static let wakingPatience = TimeSpan.seconds(10)
    /// So long a recorder waits for a broadcaster that it lost.
    public static let recorderPatience = TimeSpan.seconds(30)
    /// So far ahead of what can have been played a recorder takes a song: a broadcaster's horizon, 10 s, and what a slow
    /// network may have held up of what came first.
    public static let recordingLead = TimeSpan.seconds(15)
    /// Reports while nothing changes.
    public static let reportInterval = TimeSpan.milliseconds(500)
    /// Song that came since the last report, and is worth one: half of what is sent before it is heard of.
    public static let receiptOfNote = TimeSpan.milliseconds(500)
    /// Between lines about packets that were lost.
    public static let lossInterval = TimeSpan.seconds(10)
    /// Nobody was found by then: the user is told, once.
    public static let patience = TimeSpan.seconds(5)
    /// Fade when somebody stops the music.
    public static let stopFade = TimeSpan.milliseconds(15)
    /// After the last held frame was due, its end is taken as heard.
    public static let drainGrace = TimeSpan.milliseconds(500)
    /// Packets that were due longer ago are dropped unheard.
    public static let staleTime = TimeSpan.seconds(1)
    /// Broadcasters that are connected and not chosen.
    public static let candidateCount = 32
    /// With the one that is.
    static let connectionCount = candidateCount + 1
    /// One that was not chosen by then makes room where others of its addresses are too many. A broadcaster whose song
    /// is not there yet takes longer to welcome anybody; it calls again.
    public static let candidatePatience = TimeSpan.seconds(5)
    /// One that has welcomed nobody by then is closed in any case.
    public static let longestCandidacy = TimeSpan.seconds(60)
    /// Bytes of packets and properties kept of a broadcaster that is not yet chosen. It sends a second of song, and
    /// somewhat more: 9 MB of eight channels of 192 kHz.
    public static let pendingByteCount = 16 * 1024 * 1024
    /// What an event costs besides.
    static let pendingEventByteCount = 512
    /// All that are not chosen together may make us keep what one of them may.
    static let candidates = CandidateLimits(
        count: candidateCount, patience: candidatePatience,
        byteCount: pendingByteCount + pendingEventCount * pendingEventByteCount)
    /// One that said no, or was told no, is not dialled for this long.
    public static let refusalPause = TimeSpan.seconds(10)
    /// Events kept of a broadcaster that is not yet chosen; one that says more is dropped.
    public static let pendingEventCount = 4_096
}
