import AudioCore
import Broadcasting
import ClockSync
import HostSystem
import NIOCore
import Peering

/// What a ``BroadcastExecutor`` works with: a clock, a timer, a network, the song's source. Of a real machine or of a
/// simulated one.
///
/// Every method is called where the executor is called, and may bring it an event before it returns.
public protocol BroadcastEnvironment: AnyObject {
    /// This machine's clock, which is session time as well.
    var now: HostTime { get }
    /// By which it knows that it slept.
    var sleepReading: SleepReading { get }

    /// Asks for one call of ``BroadcastExecutor/timerDidFire()`` after so long.
    func startTimer(_ span: TimeSpan)

    /// Answered with `opened` or `dialFailed`.
    func dial(_ dial: Dialer.Dial)
    /// Answered with `wrote`, later.
    func send(_ bytes: ByteBuffer, to id: ConnectionID)
    /// After what was sent.
    func close(_ id: ConnectionID)
    /// Clock requests under this key are answered from now on.
    func addKey(_ key: ClockKey)
    func removeKey(_ key: ClockKey)
    /// Answered with one `source` event, later.
    func readSource()
    /// Answered with `transcoded`, later.
    func transcode(_ request: TranscodingRequest)
    func endTranscoding()
    /// What others are told of the broadcast is different now.
    func advertise()

    // The next two are for people.

    func broadcastDidTell(_ notice: BroadcastNotice)
    func machineDidSleep(for span: TimeSpan)
    /// Nothing is asked for after this.
    func broadcastDidFinish(_ outcome: BroadcastOutcome)
}
