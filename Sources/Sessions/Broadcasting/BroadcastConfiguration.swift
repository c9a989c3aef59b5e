import AudioCore
import Households
import Peering
import Programmes
import SecureChannel
import WireProtocol

/// The settings of a broadcast.
public struct BroadcastConfiguration: Sendable {
    /// When the song starts.
    public enum Start: Hashable, Sendable {
        case now
        /// As soon as this many listeners are ready, the broadcaster's own loudspeakers not counted.
        case whenReady(listeners: Int)
    }

    /// The broadcaster's identity.
    public var greeting: Greeting
    /// What is played.
    public var programme = Programme(seed: 0)
    /// Whether the broadcast stays when its programme is over, or has nothing to play.
    public var staysIdle = false
    /// Who may listen to it, and command it.
    public var access = AccessPolicy()
    /// Whether other machines may add songs: whoever may command.
    public var acceptsSongs = false
    /// Which loudness tags decide a song's gain, which all listeners apply.
    public var loudness = LoudnessMode.off
    public var start = Start.whenReady(listeners: 1)
    /// Names of the only listeners to be fed; empty feeds all.
    public var allowedNames: [String] = []
    /// Instance of the broadcaster's own loudspeakers, if it plays too. They are fed whatever the allowed names, and
    /// the start waits for them as well. Where listeners were named, they alone are no audience.
    public var ownListener: UInt64?
    /// Codecs this broadcaster can decode for listeners that cannot.
    public var decodableCodecs: Set<Codec> = []
    /// From the decision to the first sound; nil for as long as those need that are ready.
    public var startDelay: TimeSpan?
    /// Whether the network may tell of listeners that nobody named: those that are there have a moment to be found
    /// before a song starts.
    public var searches = true
    /// How much of the song must be read before it starts, and before it resumes after a stall of its source. A source
    /// that delivers no faster than real time keeps this lead.
    public var sourceLead = TimeSpan.seconds(1)
    /// From the microphone to all loudspeakers, for sources that tell their clock. The start of all others is decided.
    public var liveLatency: TimeSpan?
    /// How far ahead of its play time a packet may be sent.
    public var horizon = TimeSpan.seconds(10)
    /// The clock responder's UDP port.
    public var clockPort: UInt16

    public init(greeting: Greeting, clockPort: UInt16) {
        self.greeting = greeting
        self.clockPort = clockPort
    }
}

