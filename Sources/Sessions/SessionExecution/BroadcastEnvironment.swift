import AudioCore
import Broadcasting
import ClockSync
import HostSystem
import NIOCore
import Peering

/// What a ``BroadcastExecutor`` works with: a clock, a timer, a network and the song's source, real or simulated.
///
/// Every method is called where the executor is called, and may give it an event before returning.
public protocol BroadcastEnvironment: AnyObject {
    /// This machine's clock, which is also session time.
    var now: HostTime { get }
    /// The reading that shows whether this machine slept.
    var sleepReading: SleepReading { get }

    /// Requests one call of ``BroadcastExecutor/timerDidFire()`` after `span`.
    func startTimer(_ span: TimeSpan)

    /// Dials; answered with `opened` or `dialFailed`.
    func dial(_ dial: Dialer.Dial)
    /// Sends bytes; answered later with `wrote`.
    func send(_ bytes: ByteBuffer, to id: ConnectionID)
    /// Closes after pending data was sent.
    func close(_ id: ConnectionID)
    /// Answers clock requests under this key from now on.
    func addKey(_ key: ClockKey)
    func removeKey(_ key: ClockKey)
    /// Reads from the song; answered later with one `source` event.
    func readSource()
    /// Decodes a piece of the song; answered later with `transcoded`.
    func transcode(_ request: TranscodingRequest)
    func endTranscoding()
    /// Publishes the broadcast's changed state.
    func advertise()

    // The next two are for people.

    func broadcastDidTell(_ notice: BroadcastNotice)
    func machineDidSleep(for span: TimeSpan)
    /// Reports the end; nothing is asked for after this.
    func broadcastDidFinish(_ outcome: BroadcastOutcome)
}
