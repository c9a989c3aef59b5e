import AudioCore

/// The options of `tutti join`; acted on by ``Listener``.
public struct JoinOptions: Sendable {
    /// Names of the only broadcasters that may feed this listener; empty allows any.
    public var from: [String] = []
    /// A broadcaster's address, for which mDNS is not needed.
    public var address: NetworkAddress?
    /// This listener's name on the network; nil for the peer's own.
    public var name: String?
    /// Whether to end after one broadcast instead of waiting for the next.
    public var once = false
    public var output = OutputSelection.device(name: "default")
    /// Whether a sound device that is not to be had is waited for, in silence, instead of being a failure. A notice
    /// tells why it is not there, and another one when it is.
    public var waitsForOutput = false
    /// Added to every frame's due time: negative sounds earlier, for an amplifier that delays. Nil uses the offset
    /// remembered for the device; zero forgets it.
    public var offset: TimeSpan?
    /// What is known from earlier runs; nil for nothing.
    public var memory: (any ListenerMemory)?
    /// Which name belongs to which key; nil for what this run learns.
    public var pins: (any PinStore)?
    /// What answers those who look something up on this machine; nil finds them nothing.
    public var lookups: (any MusicLookups)?
    /// Nil uses the volume remembered for the device; any other ends a mute.
    public var volume: Volume?
    /// How loud the loudspeakers may be, whoever commands them: this machine's user, too. Kept for this run alone; what
    /// is remembered for the device is not lowered by it.
    public var volumeLimit = VolumeLimit.none
    /// Nil uses the channel role remembered for the device.
    public var role: ChannelRole?
    /// Codecs that this listener decodes itself, as far as it can; broadcasters send it any other as PCM. Nil: all.
    public var codecs: Set<Codec>?
    public var network = NetworkOptions()
    /// How often the handler is sent a status that has not changed.
    public var statusInterval = TimeSpan.milliseconds(200)

    public init() {}
}
