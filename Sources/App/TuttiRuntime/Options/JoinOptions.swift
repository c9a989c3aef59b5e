import AudioCore

/// What `tutti join` was asked to do; acted on by ``Listener``.
public struct JoinOptions: Sendable {
    /// Names of the only broadcasters that may feed this listener; empty lets any.
    public var from: [String] = []
    /// A broadcaster dialled by address, with no mDNS needed.
    public var address: NetworkAddress?
    /// This listener's name on the network; the peer's own where nil.
    public var name: String?
    /// Ends after one broadcast instead of waiting for the next.
    public var once = false
    public var output = OutputSelection.device(name: "default")
    /// Added to the moment of every frame: negative sounds earlier, for an amplifier that is late. Nil: the one that is
    /// remembered for the device; zero forgets that.
    public var offset: TimeSpan?
    /// What is known from earlier runs; nil for none.
    public var memory: (any ListenerMemory)?
    public var volume: Float = 1
    /// What this listener decodes itself, of what it can; broadcasters send it anything else as linear PCM. Nil: all.
    public var codecs: Set<Codec>?
    public var network = NetworkOptions()
    /// How often the handler is told how it goes while that stays the same.
    public var statusInterval = TimeSpan.milliseconds(200)

    public init() {}
}
