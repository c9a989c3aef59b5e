import AudioCore
import Songs
import WireProtocol

/// The options of `tutti broadcast`, checked by whoever builds them; acted on by ``Broadcaster``.
public struct BroadcastOptions: Sendable {
    /// When the song starts.
    public enum Start: Hashable, Sendable {
        /// At once, with listeners or without.
        case now
        /// When this many listeners are ready, and 300 ms for others to gather have passed.
        case whenReady(listeners: Int)
    }

    /// The format of samples without a header, of all songs that the broadcast begins with; nil detects the container,
    /// as for songs that are added later.
    public var raw: RawPCMFormat?
    /// The broadcast's name on the network; nil for the peer's own.
    public var name: String?
    /// Which loudness tags of a song decide its gain, which all listeners apply.
    public var loudness = LoudnessMode.off
    public var start = Start.whenReady(listeners: 1)
    /// Names of the only listeners to be fed; empty feeds all.
    public var to: [String] = []
    /// Listeners dialled by address, whether or not mDNS knows them.
    public var listeners: [NetworkAddress] = []
    /// From the decision to start to the first sound; nil for as long as the listeners need.
    public var startDelay: TimeSpan?
    /// The output of the broadcaster's own loudspeakers, if it plays too.
    public var output: OutputSelection?
    /// How those loudspeakers play; nil for what is remembered of their device.
    public var loudspeakers: LoudspeakerSettings?
    /// What those loudspeakers remember from earlier runs; nil for nothing.
    public var memory: (any ListenerMemory)?
    /// Which name belongs to which key; nil for what this run learns.
    public var pins: (any PinStore)?
    /// What answers those who look something up on this machine; nil finds them nothing.
    public var lookups: (any MusicLookups)?
    public var network = NetworkOptions()
    /// What follows when a song or the last one is over.
    public var modes = PlayModes()
    /// Whether the broadcast stays when its songs are over, or there are none.
    public var staysIdle = false
    /// Whether other machines may add songs to the queue.
    public var acceptsSongs = false
    /// Whether they may while this machine is in a household, whose members trust each other with their disks.
    public var acceptsSongsOfHousehold = false

    /// A sound device to broadcast instead of a song. Songs that are added follow it.
    public var capture: CaptureOptions?

    public init() {}
}