/// Time-outs and bounds of a broadcast.
public enum BroadcastLimits {
    /// Between ticks; ``playingTick`` while a song plays that is not live. Both are short beside ``leastLead``.
    static let tick = TimeSpan.milliseconds(20)
    static let playingTick = TimeSpan.milliseconds(50)
    /// With more connections than this there is ``crowdedPlayingTick`` between two ticks while a song plays, and what
    /// single ones cause for all waits for the next tick, if all were looked at within ``lookTime`` for each
    /// connection. A look takes a tenth of that. Listeners are also sent more song at a time, and report more rarely.
    static let crowdCount = 256
    static let crowdedPlayingTick = TimeSpan.milliseconds(100)
    static let lookTime = TimeSpan.microseconds(20)
    /// How long listeners gather at most before a song starts, once enough are there.
    public static let gatheringTime = TimeSpan.milliseconds(300)
    /// How long a broadcast that began looks for listeners. Answers to an mDNS query are delayed by 20 to 120 ms on
    /// purpose (RFC 6762 section 6); avahi-daemon, the dial and the handshake take some more.
    static let searchTime = TimeSpan.milliseconds(160)
    /// How long the start waits after the newest listener, so that one that comes a moment later starts with it. To
    /// learn the clock takes longer.
    static let arrivalTime = TimeSpan.milliseconds(60)
    /// How much longer than a command a start takes: a listener that stands still for a tenth of a second meanwhile
    /// still has the first frame.
    static let startMargin = TimeSpan.milliseconds(100)
    /// From the decision to the first sound at least where no listener is ready, where one is behind a slow path, and
    /// after a stall of the source: what a radio loses comes again a fifth of a second later (Linux' TCP_RTO_MIN).
    static let longStartDelay = TimeSpan.milliseconds(250)
    /// How much longer a listener that is connected but not ready is waited for; after that it joins late.
    public static let readinessTime = TimeSpan.milliseconds(700)
    /// From a command to its effect, where the round trip is short and sound cards give back what they hold: 12 ms are
    /// left there, and a cut fades out over 10 ms. The rest is for earlier releases, whose cards wake their loop every
    /// 50 ms and not for a command.
    static let deviceLead = TimeSpan.milliseconds(80)
    /// The same at most. A listener that needs longer falls silent late, alone.
    static let longestCommandLead = TimeSpan.milliseconds(300)
    /// How long listeners may take to say that they are set as a command says.
    static let settingTime = TimeSpan.milliseconds(500)
    /// Of those that do not say so, how many are named: an outcome's text has 512 bytes, a name at most 63.
    static let silentNameCount = 5
    /// A cut is not put within this time before a joint, but so far behind it that its fade is of the song behind it.
    static let jointGuard = TimeSpan.milliseconds(300)
    static let cutFade = TimeSpan.milliseconds(20)
    /// The least silence between a pause and what follows.
    static let shortestPause = TimeSpan.milliseconds(50)
    /// How much of a song must be read before it is jumped to or follows another.
    static let jumpLead = TimeSpan.milliseconds(500)
    /// From the decision to the first sound of a song that is jumped to, where sound cards give back what they hold.
    static let jumpDelay = TimeSpan.milliseconds(150)
    /// Whoever asked waits so long for the outcome of a command: a controller's limit of the same name.
    static let answerTime = TimeSpan.seconds(1)
    /// A command to play is answered after this time, though no listener is ready yet.
    static let startPatience = TimeSpan.milliseconds(400)
    /// Commands that wait for a song to be opened, and those that wait for listeners. The oldest makes room, and is
    /// told that there is no word yet: the newest is what somebody wants now.
    static let pendingCommandCount = 64
    /// How long the old sound goes on while the new song is opened.
    static let openingTime = TimeSpan.milliseconds(100)
    /// How long a song that is jumped to may give nothing before it is passed over: longer than the time-out of a
    /// connection to a server, which says more.
    static let jumpPatience = TimeSpan.seconds(12)
    /// Lists of songs that are followed: lists may name each other.
    static let listCount = 100
    /// Songs that stand behind the one that is heard: a listener holds one more.
    static let comingCount = 3
    /// How long listeners named by `--to` are waited for.
    public static let namedListenerTime = TimeSpan.seconds(10)
    /// How much of the song listeners are sent before the start is decided: enough to be ready, and little enough that
    /// the anchor, which follows it, is not late on a slow link.
    public static let leadBeforeStart = TimeSpan.seconds(1)
    /// If a source's last frame is due sooner than this, listeners may run out of packets: sound cards hold this much.
    public static let leastLead = TimeSpan.milliseconds(200)
    /// How long a source that falls behind suddenly has to catch up, for example after this machine stood still.
    public static let catchUpTime = TimeSpan.seconds(1)
    /// Titles of a station that are kept until their part of the song is heard.
    static let comingTitleCount = 64
    /// Packets sent with less time than this before they are due come too late for some listeners.
    public static let latestSend = TimeSpan.milliseconds(50)
    /// After the last frame was heard the timeline is not moved for this long: the frame may still be in a sound card.
    public static let stallTime = TimeSpan.milliseconds(600)
    /// A listener that asked for the clock over its connection this recently is expected to go on asking.
    public static let clockRequestMemory = TimeSpan.seconds(1)
    /// This many requests over the connection show that UDP is blocked; fewer may come from a slow network.
    public static let clockRequestsThreshold = 16
    /// Bytes sent to one listener that its socket has not taken. Few, because on a slow link whatever waits here
    /// arrives late, and newer packets cannot overtake it.
    public static let bytesInFlight = 64 * 1024
    /// With this many its clock requests are no longer answered: it may ask and never read.
    public static let answeredBytesInFlight = 2 * bytesInFlight
    /// Lookups of one connection that are worked on at once: a listener's may be those of several programs of its
    /// machine.
    public static let lookupCount = 8
    /// Songs that are asked what they are called before they play: how many a second in the long run, and at once.
    /// Followers are told of each, in some 150 bytes, over links that may be slow.
    static let descriptionsPerSecond = 100
    static let descriptionBurst = 100
    /// The most bytes of song a listener is sent ahead of their play time, however long the horizon: an audio queue
    /// holds a bounded number of bytes, which matters for streams with many channels.
    public static let bytesAhead = 8 * 1024 * 1024
    /// Song that a listener is sent beyond what it acknowledged, sockets and network included; see ``DeliveryWindow``.
    /// A slow link would otherwise buffer many seconds, which arrive too late and keep newer packets and commands
    /// from overtaking them. The shortest window is one packets message; the last one sent counts by its first frame.
    public static let longestWindow = TimeSpan.seconds(1)
    static let shortestWindow = groupTime
    static let crowdedShortestWindow = batchTime
    /// How long what is on the way may take to arrive, beside the round trip.
    static let deliveryTime = TimeSpan.milliseconds(100)
    /// How long a listener's pace is measured at least: TCP delivers in bursts.
    static let paceInterval = TimeSpan.milliseconds(250)
    /// How many measurements count.
    static let paceCount = 8
    /// A listener has fallen behind when what it has received is this much older than what is heard.
    public static let latenessThreshold = TimeSpan.seconds(1)
    /// Song on the way to a listener that fell behind. With less the link is not to blame, and the listener may go on.
    static let backlogThreshold = TimeSpan.milliseconds(250)
    /// How far ahead of the due frame it goes on if its link has recovered and last kept up with the song.
    static let shortestReentry = TimeSpan.milliseconds(500)
    /// How far ahead otherwise. On a link that stays too slow, a longer lead lets more of the song arrive in time.
    public static let longestReentry = TimeSpan.seconds(3)
    /// Between two notices of packets dropped for one listener.
    static let lossInterval = TimeSpan.seconds(10)
    /// A listener whose socket takes nothing for this long is dropped.
    public static let stalledTime = TimeSpan.seconds(5)
    /// How long after the last frame was due listeners may report that they heard it.
    public static let farewellTime = TimeSpan.milliseconds(1_500)
    /// Song time in one packets message: small enough to skip exactly, large enough to cost little.
    public static let groupTime = TimeSpan.milliseconds(100)
    /// Song time that is sent at once to a listener that has enough; ``crowdedBatchTime`` among many. Either way it is
    /// sent something, and reports that it came, about as often as ``PeeringLimits/keepAliveInterval`` wants it.
    public static let batchTime = TimeSpan.milliseconds(500)
    static let crowdedBatchTime = TimeSpan.milliseconds(600)
    /// The same as a share of the horizon, at most.
    static let batchShare = 1.0 / 16
    /// How often one of many listeners is to report what changes nothing.
    static let crowdedReportInterval = TimeSpan.seconds(1)
    /// Bytes of song that are encrypted once for all listeners: no more at a time than a record holds, since a slow
    /// link must deliver all of it first, and no fewer than repay what each listener is told of them.
    static let sharedPieceByteCount = SecureChannelLimits.recordPlaintextByteCount
    static let leastSharedByteCount = 1_024
    /// How often observers are sent the roster, and how many there may be.
    public static let rosterInterval = TimeSpan.seconds(1)
    public static let observerCount = 16
    /// Programs at once that command and follow, and take no part otherwise.
    public static let controllerCount = 256
    /// Songs that are being sent at once, the longest one, and how much of one is under way.
    static let uploadCount = 8
    public static let longestUpload: UInt64 = 1 << 30
    public static let uploadWindow: UInt64 = 64 * 1024
    /// Followers are told of a position or a listener's error that moved by more than this against what they expect.
    static let positionTolerance = TimeSpan.milliseconds(10)
    static let errorTolerance = TimeSpan.microseconds(20)
    /// How long, and how many, listeners that left are shown to observers.
    public static let departureTime = TimeSpan.seconds(5)
    public static let departureCount = 64
    /// The longest message from a listener, which has no song to send. Nothing is kept of a longer one.
    static let messageByteCount = 4_096
    /// Connections at once.
    public static let connectionCount = 8_192
    /// Those of them whose peer has not greeted. A thousand listeners may be dialled at once; one that finds no place
    /// is dialled again.
    public static let candidateCount = 1_024
    /// A listener greets one round trip after it connected.
    static let candidates = CandidateLimits(
        count: candidateCount, patience: .seconds(1), byteCount: candidateCount * messageByteCount)
    /// How long a busy or leaving listener is not dialled, unless its record changes first: it may be free the next
    /// moment, as between two songs.
    public static let busyPause = TimeSpan.seconds(1)
    /// The same of a listener whose name belongs to another key: the user may forget the name any moment.
    public static let anotherKeyPause = TimeSpan.seconds(2)
    /// The same after any other refusal, which is unlikely to be withdrawn.
    public static let refusalPause = TimeSpan.seconds(10)
}
