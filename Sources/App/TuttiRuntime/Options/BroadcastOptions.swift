import AudioCore
import SongReading

/// What `tutti broadcast` was asked to do; checked by whoever builds it, acted on by ``Broadcaster``.
public struct BroadcastOptions: Sendable {
    /// How many listeners the start waits for.
    public enum Start: Hashable, Sendable {
        /// Begin at once, listeners or none.
        case now
        /// Begin when this many listeners are ready, and 300 ms for others to gather have passed.
        case whenReady(listeners: Int)
    }

    /// The song: a path, a URL, or `-` for standard input. Empty where whoever takes the options names the songs.
    public var path: String
    /// What the song's bytes are where they are samples without a header; nil finds out by its container.
    public var raw: RawPCMFormat?
    /// The broadcast's name on the network; the peer's own where nil.
    public var name: String?
    public var start = Start.whenReady(listeners: 1)
    /// Names of the only listeners to be fed; empty feeds all.
    public var to: [String] = []
    /// Listeners dialled by address, whether or not mDNS knows them.
    public var listeners: [NetworkAddress] = []
    /// From the decision to start to the first sound.
    public var startDelay = TimeSpan.milliseconds(250)
    /// Where the broadcaster's own loudspeakers are, when it plays too.
    public var output: OutputSelection?
    /// What those loudspeakers know from earlier runs; nil for nothing.
    public var memory: (any ListenerMemory)?
    public var network = NetworkOptions()

    /// What a sound device hears is broadcast, instead of a song.
    public var capture: CaptureOptions?

    public init(path: String = "") { self.path = path }
}
