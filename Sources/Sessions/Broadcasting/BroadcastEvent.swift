import AudioCore
import ClockSync
import NIOCore
import Peering
import WireProtocol

/// What happens to a broadcast.
public enum BroadcastEvent: Sendable {
    /// mDNS or the user knows a listener, or something new of it.
    case contact(PeerContact)
    case contactLost(PeerContact.Key)
    /// mDNS knows us by this name, since the one we wanted is taken.
    case renamed(String)
    /// A TCP connection stands. `key` is fresh and random, for the listener's clock exchange.
    case opened(ConnectionID, PeerConnection.Direction, address: String, dial: Dialer.Dial?, key: ClockKey)
    case dialFailed(Dialer.Dial, DialFailure)
    case received(ConnectionID, ByteBuffer)
    /// The socket took this many bytes of what was sent.
    case wrote(ConnectionID, byteCount: Int)
    case closed(ConnectionID)
    case source(SourceEvent)
    /// The answer to ``BroadcastAction/transcode(_:)``.
    case transcoded(TranscodingReply)
    /// Time passed; due at least every ``BroadcastSession/tickInterval``.
    case tick
    /// Somebody asked to stop.
    case stop
}

extension BroadcastEvent {
    /// Whether it is about one connection, and about no other unless that one changes.
    var isOfOneConnection: Bool {
        switch self {
        case .received, .wrote: true
        default: false
        }
    }
}

/// What the song's reader says. One answer to each ``BroadcastAction/readSource``, an end or failure being the last;
/// notices, titles and clocks come besides. A live
/// source answers nothing: it brings packets as they come.
public enum SourceEvent: Sendable {
    /// Properties up to ready, then packets that follow one another; the first begins at frame 0 less priming.
    case read(properties: [AudioStreamProperty], packets: [AudioPacketDescription], data: ByteBuffer)
    case ended
    /// The text is for people. What was read before is played.
    case failed(String)
    case notice(NoticeLevel, String)
    /// What a station plays now.
    case title(String)
    /// Of a live source: when its frames were in the air. Comes again and again.
    case clock(SourceClock)
}

/// What the shell must do for a broadcast, in order.
public enum BroadcastAction: Sendable {
    /// Try to connect; answer with ``BroadcastEvent/opened(_:_:address:dial:key:)`` or
    /// ``BroadcastEvent/dialFailed(_:_:)``, within ``PeeringLimits/dialTimeout``.
    case dial(Dialer.Dial)
    case send(ConnectionID, ByteBuffer)
    /// Send ``WireEncoder/clock(_:)`` of the reply over its connection, with the clock read just before.
    case sendClock(ConnectionID, ClockResponder.Reply)
    /// Close after what was sent; its key is void.
    case close(ConnectionID)
    /// Answer clock requests under this key.
    case addKey(ClockKey)
    case removeKey(ClockKey)
    /// Read more of the song.
    case readSource
    /// Decode a piece of the song, off the network's thread, and answer with ``BroadcastEvent/transcoded(_:)``; see
    /// ``SongTranscoder``. One at a time, unless the older one is of another rendition: its answer is not needed.
    case transcode(TranscodingRequest)
    /// Nobody needs PCM any more: let go of the decoder.
    case endTranscoding
    /// The advertised state changed.
    case advertise
    case notice(BroadcastNotice)
    /// It is over; nothing happens after this.
    case finished(BroadcastOutcome)
}

/// How a broadcast ended.
public enum BroadcastOutcome: Hashable, Sendable {
    case completed
    case stopped
    /// What could be read of the song was heard to its end.
    case brokenOff(String)
    /// The song gave nothing that can be played: why, in words for people, or nil where it has no audio.
    case unplayable(String?)
    /// None of the listeners that were asked for by name is there.
    case nobody([String])
}

extension BroadcastOutcome {
    /// What listeners and those who look on are told.
    var farewell: BroadcastEnd {
        switch self {
        case .completed: BroadcastEnd(.completed)
        case .stopped: BroadcastEnd(.stopped, "the broadcaster stopped")
        // The reader's own words name a path of this machine.
        case .brokenOff: BroadcastEnd(.failed, "the song could not be read to its end")
        case .unplayable: BroadcastEnd(.failed, "the song cannot be played")
        case .nobody: BroadcastEnd(.stopped)
        }
    }
}
