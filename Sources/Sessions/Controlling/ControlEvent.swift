import AudioCore
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// Which broadcast is meant.
public enum ControlTarget: Hashable, Sendable {
    /// This machine's own, else the one that it listens to, else the only one of the network.
    case any
    case named(String)
    case address(NetworkAddress)
}

extension ControlTarget {
    /// The host that may have the wanted broadcast's name, for a broadcast that mDNS does not name; nil if no host is
    /// called so (RFC 1123, section 2.1: one label of letters, digits and hyphens; a number would be an address).
    public var hostOfName: NetworkAddress? {
        guard case .named(let name) = self, (1...63).contains(name.utf8.count), !name.hasPrefix("-"),
            name.utf8.allSatisfy({ Self.isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D }),
            name.utf8.contains(where: Self.isLetter)
        else { return nil }
        return NetworkAddress(host: name)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}

/// Where a broadcast is that was found.
public enum BroadcastPlace: Hashable, Sendable {
    case thisMachine
    /// At this host.
    case host(String)
    /// Where a listener of this machine hears it.
    case beyondListener
}

/// What a controller asks for.
public enum ControlRequest: Hashable, Sendable {
    /// Of its songs, files are sent if the broadcaster is another machine's. If it names an item by its position, it is
    /// sent with the id of the item that stands there: another one may stand there by the time that it arrives.
    case command(Command)
    /// The same, if the request before it was done.
    case ifDone(Command)
    /// Sends a file's bytes, to be queued before the item at this position; nil: at the end.
    case send(path: String, position: Int?)
    /// The programme's state, once.
    case state
    /// The programme's state, and each change of it. From then on the session goes on until somebody ends it, takes
    /// further requests, and outlives those that fail.
    case changes
    /// All items of the queue, page by page.
    case queue
    /// Some items of the queue: at most ``WireLimits/itemsPerPage``.
    case queuePage(QueuePageRequest)
    /// What there is about an item or in a library; beside the other requests, which do not wait for it. Nothing that
    /// is found is no failure. A session that only looks for songs may be with a listener, too.
    case lookup(LookupSubject)
}

/// An input of a controller's session.
public enum ControlEvent: Sendable {
    /// Ask for this, after all that was asked for before.
    case request(ControlRequest)
    /// A connection is ready; `address` is for display.
    case opened(ConnectionID, ControlSession.Origin, address: String)
    /// All local sockets of this machine were called; ``opened(_:_:address:)`` told of those that answer.
    case calledLocalPrograms
    /// mDNS named a broadcaster.
    case contact(PeerContact)
    /// There is no mDNS, for this reason.
    case searchFailed(String)
    case dialFailed(Dialer.Dial)
    /// The other side of an encrypted connection has proved to have this key; before anything that it says.
    case authenticated(ConnectionID, PeerKey, PeerStanding = .stranger)
    /// The other side is this from now on.
    case standing(ConnectionID, PeerStanding)
    /// What came over a connection is no longer what a peer sends, or it ended in the middle.
    case broken(ConnectionID, ConnectionSecurityError)
    case received(ConnectionID, ByteBuffer)
    case closed(ConnectionID)
    /// The file of ``ControlAction/openSong(path:)``: its name without folders, and its length in bytes.
    case songOpened(name: String, byteCount: UInt64)
    /// Its next bytes; none at its end.
    case songRead(ByteBuffer)
    /// It cannot be opened or read, in the system's words.
    case songFailed(String)
    /// Time has passed; must come at least every 10 ms, and every 250 ms while it follows.
    case tick
}

/// What the shell must do, in order.
public enum ControlAction: Sendable {
    /// Begin to search by mDNS; answer with ``ControlEvent/contact(_:)``, or ``ControlEvent/searchFailed(_:)``.
    case search
    /// Try to connect; answer with ``ControlEvent/opened(_:_:address:)`` or ``ControlEvent/dialFailed(_:)``.
    case dial(Dialer.Dial)
    case send(ConnectionID, ByteBuffer)
    case close(ConnectionID)
    case answer(ControlAnswer)
    /// Open a file that is to be sent; answer with ``ControlEvent/songOpened(name:byteCount:)``.
    case openSong(path: String)
    /// Read so many bytes of it, or fewer; answer with ``ControlEvent/songRead(_:)``.
    case readSong(byteCount: Int)
    /// The session is over; no action follows.
    case finished(ControlEnding)
}

/// What the broadcast answers.
public enum ControlAnswer: Hashable, Sendable {
    /// The broadcast of this name takes the requests; before anything else.
    case connected(String, at: BroadcastPlace = .thisMachine)
    case outcome(CommandOutcome)
    /// The present state; with the change that led to it, unless it is the first.
    case state(ProgrammeState, ProgrammeChange?)
    case page(QueuePage)
    /// All of what was looked up: at most ``WireLimits/findingByteCount`` bytes of a peer's.
    case found(LookupSubject, [UInt8])
    /// The reason is for people; it is empty where there simply is none.
    case foundNothing(LookupSubject, reason: String)
    /// A request came to nothing, in a session that goes on in spite of that.
    case failed(ControlEnding)
    /// So many files are still to be sent, in a session that goes on meanwhile.
    case sending(fileCount: Int)
}

/// How a controller's session ended. Names and texts come from peers.
public enum ControlEnding: Error, Hashable {
    /// Every request was answered, and every command has taken effect.
    case done
    /// No broadcast was found, or none of the wanted name nor at a host of that name, but these others, of this machine
    /// and of the network.
    case notFound(others: [String])
    /// This machine knows no broadcast, and there is no mDNS to find others, for this reason.
    case cannotSearch(String)
    /// It is not clear which of these is meant.
    case ambiguous([String])
    /// Nobody answered at the address.
    case noAnswer
    case broadcastsNothing(String)
    /// The broadcasts of these names are strangers', and this machine has a household.
    case notOfHousehold([String])
    /// The broadcast of this name takes no connection from here, for this reason.
    case turnedAway(by: String, String)
    case refused(by: String, CommandRefusal)
    /// The broadcast of this name did not answer a request in time; it may still do what was asked.
    case timedOut(String)
    /// A file cannot be sent: its path, and why, in the system's words.
    case unreadable(path: String, String)
    case lost(String)
    case ended(String, BroadcastEnd)
    case brokenProtocol(String, PeerError)
}

/// Time-outs and bounds of a controller.
public enum ControlLimits {
    /// How long the programs of this machine may take to greet.
    public static let localTime = TimeSpan.milliseconds(300)
    /// How long to collect broadcasts, from the first one found, before the only one is taken.
    public static let choiceTime = TimeSpan.milliseconds(150)
    /// How long broadcasts that are asked may take to answer once one has.
    public static let answerPatience = TimeSpan.milliseconds(300)
    /// How long mDNS may take to name a broadcast before the host of that name is asked.
    public static let hostTime = TimeSpan.milliseconds(400)
    /// The same before a broadcast of another name is taken there: mDNS asks twice, a second apart (RFC 6762 section
    /// 5.2).
    public static let nameTime = TimeSpan.milliseconds(1_250)
    /// A broadcast must be found within this time, and then answer within this time.
    public static let patience = TimeSpan.seconds(3)
    /// A request must be answered within this time.
    public static let answerTime = TimeSpan.seconds(1)
    /// The same of a lookup, for which a broadcaster may have to read a whole song.
    public static let lookupTime = TimeSpan.seconds(60)
    /// While a song is sent, something must come of it within this time.
    public static let sendingTime = TimeSpan.seconds(10)
    /// The longest wait for an effect, whatever the broadcaster says.
    public static let longestLead = TimeSpan.seconds(1)
    /// How long to wait after too many commands, before the refused one is sent again.
    public static let retryTime = TimeSpan.milliseconds(200)
    /// Programs of this machine, and broadcasts of the network, to choose from.
    public static let connectionCount = 64
    public static let foundCount = 64
}
