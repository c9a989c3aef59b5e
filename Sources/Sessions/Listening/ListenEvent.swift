import AudioCore
import ClockSync
import Households
import NIOCore
import Peering
import Playout
import SecureChannel
import WireProtocol

/// An input of a listener's session.
public enum ListenEvent: Sendable {
    /// mDNS or the user named a broadcaster, or something about it changed.
    case contact(PeerContact)
    case contactLost(PeerContact.Key)
    /// mDNS publishes us under this name, because the one we wanted is taken.
    case renamed(String)
    /// A TCP connection is established.
    case opened(ConnectionID, PeerConnection.Direction, address: String, dial: Dialer.Dial?)
    case dialFailed(Dialer.Dial, DialFailure)
    /// The other side of an encrypted connection has proved to have this key, and is this to the listener's machine;
    /// before anything that it says.
    case authenticated(ConnectionID, PeerKey, PeerStanding = .stranger)
    /// The other side of a connection is this from now on.
    case standing(ConnectionID, PeerStanding)
    /// Who may do what from now on: ``ListenConfiguration/access``; and what the household says of the broadcaster, nil
    /// if nothing: it may have left.
    case access(AccessPolicy, broadcaster: PeerStanding? = nil)
    /// Which names belong to which keys, at first and whenever that changes.
    case pins(PinnedNames)
    /// What came over a connection is no longer what a peer sends, or it ended in the middle.
    case broken(ConnectionID, ConnectionSecurityError)
    case received(ConnectionID, ByteBuffer)
    case closed(ConnectionID)
    /// The clock exchange over UDP has a new estimate.
    case clock(ClockEstimate)
    /// A clock request was handed to its connection's socket at this time.
    case sentClock(sequence: UInt32, at: HostTime)
    /// This machine slept for so long, with its clock stopped. Must precede any other event after the sleep.
    case machineDidSleep(for: TimeSpan)
    /// The renderer's state; must come with every tick.
    case playout(PlayoutSnapshot)
    /// The audio queue began to sound this epoch.
    case heardStart(Epoch)
    /// The epoch's last frame was heard.
    case heardEnd(Epoch)
    /// The user shifts this listener: ``ListenConfiguration/offset``.
    case setOffset(TimeSpan)
    /// How the loudspeakers are set, at first, after each change, and after each ``ListenAction/set(_:)``; a recorder
    /// has none.
    case settings(ListenerSettings)
    /// Somebody at this machine asks the broadcast: a ``WireProtocol/ControlMessage/command(_:)``, `follow`,
    /// `unfollow`, `queuePageRequest` or `lookup`. Answered with ``ListenAction/answer(_:)``; not at all while there is
    /// no broadcast.
    case ask(ControlMessage)
    /// The answer to ``ListenAction/lookUp(_:_:)``.
    case found(ConnectionID, Finding)
    /// Time has passed; must come at least every 20 ms.
    case tick
    /// The user asked to stop.
    case stop
}

/// What the shell must do for a listener, in order.
public enum ListenAction: Sendable {
    /// Try to connect; answer with ``ListenEvent/opened(_:_:address:dial:)`` or ``ListenEvent/dialFailed(_:_:)``.
    case dial(Dialer.Dial)
    case send(ConnectionID, ByteBuffer)
    /// Close after pending data was sent.
    case close(ConnectionID)
    /// Close at once: the other side is presumed dead and must not go on sending data that is queued for us.
    case abort(ConnectionID)
    /// Start exchanging clocks with the other end of this connection, at this UDP port. `peer` is the clock's owner,
    /// `prior` its rate if this session has met it before.
    case startClock(ConnectionID, port: UInt16, key: ClockKey, peer: UUIDBytes, prior: SkewPrior?)
    case stopClock
    /// Forget the offset found so far, and ask in a burst.
    case restartClock
    /// Send ``WireEncoder/clock(_:)`` of the request over the connection. Answer with
    /// ``ListenEvent/sentClock(sequence:at:)`` and the clock reading taken just before.
    case sendClock(ConnectionID, ClockClient.Request)
    /// Begin a new epoch in the audio queue, replacing the sounding one. Packets before `firstFrame` are pre-roll.
    case begin(Epoch, AudioStreamSummary, firstFrame: FramePosition)
    /// The same, but the new epoch stands behind the newest one of the queue: it sounds where its timeline says, and
    /// ends the older one there.
    case append(Epoch, AudioStreamSummary, firstFrame: FramePosition)
    /// Contiguous packets, the first at this position.
    case enqueue(FramePosition, [AudioPacketDescription], ByteBuffer, Epoch)
    /// Fade out before this frame, and keep what is held from it on; it sounds again at the epoch's next timeline.
    case cut(at: FramePosition, Epoch)
    /// An epoch that was cut goes on; its timeline follows once the clock is known.
    case resume(Epoch)
    /// Drop an epoch of which nothing is to be heard any more.
    case drop(Epoch)
    /// If the packets that follow lie behind a gap, they are audible from this frame on.
    case reenter(at: FramePosition, Epoch)
    case setTimeline(HostTimeline)
    case finish(at: FramePosition, Epoch)
    /// Fade out and keep what is held; it sounds again at the next timeline.
    case hold(fade: TimeSpan)
    /// Fade out and drop what is held.
    case silence(fade: TimeSpan)
    /// Change how the loudspeakers play, as somebody asked for, as far as this machine allows. Answer with
    /// ``ListenEvent/settings(_:)``, changed or not: whoever asked waits for that.
    case set(ListenerOperation)
    /// The volume that the listener's own is scaled by.
    case setGroupVolume(VolumeSetting)
    /// What the broadcaster tells those who asked: an outcome, the programme's state, a change or a page of it, or its
    /// end.
    case answer(ControlMessage)
    /// Another broadcaster is heard now, or none.
    case broadcasterChanged
    /// The other side sent its household's document.
    case household(ConnectionID, ByteBuffer)
    /// Look up songs in this machine's library, for a member of its household; answer with
    /// ``ListenEvent/found(_:_:)``.
    case lookUp(ConnectionID, Lookup)
    /// This broadcaster is heard under its name: pin it, and tell by ``ListenEvent/pins(_:)``.
    case met(MetPeer)
    /// A broadcaster was refused since its name belongs to another key: tell by ``ListenEvent/pins(_:)`` when the user
    /// forgets a name.
    case watchPins
    case notice(ListenNotice)
    /// The session is over; no action follows.
    case finished(ListenOutcome)
}

/// How a listener ended.
public enum ListenOutcome: Hashable, Sendable {
    /// One broadcast was heard to its end, and no other was asked for.
    case completed
    case stopped
    /// The broadcaster failed or vanished, and no other was asked for.
    case failed(ListenFailure)
}

/// Why a broadcast was not heard to its end. Names and texts come from a peer.
public enum ListenFailure: Error, Hashable {
    /// The broadcaster of this name reported a failure, with a reason for people.
    case broadcastFailed(String, reason: String)
    /// The broadcaster of this name vanished without a farewell.
    case lost(String)
}
