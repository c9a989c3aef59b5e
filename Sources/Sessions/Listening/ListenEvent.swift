import WireProtocol
import AudioCore
import ClockSync
import NIOCore
import Peering
import Playout

/// What happens to a listener.
public enum ListenEvent: Sendable {
    /// mDNS or the user knows a broadcaster, or something new of it.
    case contact(PeerContact)
    case contactLost(PeerContact.Key)
    /// mDNS knows us by this name, since the one we wanted is taken.
    case renamed(String)
    /// A TCP connection stands.
    case opened(ConnectionID, PeerConnection.Direction, address: String, dial: Dialer.Dial?)
    case dialFailed(Dialer.Dial, DialFailure)
    case received(ConnectionID, ByteBuffer)
    case closed(ConnectionID)
    /// The clock exchange over UDP has a new estimate.
    case clock(ClockEstimate)
    /// A clock request was handed to its connection's socket then.
    case sentClock(sequence: UInt32, at: HostTime)
    /// This machine slept for so long, and its clock stood still meanwhile. Due before any other event after it.
    case machineDidSleep(for: TimeSpan)
    /// What the renderer says of itself; due with every tick.
    case playout(PlayoutSnapshot)
    /// The last frame of the epoch was heard.
    case heardEnd(Epoch)
    /// Time passed; due at least every 20 ms.
    case tick
    /// Somebody asked to stop.
    case stop
}

/// What the shell must do for a listener, in order.
public enum ListenAction: Sendable {
    /// Try to connect; answer with ``ListenEvent/opened(_:_:address:dial:)`` or ``ListenEvent/dialFailed(_:_:)``.
    case dial(Dialer.Dial)
    case send(ConnectionID, ByteBuffer)
    /// Close after what was sent.
    case close(ConnectionID)
    /// Close at once: the other side is taken for dead, and is not to go on sending what waits for us.
    case abort(ConnectionID)
    /// Exchange clocks with the other end of this connection, at this UDP port; whose clock it is, and its rate where this
    /// session has met it before.
    case startClock(ConnectionID, port: UInt16, key: ClockKey, peer: UUIDBytes, prior: SkewPrior?)
    case stopClock
    /// Forget the offset that the exchange has found so far, and ask in a burst.
    case restartClock
    /// Send ``WireEncoder/clock(_:)`` of the request over the connection, and answer with
    /// ``ListenEvent/sentClock(sequence:at:)``: the clock read just before.
    case sendClock(ConnectionID, ClockClient.Request)
    /// The audio queue: a new epoch replaces what sounds. Packets before `firstFrame` are decoder pre-roll.
    case begin(Epoch, AudioStreamSummary, firstFrame: FramePosition)
    /// Packets that follow one another, the first at this position.
    case enqueue(FramePosition, [AudioPacketDescription], ByteBuffer)
    /// The packets that follow are for hearing from this frame on, if they lie behind a gap.
    case reenter(at: FramePosition, Epoch)
    case setTimeline(HostTimeline)
    case finish(at: FramePosition, Epoch)
    /// Fade out and be silent until the next timeline; what is held is kept.
    case hold(fade: TimeSpan)
    /// Fade out and fall silent.
    case silence(fade: TimeSpan)
    /// The advertised state changed.
    case advertise
    case notice(ListenNotice)
    /// It is over; nothing happens after this.
    case finished(ListenOutcome)
}

/// How a listener ended.
public enum ListenOutcome: Hashable, Sendable {
    /// One broadcast was heard to its end, and no more was asked for.
    case completed
    case stopped
    /// The broadcaster failed or vanished, and no more was asked for.
    case failed(ListenFailure)
}

/// Why a broadcast was not heard to its end. Names and texts are a peer's.
public enum ListenFailure: Error, Hashable {
    /// The broadcaster of this name says that its broadcast failed, and why, in words for people.
    case broadcastFailed(String, reason: String)
    /// The broadcaster of this name is gone without a word.
    case lost(String)
}
