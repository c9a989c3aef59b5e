import AudioCore
import ClockSync
import NIOCore
import Peering
import WireProtocol

/// How a ``ListenExecutor`` reaches its broadcaster: a network, or the broadcaster in the same process.
public protocol ListenTransport: AnyObject {
    /// Dials; answered with `opened` or `dialFailed`.
    func dial(_ dial: Dialer.Dial)
    func send(_ bytes: ByteBuffer, to id: ConnectionID)
    /// Closes after pending data was sent.
    func close(_ id: ConnectionID)
    /// Closes at once: the other side is presumed dead.
    func abort(_ id: ConnectionID)
    /// Exchanges clocks with the other end of the connection, by UDP at this port.
    func startClock(_ id: ConnectionID, port: UInt16, key: ClockKey, peer: UUIDBytes, prior: SkewPrior?)
    func stopClock()
    /// Returns the newest estimate of the broadcaster's clock, if it was not taken yet. One that does not wait for
    /// another event comes as `clock`.
    func takeEstimate() -> ClockEstimate?
    /// Forgets the offset found so far, and an estimate that was not taken.
    func restartClock()
    /// Another broadcaster is heard now, or none.
    func broadcasterDidChange()
    /// The other side of a connection sent its household's document.
    func didReceive(household document: ByteBuffer, from id: ConnectionID)
    /// Looks up songs in this machine's library for a member; answered later with `found`.
    func lookUp(_ lookup: Lookup, for id: ConnectionID)
    /// Pins the name of a broadcaster that is heard; answered with `pins`.
    func didMeet(_ peer: MetPeer)
    /// Answers with `pins` when the user forgets a name.
    func watchPins()
}
