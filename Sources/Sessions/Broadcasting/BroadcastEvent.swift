import AudioCore
import ClockSync
import Households
import NIOCore
import Peering
import Programmes
import SecureChannel
import WireProtocol

/// An input of a broadcast's session.
public enum BroadcastEvent: Sendable {
    /// mDNS or the user named a listener, or something about it changed.
    case contact(PeerContact)
    case contactLost(PeerContact.Key)
    /// mDNS publishes us under this name, because the one we wanted is taken.
    case renamed(String)
    /// A TCP connection is established. `key` is fresh and random, for the listener's clock exchange.
    case opened(ConnectionID, PeerConnection.Direction, address: String, dial: Dialer.Dial?, key: ClockKey)
    /// How long the kernel's TCP took there and back when the connection was opened. What waits on the way later is no
    /// part of it.
    case roundTrip(ConnectionID, TimeSpan)
    case dialFailed(Dialer.Dial, DialFailure)
    /// The other side of an encrypted connection has proved to have this key, and is this to the broadcaster's machine;
    /// before anything that it says.
    case authenticated(ConnectionID, PeerKey, PeerStanding = .stranger)
    /// The other side of a connection is this from now on.
    case standing(ConnectionID, PeerStanding)
    /// Who may do what from now on: ``BroadcastConfiguration/access``.
    case access(AccessPolicy)
    /// Whether other machines may add songs from now on: ``BroadcastConfiguration/acceptsSongs``. What is being sent is
    /// taken.
    case acceptance(ofSongs: Bool)
    /// Which names belong to which keys, at first and whenever that changes.
    case pins(PinnedNames)
    /// What came over a connection is no longer what a peer sends, or it ended in the middle.
    case broken(ConnectionID, ConnectionSecurityError)
    case received(ConnectionID, ByteBuffer)
    /// The socket took this many of the bytes sent.
    case wrote(ConnectionID, byteCount: Int)
    case closed(ConnectionID)
    /// What the reader of this epoch's song reports.
    case source(Epoch, SourceEvent)
    /// The broadcaster's own user, or a program of theirs, asks for this; answered with
    /// ``BroadcastAction/answer(_:_:)``.
    case command(Command, Asker)
    /// The answer to ``BroadcastAction/transcode(_:)``.
    case transcoded(TranscodingReply)
    /// What became of a song that is being kept.
    case spool(CommandID, SpoolEvent)
    /// The answer to ``BroadcastAction/lookUp(_:_:_:)``.
    case found(ConnectionID, Finding)
    /// The page for browsers is at this TCP port; nil where there is none any more.
    case page(PageLocation?)
    /// The answer to ``BroadcastAction/describe(_:_:)``; nil if the song does not say anything, or is not to be asked.
    case described(ItemID, ItemDescription?)
    /// Time has passed; must come at least every ``BroadcastSession/tickInterval``.
    case tick
    /// The user asked to stop.
    case stop
}

extension BroadcastEvent {
    /// Whether nothing that sounds follows from it for all: it concerns one connection only, unless that one's state
    /// changes, or what an item is called.
    var isContained: Bool {
        switch self {
        case .authenticated, .standing, .received, .wrote, .roundTrip, .found, .described: true
        default: false
        }
    }

    /// Whether a single peer causes it, so that there may be as many of it as there are peers.
    var isOfOnePeer: Bool {
        switch self {
        case .contact, .contactLost, .opened, .dialFailed, .broken, .closed, .pins: true
        default: false
        }
    }
}

/// What the song's reader reports.
///
/// Each ``BroadcastAction/readSource`` gets one answer; an end or failure is the last. Notices, titles and clocks come
/// at any time. A live source gives no answers: it sends packets as they come.
public enum SourceEvent: Sendable {
    /// Properties up to ready, then contiguous packets, of which the first begins at frame 0 less priming.
    case read(properties: [AudioStreamProperty], packets: [AudioPacketDescription], data: ByteBuffer)
    case ended(SourceEnd)
    /// Reading goes on in the middle of the song, at a frame that was asked for: this is the next packet's first frame.
    /// The packets before that frame are the decoder's pre-roll.
    case sought(FramePosition)
    /// Reading failed; the text is for people. What was read before is played.
    case failed(String, SourceEnd)
    /// The source is a list of songs, which take its place.
    case list([NewItem])
    /// What kind of source it is; before the first read.
    case opened(isLive: Bool, isSeekable: Bool)
    case notice(NoticeLevel, String)
    /// So many audible frames the song has, by reading all of it ahead; and whether another song follows in its source.
    case measured(frameCount: Int64, isFollowed: Bool)
    /// A station's current title.
    case title(String)
    /// When a live source's frames were in the air. Comes before its first packets, and is repeated while it runs.
    case clock(SourceClock)
}

