import AudioCore
import ClockSync
import NIOCore
import Peering
import WireProtocol

/// What a ``ListenExecutor`` reaches its broadcaster by: a network, or the broadcaster in the same process.
public protocol ListenTransport: AnyObject {
    /// Answered with `opened` or `dialFailed`.
    func dial(_ dial: Dialer.Dial)
    func send(_ bytes: ByteBuffer, to id: ConnectionID)
    /// After what was sent.
    func close(_ id: ConnectionID)
    /// At once: the other side is taken for dead.
    func abort(_ id: ConnectionID)
    /// Exchanges clocks with the other end of the connection, by UDP at this port.
    func startClock(_ id: ConnectionID, port: UInt16, key: ClockKey, peer: UUIDBytes, prior: SkewPrior?)
    func stopClock()
    /// The offset that was found so far holds no longer.
    func restartClock()
    /// The advertised state changed: what is playing; nil for nothing.
    func advertise(playing: String?)
}
