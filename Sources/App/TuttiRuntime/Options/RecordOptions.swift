import AudioCore

/// The options of `tutti record --from`; acted on by ``Recorder``.
public struct RecordOptions: Sendable {
    /// How samples are written.
    public enum Samples: Hashable, Sendable {
        /// Integers in the song's own width, or floats.
        case asTheyAre
        case integer(bits: Int)
        case float
    }

    /// The file; its extension chooses the kind of file.
    public var path: String
    /// Whether to replace an existing file.
    public var replaces = false
    public var samples = Samples.asTheyAre
    /// The length; nil records to the end of the broadcast.
    public var duration: TimeSpan?
    /// Whether to go on with the broadcaster's next songs.
    public var follows = false
    /// Names of the only broadcasters that are recorded; empty allows any.
    public var from: [String] = []
    /// A broadcaster's address, for which mDNS is not needed.
    public var address: NetworkAddress?
    /// The recorder's name on the network; nil for the peer's own, marked as a recorder's.
    public var name: String?
    /// Which name belongs to which key; nil for what this run learns.
    public var pins: (any PinStore)?
    public var network = NetworkOptions()

    public init(path: String) { self.path = path }
}
