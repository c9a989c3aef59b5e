import AudioCore
import Broadcasting
import ClockSync
import HostSystem
import NIOCore
import Peering
import Programmes
import SecureChannel
import WireProtocol

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
    /// Sends messages that others get, too; answered later with `wrote`.
    func send(_ messages: SharedMessages, to id: ConnectionID)
    /// Closes after pending data was sent.
    func close(_ id: ConnectionID)
    /// Answers clock requests under this key from now on.
    func addKey(_ key: ClockKey)
    func removeKey(_ key: ClockKey)
    /// Opens a song; answered later with `source` events.
    func openSource(_ request: SourceRequest)
    /// Reads from the epoch's song; answered later with one `source` event.
    func readSource(_ epoch: Epoch)
    /// Lets go of the epoch's song.
    func closeSource(_ epoch: Epoch)
    /// Decodes a piece of the song; answered later with `transcoded`.
    func transcode(_ request: TranscodingRequest)
    func endTranscoding()
    /// Finds room for a song that is sent; answered later with `spool`, as is each write.
    func openSpool(_ offer: SongOffer)
    func writeSpool(_ bytes: SongBytes)
    func closeSpool(_ id: CommandID)
    /// Looks up something about an item, or in this machine's library where `item` is nil; answered later with `found`.
    func lookUp(_ lookup: Lookup, about item: ItemLocation?, for id: ConnectionID)
    /// Reads what a song says of itself before it plays; answered later with `described`.
    func describe(_ item: ItemID, at location: ItemLocation)
    /// The other side of a connection sent its household's document.
    func didReceive(household document: ByteBuffer, from id: ConnectionID)
    /// Pins the name of a listener that takes part; answered with `pins`.
    func didMeet(_ peer: MetPeer)
    /// Answers with `pins` when the user forgets a name.
    func watchPins()

    // The next ones are for people.

    /// What is shown of the broadcast changed.
    func broadcastDidChange()
    func broadcastDidTell(_ notice: BroadcastNotice)
    /// Tells one who asked on this machine what became of a command.
    func answer(_ outcome: CommandOutcome, to asker: Asker)
    func machineDidSleep(for span: TimeSpan)
    /// Reports the end; nothing is asked for after this.
    func broadcastDidFinish(_ outcome: BroadcastOutcome)
}

extension BroadcastEnvironment {
    /// Sends them one by one.
    public func send(_ messages: SharedMessages, to id: ConnectionID) {
        for message in messages.messages { send(message, to: id) }
    }
}