/// What becomes of a song that others send.
public enum SpoolEvent: Hashable, Sendable {
    /// There is room for it. It will be found under this name.
    case opened(SentSongID)
    /// So many bytes more are kept.
    case wrote(Int)
    /// It is not kept, or no longer.
    case failed(CommandRefusal)
}

/// What comes behind a song that is over.
public enum SourceEnd: Hashable, Sendable {
    case nothing
    /// Another song, in the same source.
    case anotherSong
}

/// One who asks for something on the broadcaster's own machine: its terminal, or a program there.
public struct Asker: Hashable, Sendable {
    /// Distinguishes it from the others.
    public var number: Int
    /// For display and the log.
    public var name: String

    public init(number: Int, name: String) {
        self.number = number
        self.name = name
    }
}

/// What the shell must do for a broadcast, in order.
public enum BroadcastAction: Sendable {
    /// Try to connect; answer with ``BroadcastEvent/opened(_:_:address:dial:key:)`` or
    /// ``BroadcastEvent/dialFailed(_:_:)``, within ``PeeringLimits/dialTimeout``.
    case dial(Dialer.Dial)
    case send(ConnectionID, ByteBuffer)
    /// Send messages that are sent to others, too.
    case sendShared(ConnectionID, SharedMessages)
    /// Send ``WireEncoder/clock(_:)`` of the reply over its connection, with the clock read just before.
    case sendClock(ConnectionID, ClockResponder.Reply)
    /// Close after pending data was sent; the connection's key is void.
    case close(ConnectionID)
    /// Answer clock requests under this key.
    case addKey(ClockKey)
    case removeKey(ClockKey)
    /// Open a song; read nothing yet.
    case openSource(SourceRequest)
    /// Read more of this epoch's song.
    case readSource(Epoch)
    /// The epoch's song is over, or not wanted any more.
    case closeSource(Epoch)
    /// Decode a piece of the song off the network's thread and answer with ``BroadcastEvent/transcoded(_:)``; see
    /// ``SongTranscoder``. There is one request at a time, except that a new rendition need not wait for the old one's
    /// answer.
    case transcode(TranscodingRequest)
    /// Release the decoder: nobody needs PCM any more.
    case endTranscoding
    /// Find room for a song; answer with ``BroadcastEvent/spool(_:_:)``.
    case openSpool(SongOffer)
    /// Append to it; answer with ``SpoolEvent/wrote(_:)`` when that is done.
    case writeSpool(SongBytes)
    /// Forget it: it will not be queued.
    case closeSpool(CommandID)
    /// Look this up: about the item that comes from here, or in this machine's library where it is nil. Answer with
    /// ``BroadcastEvent/found(_:_:)``.
    case lookUp(ConnectionID, Lookup, ItemLocation?)
    /// Read what the item that comes from here says of itself, if it is a file, without keeping anything else waiting;
    /// answer with ``BroadcastEvent/described(_:_:)``. There is one request at a time.
    case describe(ItemID, ItemLocation)
    /// The other side sent its household's document.
    case household(ConnectionID, ByteBuffer)
    /// This listener takes part under its name: pin it, and tell by ``BroadcastEvent/pins(_:)``.
    case met(MetPeer)
    /// A listener was refused since its name belongs to another key: tell by ``BroadcastEvent/pins(_:)`` when the user
    /// forgets a name.
    case watchPins
    /// Tell the broadcaster's own user what became of a command.
    case answer(CommandOutcome, Asker)
    /// What is shown of the broadcast changed.
    case changed
    case notice(BroadcastNotice)
    /// The session is over; no action follows.
    case finished(BroadcastOutcome)
}

/// How a broadcast ended.
public enum BroadcastOutcome: Hashable, Sendable {
    case completed
    case stopped
    /// All of the song that could be read was heard.
    case brokenOff(String)
    /// The song has nothing that can be played. The text says why, for people; nil if it has no audio.
    case unplayable(String?)
    /// None of the listeners that were asked for by name came.
    case nobody([String])
}

extension BroadcastOutcome {
    /// The end that listeners and observers are told of.
    var farewell: BroadcastEnd {
        switch self {
        case .completed: BroadcastEnd(.completed)
        case .stopped: BroadcastEnd(.stopped, "the broadcaster stopped")
        // The reader's own words contain a path of this machine.
        case .brokenOff: BroadcastEnd(.failed, "the song could not be read to its end")
        case .unplayable: BroadcastEnd(.failed, "the song cannot be played")
        case .nobody: BroadcastEnd(.stopped)
        }
    }
}
